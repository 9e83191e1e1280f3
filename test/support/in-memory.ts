import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { memoryDirectory } from './memory.ts';

/**
 * `npm run mocha` requires this file: the temporary directory of its tests, and of the processes that they start, is in
 * memory if the system has enough of it. `fsync` then waits for no disk, which several workers share. A single file,
 * the long tests, and tests that take `diskDirectory` use the system's temporary directory.
 */
if (process.env['PLANNER_TEST_DISK'] === undefined) {
  process.env['PLANNER_TEST_DISK'] = tmpdir();
  const directory = memoryDirectory();
  if (directory !== tmpdir() && mayExecute(directory)) process.env['TMPDIR'] = directory;
}

/** Tests write programs and start them. Containers forbid that in `/dev/shm`. */
function mayExecute(directory: string): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const [, , , options = ''] = mounts.map((line) => line.split(' ')).findLast(([, at]) => at === directory) ?? [];
  return !options.split(',').includes('noexec');
}
