import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: object) => void;

let known: Collect | undefined;

function collector(): Collect | undefined {
  if (known !== undefined) return known;
  setFlagsFromString('--expose-gc');
  known = runInNewContext('gc') as Collect | undefined;
  setFlagsFromString('--no-expose-gc');
  return known;
}

/** Collects what opening a large root left behind: V8 collects when memory is asked for, and a service at rest asks for none. */
export function collectGarbage(): void {
  // The thorough kind: pages that a plain collection leaves half empty go back to the system (measured: 387 MB left instead of 532).
  collector()?.({ type: 'major', flavor: 'last-resort' });
}

/**
 * Collects young objects on the calling thread alone. By default V8 shares that work with helper threads and waits for them: on a busy machine
 * they are not scheduled at once, and collections that need 25 ms held the event loop for over 100 ms. Affects the whole process.
 */
export function collectWithoutHelpers(): void {
  setFlagsFromString('--no-parallel-scavenge');
}

/** After so many bytes the buffers that they passed through are collected: a millisecond or less. */
const transientBytesMax = 4 * 1024 * 1024;
let transientBytes = 0;

/**
 * To be told of bytes that pass through the process in buffers that nobody needs a moment later. They lie outside of V8's own memory, and
 * it looks for them only after many megabytes: eight uploads at once took a hundred more than they needed.
 */
export function trackTransientBytes(bytes: number): void {
  transientBytes += bytes;
  if (transientBytes < transientBytesMax) return;
  transientBytes = 0;
  collector()?.({ type: 'minor' });
}
