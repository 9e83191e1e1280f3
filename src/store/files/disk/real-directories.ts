import { dirname } from 'node:path';
import type { Disk, FileStat } from './disk.ts';

/**
 * Distinguishes directories from links to directories, from `.planner` down: files behind a link are not records.
 * Results are cached for the lifetime of this object, which is one rescan.
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

  /** Whether an absolute path is a directory below the root, or the root itself, and not behind a link. */
  has(directory: string): boolean {
    const seen = this.#seen.get(directory);
    if (seen !== undefined) return seen;
    const above = directory === this.#root || (directory.length > this.#root.length && this.has(dirname(directory)));
    const real = above && this.#disk.stat(directory)?.kind === 'directory';
    this.#seen.set(directory, real);
    return real;
  }

  /** The stat of a path; undefined if nothing exists, or only behind a link. */
  stat(path: string): FileStat | undefined {
    return this.has(dirname(path)) ? this.#disk.stat(path) : undefined;
  }
}
