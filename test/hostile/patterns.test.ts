import { describePatterns } from './patterns.ts';

describePatterns('some');
