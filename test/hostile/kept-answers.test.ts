import { describeKeptAnswers } from './kept-answers.ts';

describeKeptAnswers({ snapshotBytes: 60e6, journalBytes: 130e6, heapMegabytes: 110 });
