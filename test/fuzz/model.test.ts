import { roundsOf } from '../support/random.ts';
import { describeModel } from './model-suite.ts';

describeModel(roundsOf(1));
