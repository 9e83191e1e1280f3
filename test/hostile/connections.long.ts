import { describeCrowds } from './crowds.ts';

// What is usual, and what a small system gives a process.
describeCrowds(10_000, 16_000, ['silent', 'rested', 'headers', 'body']);
describeCrowds(10_000, 1_024, ['silent', 'rested', 'headers', 'body']);
