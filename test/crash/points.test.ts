import { describePoints, sample } from './points-suite.ts';

describePoints(sample(2));
