import { describeRenamed } from './renamed.ts';

describeRenamed(8);
