import { describeInterrupted } from './interrupted.ts';

describeInterrupted(0, 1);
