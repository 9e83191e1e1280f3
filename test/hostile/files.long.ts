import { describeFiles } from './files.ts';

describeFiles(50_000);
