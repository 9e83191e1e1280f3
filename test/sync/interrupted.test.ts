import { Random } from '../support/random.ts';
import { describeInterrupted } from './interrupted.ts';

const every = 12;

// `interrupted.long.ts` interrupts at each step.
describeInterrupted(Random.announced('interrupted').integer(0, every - 1), every);
