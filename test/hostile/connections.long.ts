import { describeCrowds } from './crowds.ts';

// The usual limit, and the limit of a process on a small system.
describeCrowds(10_000, 16_000, ['silent', 'rested', 'headers', 'body']);
describeCrowds(10_000, 1_024, ['silent', 'rested', 'headers', 'body']);
