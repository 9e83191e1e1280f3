import { hash } from 'node:crypto';
import { errorCode, openFlags } from '../disk/disk.ts';
import type { Disk, FileStat } from '../disk/disk.ts';

/** A file that is there, open so that it can be read again when its name is gone. */
export interface Seen {
  readonly fd: number;
  readonly bytes: Buffer;
  readonly sha256: string;
  /** As it was before the bytes were read: a save that came meanwhile makes it differ. */
  readonly stat: FileStat;
}

/** Looks at files before they are changed. Follows no symbolic link. */
export class Sight {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** The file at a path, open; undefined where there is none. Throws for what is no regular file. */
  see(path: string): Seen | undefined {
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
      return { fd, bytes, sha256: hash('sha256', bytes, 'hex'), stat };
    } catch (error) {
      this.#disk.close(fd);
      throw error;
    }
  }

  /** What is at a path, closed again, unless it is the file at `from` under another case of its letters. */
  seeOther(path: string, from: string): Omit<Seen, 'fd'> | undefined {
    const target = this.#disk.stat(path);
    if (!target) return undefined;
    const source = this.#disk.stat(from);
    if (source && source.ino === target.ino && source.dev === target.dev && source.nlink === 1) return undefined;
    const seen = this.see(path);
    if (seen) this.#disk.close(seen.fd);
    return seen;
  }

  /** Whether a path still leads to the file that was seen there, or to none. The bytes are looked at afterwards. */
  isStill(path: string, seen: Seen | undefined): boolean {
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
