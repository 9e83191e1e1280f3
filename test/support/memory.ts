import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const shared = '/dev/shm';
/** As `statfs` names it. A directory of another file system would not be faster. */
const tmpfs = 0x01021994;
/** A container has 64 MB by default. */
const freeBytesMin = 2 * 1024 ** 3;

let chosen: string | undefined;

/**
 * The directory for files of a test's service that the test is not about: in memory if the system has enough of it,
 * else in the temporary directory. A store there does the same system calls, but `fsync` waits for no disk: two
 * milliseconds each, a dozen of them in a test. Tests of files, of what a file system does and of git use the temporary
 * directory, which `in-memory.ts` replaces.
 */
export function memoryDirectory(): string {
  return (chosen ??= isMemory() ? shared : tmpdir());
}

/** The system's temporary directory, also where `in-memory.ts` has replaced it, for tests of file systems. */
export function diskDirectory(): string {
  return process.env['PLANNER_TEST_DISK'] ?? tmpdir();
}

function isMemory(): boolean {
  if (process.platform !== 'linux' || !existsSync(shared)) return false;
  const { type, bavail, bsize } = statfsSync(shared);
  return type === tmpfs && bavail * bsize >= freeBytesMin;
}
