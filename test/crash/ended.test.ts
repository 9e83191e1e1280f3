import { describeEnds } from './ended-suite.ts';

describeEnds(2);
