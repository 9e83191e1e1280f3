import { describeKeptAnswers } from './kept-answers.ts';

describeKeptAnswers({ snapshotBytes: 30e6, journalBytes: 65e6, heapMegabytes: 70 });
