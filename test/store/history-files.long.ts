import { roundsOf } from '../support/random.ts';
import { describeHistoryFiles } from './history-files.ts';

describeHistoryFiles(roundsOf(300));
