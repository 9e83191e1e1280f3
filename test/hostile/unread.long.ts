import { describeFloods } from './floods.ts';

describeFloods({ connections: 1000, readers: 160, floodMs: 5000 });
