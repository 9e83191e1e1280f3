import { errorCode, openFlags } from '../disk/disk.ts';
import type { Disk, FileStat } from '../disk/disk.ts';
import { sha256Of } from '../disk/sha256.ts';

/** An existing file, open so that it can be read again after its name is gone. */
export interface ObservedFile {
  readonly fd: number;
  readonly bytes: Buffer;
  readonly sha256: string;
  /** The stat before the bytes were read: it differs after a save in the meantime. */
  readonly stat: FileStat;
}

/** Reads files before they are changed. Follows no symbolic link. */
export class FileObserver {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Opens and reads the file at a path, or undefined. Throws for anything but a regular file. */
  observe(path: string): ObservedFile | undefined {
    const present = this.#disk.stat(path);
    if (!present) return undefined;
    if (present.kind !== 'file') {
      throw Object.assign(new Error(`EINVAL: not a regular file: '${path}'`), { code: 'EINVAL' });
    }
    const fd = this.#open(path);
    if (fd === undefined) return undefined;
    try {
      const stat = this.#disk.statOpen(fd);
      const bytes = this.#disk.readAll(fd);
      return { fd, bytes, sha256: sha256Of(bytes), stat };
    } catch (error) {
      this.#disk.close(fd);
      throw error;
    }
  }

  /** Reads and closes the file at a path, unless it is the file at `from` under a name in other letter case. */
  observeOther(path: string, from: string): Omit<ObservedFile, 'fd'> | undefined {
    const target = this.#disk.stat(path);
    if (!target) return undefined;
    const source = this.#disk.stat(from);
    if (source && source.ino === target.ino && source.dev === target.dev && source.nlink === 1) return undefined;
    const seen = this.observe(path);
    if (seen) this.#disk.close(seen.fd);
    return seen;
  }

  /**
   * Returns whether a path still leads to the file that was observed, or to none. The bytes are verified afterwards.
   */
  isUnchanged(path: string, seen: ObservedFile | undefined): boolean {
    const now = this.#disk.stat(path);
    if (!now || !seen) return now === undefined && seen === undefined;
    return now.ino === seen.stat.ino && now.size === seen.stat.size && now.mtimeMs === seen.stat.mtimeMs;
  }

  #open(path: string): number | undefined {
    try {
      return this.#disk.open(path, openFlags.read);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }
}
