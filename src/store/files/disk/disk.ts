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

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'other';
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** When it was made, which nothing but the system sets; 0 if the file system does not keep it. */
  readonly birthtimeMs: number;
  readonly ino: number;
  readonly dev: number;
  readonly nlink: number;
  readonly mode: number;
}

/** Of a file system. */
export interface DiskSpace {
  /** What a process without privileges may still write. */
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** The only way to the file system. Every path is absolute. Methods throw node's errors (`code: 'ENOENT'`) unless said otherwise. */
export interface Disk {
  /** undefined where nothing is there. Never follows a symbolic link: a link is `other`. */
  stat(path: string): FileStat | undefined;
  /** Names with kinds, sorted by name; empty where there is no such directory. A symbolic link is `other`. */
  list(path: string): { readonly name: string; readonly kind: FileStat['kind'] }[];
  /** The same in the system's order, read as the caller goes on: a directory of very many files can be read in slices. */
  entries(path: string): Iterable<{ readonly name: string; readonly kind: FileStat['kind'] }>;
  /** Whole content; does not follow a symbolic link (ELOOP). */
  read(path: string): Buffer;
  /** undefined where there is no file. */
  readIfExists(path: string): Buffer | undefined;
  /** `length` bytes from `offset`, fewer where the file ends before; undefined where there is no file. */
  readRange(path: string, offset: number, length: number): Buffer | undefined;
  /** With those above it. `mode` for the new ones, less the umask; default 0o777. */
  makeDirectory(path: string, mode?: number): void;
  rename(from: string, to: string): void;
  /** A second name for a file. Throws EEXIST where something is there, EXDEV and others where the file system cannot. */
  link(from: string, to: string): void;
  remove(path: string): void;
  /** False when it is not empty or not there. */
  removeDirectoryIfEmpty(path: string): boolean;
  removeTree(path: string): void;
  /** Node's flags; `mode` for a new file. */
  open(path: string, flags: string | number, mode?: number): number;
  close(fd: number): void;
  write(fd: number, data: Uint8Array): void;
  /** `length` bytes from `offset`, fewer where the file ends before. */
  readAt(fd: number, offset: number, length: number): Buffer;
  /** Everything from the beginning of the file behind a descriptor. */
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
  /** Off the main thread: for the journal and for uploads. */
  writeAsync(fd: number, data: Uint8Array): Promise<void>;
  writeAtAsync(fd: number, data: Uint8Array, position: number): Promise<void>;
  dataSyncAsync(fd: number): Promise<void>;
  syncDirectoryAsync(path: string): Promise<void>;
  /** Of the file system that has this path; undefined where the system does not say. */
  space(path: string): DiskSpace | undefined;
  /** Unlike for each start of the machine; undefined where the system does not tell. What was not synced outlives no change of it. */
  bootId(): string | undefined;
}

/** What the store opens files with, as numbers for `Disk.open`. Windows lacks some of the bits; 0 stands for those. */
export const openFlags = {
  /** An existing file to read. A symbolic link is refused (ELOOP); a pipe that somebody left there does not hang the process. */
  read: constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  /** A file that must not exist yet. */
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
  /** An existing file, to append to. */
  append: constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0),
  /** An existing file, to cut. */
  change: constants.O_RDWR | (constants.O_NOFOLLOW ?? 0),
  /**
   * To be added to `append`: each write returns when its data are on the disk, as write + fdatasync would, one thread hop less.
   * 0 where the system's flag promises less than its fdatasync (macOS leaves the drive's cache unflushed): sync after the write there.
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
  const { size, mtimeMs, ctimeMs, birthtimeMs, ino, dev, nlink, mode } = stats;
  return { kind: kindOf(stats), size, mtimeMs, ctimeMs, birthtimeMs, ino, dev, nlink, mode };
}

/** Everything behind a descriptor, wherever it stands: the size is a guess only, the file may be growing. */
function readFromStart(fd: number, size: number): Buffer {
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const got = readSync(fd, buffer, length, buffer.length - length, length);
    length += got;
    // One byte more was asked for than the file has: a read that ends at the size has met the end.
    if (got === 0 || length === size) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(Math.max(length, 4096))]);
  }
}

function readOpened(fd: number, path: string): Buffer {
  const stats = fstatSync(fd);
  if (!stats.isFile() && !stats.isDirectory()) {
    throw Object.assign(new Error(`EINVAL: not a regular file, read '${path}'`), { code: 'EINVAL', path });
  }
  return readFromStart(fd, stats.size);
}

/** Writes every byte, however many calls it takes. */
function writeAll(fd: number, data: Uint8Array): void {
  for (let done = 0; done < data.length;) done += writeSync(fd, data, done);
}

function writeAllAsync(fd: number, data: Uint8Array, position: number | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const step = (done: number): void =>
      write(fd, data, done, data.length - done, position === null ? null : position + done, (error, count) => {
        if (error) reject(error);
        else if (done + count < data.length) step(done + count);
        else resolve();
      });
    step(0);
  });
}

/** Entries of a directory asked for with one call of the system. */
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

  read(path) {
    const fd = openSync(path, openFlags.read);
    try {
      return readOpened(fd, path);
    } finally {
      closeSync(fd);
    }
  },

  readIfExists(path) {
    // Asking first costs less than an exception, which carries a stack.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    try {
      return nodeDisk.read(path);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
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

  rename: renameSync,
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
    // Windows has no descriptors of directories; its renames are made durable by the file system's own log.
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

  bootId() {
    try {
      return nodeDisk.readIfExists('/proc/sys/kernel/random/boot_id')?.toString().trim();
    } catch {
      return undefined;
    }
  },
};
