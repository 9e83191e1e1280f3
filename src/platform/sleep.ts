const never = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the calling thread; not at all for zero milliseconds or less. */
export function sleep(ms: number): void {
  Atomics.wait(never, 0, 0, ms);
}
