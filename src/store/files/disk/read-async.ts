import { type Disk, errorCode, openFlags } from './disk.ts';

/** Reads like `readIfExists`, but the bytes are read in Node's thread pool. */
export async function readIfExistsAsync(disk: Disk, path: string): Promise<Buffer | undefined> {
  return withOpen(disk, path, (fd) => disk.readAtAsync(fd, 0, disk.statOpen(fd).size));
}

/** Opens a file for `read`, and closes it afterwards. Undefined if there is no file. */
export async function withOpen<T>(disk: Disk, path: string, read: (fd: number) => Promise<T>): Promise<T | undefined> {
  let fd: number;
  try {
    fd = disk.open(path, openFlags.read);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return await read(fd);
  } finally {
    disk.close(fd);
  }
}
