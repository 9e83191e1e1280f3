import {
  chmodSync,
  close,
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  open,
  opendirSync,
  openSync,
  read,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { systemClock } from '../../../base/clock.ts';
import { lockKernel } from './kernel-lock.ts';
import { renameWithRetries } from './rename-retries.ts';

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'other';
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** The creation time, which only the system sets; 0 if the file system does not store it. */
  readonly birthtimeMs: number;
  readonly ino: number;
  readonly dev: number;
  readonly nlink: number;
  readonly mode: number;
  /** The owner's id; 0 on Windows. */
  readonly uid: number;
}

/** The space of a file system. */
export interface DiskSpace {
  /** Free space for processes without privileges. */
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** A lock that the kernel holds for this process; closing releases it. */
export interface FileLock {
  close(): void;
}

/**
 * The only access to the file system. Every path is absolute. Methods throw Node's errors (`code: 'ENOENT'`) unless
 * documented otherwise.
 */
export interface Disk {
  /** undefined if nothing exists. Never follows a symbolic link: a link is `other`. */
  stat(path: string): FileStat | undefined;
  /** Names with kinds, sorted by name; empty if there is no such directory. A symbolic link is `other`. */
  list(path: string): { readonly name: string; readonly kind: FileStat['kind'] }[];
  /** The names in the system's order, read lazily: a very large directory can be read in slices. */
  entries(path: string): Iterable<{ readonly name: string; readonly kind: FileStat['kind'] }>;
  /** Names as the file system has them; empty if there is no such directory. Other methods return U+FFFD for bytes that are not UTF-8. */
  names(path: string): Buffer[];
  /** Whole content; does not follow a symbolic link (ELOOP). */
  read(path: string): Buffer;
  /** undefined if there is no file. */
  readIfExists(path: string): Buffer | undefined;
  /** The file that has this stat; undefined if it is not at the path any more. */
  readSame(path: string, stat: Pick<FileStat, 'ino' | 'dev'>): Buffer | undefined;
  /** `length` bytes from `offset`, fewer at the end of the file; undefined if there is no file. */
  readRange(path: string, offset: number, length: number): Buffer | undefined;
  /** Creates missing parents, too. `mode` applies to new directories, less the umask; default 0o777. */
  makeDirectory(path: string, mode?: number): void;
  rename(from: string, to: string): void;
  /**
   * Creates a hard link. Throws EEXIST if the target exists, EXDEV and others if the file system does not support it.
   */
  link(from: string, to: string): void;
  remove(path: string): void;
  /** Returns false if it is not empty or does not exist. */
  removeDirectoryIfEmpty(path: string): boolean;
  removeTree(path: string): void;
  /** Node's flags; `mode` for a new file. */
  open(path: string, flags: string | number, mode?: number): number;
  close(fd: number): void;
  write(fd: number, data: Uint8Array): void;
  /** `length` bytes from `offset`, fewer at the end of the file. */
  readAt(fd: number, offset: number, length: number): Buffer;
  /** The whole file of a descriptor. */
  readAll(fd: number): Buffer;
  statOpen(fd: number): FileStat;
  truncate(fd: number, size: number): void;
  sync(fd: number): void;
  dataSync(fd: number): void;
  /** Makes renames and creations in a directory durable. */
  syncDirectory(path: string): void;
  setTimes(path: string, mtimeMs: number): void;
  /** Permissions of a file or directory; follows a symbolic link. */
  setMode(path: string, mode: number): void;
  /** Reads like `readAt`, in Node's thread pool. */
  readAtAsync(fd: number, offset: number, length: number): Promise<Buffer>;
  /** Writes in Node's thread pool, for the journal and for uploads. */
  writeAsync(fd: number, data: Uint8Array): Promise<void>;
  writeAtAsync(fd: number, data: Uint8Array, position: number): Promise<void>;
  dataSyncAsync(fd: number): Promise<void>;
  syncDirectoryAsync(path: string): Promise<void>;
  /** The space of the file system with this path; undefined if unknown. */
  space(path: string): DiskSpace | undefined;
  /** The type of the file system with this path, as Linux numbers them (linux/magic.h); undefined if unknown. */
  fileSystemType(path: string): number | undefined;
  /**
   * The kernel's exclusive lock of a file, which is released when the process ends; undefined if another process has it.
   */
  lock(path: string): FileLock | undefined;
  /** Different for each boot of the machine; undefined if unknown. Unsynced data are lost when it changes. */
  bootId(): string | undefined;
}

/** Flags for `Disk.open`, as numbers. Windows lacks some of the bits, which are 0 there. */
export const openFlags = {
  /** An existing file to read. A symbolic link is rejected (ELOOP); a pipe does not block the process. */
  read: constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  /** A file that must not exist yet. */
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
  /** An existing file, to append to. */
  append: constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0),
  /** An existing file, to cut. */
  change: constants.O_RDWR | (constants.O_NOFOLLOW ?? 0),
  /**
   * Added to `append`: each write returns when its data are durable, as write + fdatasync would, with one thread hop
   * less. 0 where the system's flag guarantees less than its fdatasync (macOS does not flush the drive's cache): sync
   * after the write there.
   */
  durable: process.platform === 'linux' ? constants.O_DSYNC : 0,
} as const;

/** Node's error code (`ENOENT`) of anything thrown, or undefined. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): FileStat['kind'] {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'directory' : 'other';
}

function toFileStat(stats: Stats): FileStat {
  const { size, mtimeMs, ctimeMs, birthtimeMs, ino, dev, nlink, mode, uid } = stats;
  return { kind: kindOf(stats), size, mtimeMs, ctimeMs, birthtimeMs, ino, dev, nlink, mode, uid };
}

/** Reads from the start whatever the file position is: the size is only a guess, since the file may be growing. */
function readFromStart(fd: number, size: number): Buffer {
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const got = readSync(fd, buffer, length, buffer.length - length, length);
    length += got;
    // One byte more than the size was requested: a read that ends at the size has reached the end.
    if (got === 0 || length === size) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(Math.max(length, 4096))]);
  }
}

function readOpened(fd: number, path: string): Buffer {
  const stats = fstatSync(fd);
  if (!stats.isFile() && !stats.isDirectory()) {
    const place = { code: 'EINVAL', syscall: 'read', path };
    throw Object.assign(new Error(`EINVAL: not a regular file, read '${path}'`), place);
  }
  try {
    return readFromStart(fd, stats.size);
  } catch (error) {
    // The system reports no path of an open file.
    throw Object.assign(error as Error, { path });
  }
}

/** Writes all bytes, with as many calls as needed. */
function writeAll(fd: number, data: Uint8Array): void {
  for (let done = 0; done < data.length;) done += writeSync(fd, data, done);
}

function writeAllAsync(fd: number, data: Uint8Array, position: number | null): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const step = (done: number): void =>
    write(fd, data, done, data.length - done, position === null ? null : position + done, (error, count) => {
      if (error) reject(error);
      else if (done + count < data.length) step(done + count);
      else resolve();
    });
  step(0);
  return promise;
}

/**
 * A directory of this size has some hundred entries at most, which take a quarter of the time if they are read together.
 * ZFS counts entries instead of bytes. Windows has no sizes of directories.
 */
const smallDirectoryBytesMax = 4096;

function hasFewEntries(path: string): boolean {
  if (process.platform === 'win32') return false;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.size <= smallDirectoryBytesMax;
}

/** The number of directory entries read by one system call. */
const entriesAtOnce = 256;

/** The file system itself. The one place that imports node:fs. */
export const nodeDisk: Disk = {
  stat(path) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats && toFileStat(stats);
  },

  list(path) {
    let entries;
    try {
      entries = readdirSync(path, { withFileTypes: true });
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
      throw error;
    }
    const named = entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
    return named.sort((a, b) => (a.name < b.name ? -1 : 1));
  },

  *entries(path) {
    if (hasFewEntries(path)) {
      for (const entry of readdirSync(path, { withFileTypes: true })) yield { name: entry.name, kind: kindOf(entry) };
      return;
    }
    let directory;
    try {
      directory = opendirSync(path, { bufferSize: entriesAtOnce });
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return;
      throw error;
    }
    try {
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync())
        yield { name: entry.name, kind: kindOf(entry) };
    } finally {
      directory.closeSync();
    }
  },

  names(path) {
    try {
      return readdirSync(path, { encoding: 'buffer' });
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
      throw error;
    }
  },

  read(path) {
    const fd = openSync(path, openFlags.read);
    try {
      return readOpened(fd, path);
    } finally {
      closeSync(fd);
    }
  },

  readIfExists(path) {
    // A stat costs less than an exception, which has a stack trace.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    try {
      return nodeDisk.read(path);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  },

  readSame(path, { ino, dev }) {
    let fd: number;
    try {
      fd = openSync(path, openFlags.read);
    } catch (error) {
      // ELOOP: a link has replaced the file.
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ELOOP') return undefined;
      throw error;
    }
    try {
      const stats = fstatSync(fd);
      return stats.ino === ino && stats.dev === dev ? readFromStart(fd, stats.size) : undefined;
    } finally {
      closeSync(fd);
    }
  },

  readRange(path, offset, length) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    const fd = openSync(path, openFlags.read);
    try {
      const buffer = Buffer.allocUnsafe(length);
      return buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
    } finally {
      closeSync(fd);
    }
  },

  makeDirectory(path, mode = 0o777) {
    mkdirSync(path, { recursive: true, mode });
  },

  rename: renameWithRetries({
    rename: renameSync,
    platform: process.platform,
    pause: (ms) => systemClock.sleep(ms),
  }),
  link: linkSync,
  remove: unlinkSync,

  removeDirectoryIfEmpty(path) {
    try {
      rmdirSync(path);
      return true;
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errorCode(error) ?? '')) return false;
      throw error;
    }
  },

  removeTree(path) {
    rmSync(path, { recursive: true, force: true });
  },

  open: openSync,
  close: closeSync,
  write: writeAll,

  readAt(fd, offset, length) {
    const buffer = Buffer.allocUnsafeSlow(length);
    return buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
  },

  readAll(fd) {
    return readFromStart(fd, fstatSync(fd).size);
  },

  statOpen(fd) {
    return toFileStat(fstatSync(fd));
  },

  truncate: ftruncateSync,
  sync: fsyncSync,
  dataSync: fdatasyncSync,

  syncDirectory(path) {
    // Windows has no descriptors of directories; its file system's log makes renames durable.
    if (process.platform === 'win32') return;
    const fd = openSync(path, constants.O_RDONLY);
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },

  setTimes(path, mtimeMs) {
    lutimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
  },

  setMode: chmodSync,

  readAtAsync(fd, offset, length) {
    const buffer = Buffer.allocUnsafeSlow(length);
    return new Promise((resolve, reject) =>
      read(fd, buffer, 0, length, offset, (error, count) =>
        error ? reject(error) : resolve(buffer.subarray(0, count)),
      ),
    );
  },

  writeAsync: (fd, data) => writeAllAsync(fd, data, null),
  writeAtAsync: writeAllAsync,

  dataSyncAsync(fd) {
    return new Promise((resolve, reject) => fdatasync(fd, (error) => (error ? reject(error) : resolve())));
  },

  syncDirectoryAsync(path) {
    if (process.platform === 'win32') return Promise.resolve();
    return new Promise((resolve, reject) => {
      open(path, constants.O_RDONLY, (failed, fd) => {
        if (failed) return reject(failed);
        fsync(fd, (error) => close(fd, () => (error ? reject(error) : resolve())));
      });
    });
  },

  space(path) {
    try {
      const { bavail, bsize, blocks } = statfsSync(path);
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    } catch {
      return undefined;
    }
  },

  fileSystemType(path) {
    // Other systems number their types in other ways.
    if (process.platform !== 'linux') return undefined;
    try {
      // Unsigned: a C long has 32 bits on some machines.
      return statfsSync(path).type >>> 0;
    } catch {
      return undefined;
    }
  },

  lock: lockKernel,

  bootId() {
    try {
      return nodeDisk.readIfExists('/proc/sys/kernel/random/boot_id')?.toString().trim();
    } catch {
      return undefined;
    }
  },
};
