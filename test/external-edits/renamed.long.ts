import { roundsOf } from '../support/random.ts';
import { describeRenamed } from './renamed.ts';

describeRenamed(roundsOf(200));
