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

/**
 * Collects the garbage of opening a large root: V8 collects when memory is allocated, and an idle service allocates
 * nothing.
 */
export function collectGarbage(): void {
  // The thorough kind returns half-empty pages to the system (measured: 387 MB left instead of 532).
  collector()?.({ type: 'major', flavor: 'last-resort' });
}

/**
 * Collects young objects on the calling thread alone. By default V8 shares that work with helper threads and waits for
 * them: on a busy machine they are not scheduled immediately, and collections that need 25 ms held the event loop for
 * over 100 ms. Affects the whole process.
 */
export function collectWithoutHelpers(): void {
  setFlagsFromString('--no-parallel-scavenge');
}

/** Buffers are collected after this many bytes, which takes a millisecond or less. */
const transientBytesMax = 4 * 1024 * 1024;
let transientBytes = 0;

/**
 * Counts bytes in buffers that are garbage shortly afterwards. They are outside of V8's heap, which V8 collects only
 * after many megabytes: eight uploads at the same time took a hundred megabytes more than needed.
 */
export function trackTransientBytes(bytes: number): void {
  transientBytes += bytes;
  if (transientBytes < transientBytesMax) return;
  transientBytes = 0;
  collector()?.({ type: 'minor' });
}
