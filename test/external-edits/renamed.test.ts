import { describeRenamed } from './renamed.ts';

describeRenamed(4);
