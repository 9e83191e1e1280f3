import { describeFiles } from './files.ts';

describeFiles(20_000);
