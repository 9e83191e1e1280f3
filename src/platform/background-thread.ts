import { setPriority } from 'node:os';

/** As `nice` counts: 0 is every thread's, 19 the lowest. */
const background = 10;

/**
 * Lets the calling thread work when no other thread wants the processor. Linux has a priority for every thread, elsewhere it is left as it
 * is: there it would be the whole process's.
 */
export function workInBackground(disk: { read(path: string): Uint8Array }): void {
  try {
    const thread = Number.parseInt(Buffer.from(disk.read('/proc/thread-self/stat')).toString());
    setPriority(thread, background);
  } catch {
    // No /proc, or no permission: the thread is served like any other.
  }
}
