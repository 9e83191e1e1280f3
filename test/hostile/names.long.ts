import { describeNames } from './names.ts';

describeNames(1);
