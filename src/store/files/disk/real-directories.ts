import { dirname } from 'node:path';
import type { Disk, FileStat } from './disk.ts';

/** The resolution of the times of files: ticks of the kernel. */
export const timeResolutionMs = 20;

/**
 * Distinguishes directories from links to directories, from `.planner` down: files below a link are not records.
 * Results are cached for the lifetime of this object, which is one rescan.
 */
export class RealDirectories {
  readonly #disk: Disk;
  readonly #root: string;
  /** The stats by path; undefined if it is no directory, or below a link. */
  readonly #seen = new Map<string, FileStat | undefined>();

  /** `root`: the `.planner` directory, absolute. */
  constructor(disk: Disk, root: string) {
    this.#disk = disk;
    this.#root = root;
  }

  /** Returns whether an absolute path is a directory below the root, or the root itself, and not below a link. */
  has(directory: string): boolean {
    if (!this.#seen.has(directory)) this.#seen.set(directory, this.#statOf(directory));
    return this.#seen.get(directory) !== undefined;
  }

  #statOf(directory: string): FileStat | undefined {
    const above = directory === this.#root || (directory.length > this.#root.length && this.has(dirname(directory)));
    const stat = above ? this.#disk.stat(directory) : undefined;
    return stat?.kind === 'directory' ? stat : undefined;
  }

  /**
   * Returns whether none of the directories was replaced, nor anything in them, since it was first checked. False also
   * if one was changed less than `timeResolutionMs` before `since`, which is when the first one was checked: times of
   * files may be as coarse.
   */
  areUnchanged(since: number): boolean {
    return [...this.#seen].every(([directory, before]) => {
      if (before === undefined) return true;
      const now = this.#disk.stat(directory);
      const same = now !== undefined && now.ino === before.ino && now.dev === before.dev;
      return same && now.ctimeMs === before.ctimeMs && now.ctimeMs < since - timeResolutionMs;
    });
  }

  /** The stat of a path; undefined if nothing exists, or only below a link. */
  stat(path: string): FileStat | undefined {
    return this.has(dirname(path)) ? this.#disk.stat(path) : undefined;
  }
}
