import { roundsOf } from '../support/random.ts';
import { describeEnds } from './ended-suite.ts';

describeEnds(roundsOf(300));
