import { describeFiles } from './files.ts';

describeFiles(300);
