import { describeKeptAnswers } from './kept-answers.ts';

describeKeptAnswers({ snapshotBytes: 120e6, journalBytes: 250e6, heapMegabytes: 160 });
