import { dirname } from 'node:path';
import type { Disk, FileStat } from './disk.ts';

/**
 * Tells directories from links to directories, all the way from `.planner` down: what lies behind a link is nobody's record. What was seen
 * holds as long as this object lives, which is for one look at the files.
 */
export class RealDirectories {
  readonly #disk: Disk;
  readonly #root: string;
  readonly #seen = new Map<string, boolean>();

  /** `root`: the `.planner` directory, absolute. */
  constructor(disk: Disk, root: string) {
    this.#disk = disk;
    this.#root = root;
  }

  /** Whether an absolute path is a directory below the root, or the root itself, and no link leads there. */
  has(directory: string): boolean {
    const seen = this.#seen.get(directory);
    if (seen !== undefined) return seen;
    const above = directory === this.#root || (directory.length > this.#root.length && this.has(dirname(directory)));
    const real = above && this.#disk.stat(directory)?.kind === 'directory';
    this.#seen.set(directory, real);
    return real;
  }

  /** What lies at a path; undefined where nothing does, or where a link would lead to it. */
  stat(path: string): FileStat | undefined {
    return this.has(dirname(path)) ? this.#disk.stat(path) : undefined;
  }
}
