import { describeKeptAnswers } from './kept-answers.ts';

describeKeptAnswers({ snapshotBytes: 1.2e9, journalBytes: 3e9, heapMegabytes: 300 });
