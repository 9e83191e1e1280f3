import { describePatterns } from './patterns.ts';

describePatterns('all');
