import { roundsOf } from '../support/random.ts';
import { describePoints, everyNth } from './points-suite.ts';

// PLANNER_TEST_ROUNDS=1 lets every single call fail.
describePoints(everyNth(roundsOf(4)));
