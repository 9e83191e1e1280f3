import { setPriority } from 'node:os';

/** A `nice` value: 0 is the default, 19 the lowest priority. */
const background = 10;

/**
 * Lowers the priority of the calling thread. Linux has priorities per thread; elsewhere nothing changes, since the
 * priority would apply to the whole process.
 */
export function workInBackground(disk: { read(path: string): Uint8Array }): void {
  try {
    const thread = Number.parseInt(Buffer.from(disk.read('/proc/thread-self/stat')).toString());
    setPriority(thread, background);
  } catch {
    // No /proc, or no permission: the thread keeps its priority.
  }
}
