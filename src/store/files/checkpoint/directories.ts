import { dirname, join, normalize, sep } from 'node:path';
import { systemClock } from '../../../clock.ts';
import type { Clock } from '../../../clock.ts';
import type { SyncFailure } from './checkpoint-job.ts';
import { errorCode } from '../disk/disk.ts';
import type { Disk, FileStat } from '../disk/disk.ts';

/** What a person put where a file or directory of ours was: no longer ours to sync. */
const goneCodes: readonly string[] = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** A look is relied on for so long: as long as one job may take, and a dozen small ones do. */
const reliedOnMs = 1;

/** Makes directories below a root without following a link, and knows which ones have changes that a power cut could take back. */
export class Directories {
  readonly #disk: Disk;
  readonly #root: string;
  readonly #clock: Clock;
  /** Looked at within the last moment and found to be directories. */
  readonly #seen = new Set<string>();
  /** Since when, by the monotonic clock. */
  #seenAt = -Infinity;
  /** The directories of this batch that were reached without a link, as they were then. */
  readonly #known = new Map<string, FileStat>();
  readonly #unsynced = new Set<string>();

  constructor(disk: Disk, root: string, clock: Clock = systemClock) {
    this.#disk = disk;
    this.#root = root;
    this.#clock = clock;
  }

  /** What was seen in the last batch may have changed since. */
  forget(): void {
    this.#seen.clear();
    this.#known.clear();
  }

  /** Another job: what was seen a while ago is looked at again before it is relied on. */
  lookAgain(): void {
    const now = this.#clock.monotonic();
    if (now - this.#seenAt < reliedOnMs) return;
    this.#seenAt = now;
    this.#seen.clear();
  }

  /**
   * Makes a directory and those above it, up to the root; answers those that were not there, the deepest last. Throws where one of them is
   * a link or a file, or lies outside.
   */
  ensure(directory: string): string[] {
    if (this.check(directory)) return [];
    const made = this.ensure(dirname(directory));
    this.#disk.makeDirectory(directory);
    this.changed(directory);
    this.#seen.add(directory);
    return [...made, directory];
  }

  /** Takes back what `ensure` made for a file that did not come: an empty directory would pass for a folder that somebody made. */
  unmake(made: readonly string[]): void {
    for (const directory of made.toReversed()) {
      try {
        if (!this.#disk.removeDirectoryIfEmpty(directory)) return;
        this.moved(directory);
      } catch {
        // The failure that led here is the one to be told.
        return;
      }
    }
  }

  /** Whether a directory is there. Throws where it or one above it, up to the root, is a link or a file, or where it lies outside. */
  check(directory: string): boolean {
    if (this.#seen.has(directory)) return true;
    if (this.#leadsWhereItLed(directory)) {
      this.#seen.add(directory);
      return true;
    }
    if (directory !== this.#root && (!directory.startsWith(this.#root + sep) || normalize(directory) !== directory)) {
      throw Object.assign(new Error(`EACCES: outside of ${this.#root}: '${directory}'`), { code: 'EACCES' });
    }
    if (directory !== this.#root && !this.check(dirname(directory))) return false;
    const stat = this.#disk.stat(directory);
    if (!stat) return false;
    if (stat.kind !== 'directory') {
      throw Object.assign(new Error(`ENOTDIR: not a directory: '${directory}'`), { code: 'ENOTDIR' });
    }
    this.#seen.add(directory);
    this.#known.set(directory, stat);
    return true;
  }

  /** One look instead of one at each directory above: where one of them became a link, the path leads to another directory. */
  #leadsWhereItLed(directory: string): boolean {
    const known = this.#known.get(directory);
    if (known === undefined) return false;
    const now = this.#disk.stat(directory);
    if (now?.kind === 'directory' && now.ino === known.ino && now.dev === known.dev) return true;
    this.#known.delete(directory);
    return false;
  }

  /** Something of this path was made, renamed or removed: the directory it lies in is to be synced. */
  changed(path: string): void {
    this.#unsynced.add(dirname(path));
  }

  /** A directory went away, or moved with all that is in it. */
  moved(from: string, to?: string): void {
    this.forget();
    for (const directory of [...this.#unsynced]) {
      if (directory !== from && !directory.startsWith(from + sep)) continue;
      this.#unsynced.delete(directory);
      if (to !== undefined) this.#unsynced.add(join(to, directory.slice(from.length)));
    }
    this.changed(from);
    if (to !== undefined) this.changed(to);
  }

  /** Makes every change so far durable. What failed is tried again with the next call. */
  sync(): SyncFailure[] {
    const failures: SyncFailure[] = [];
    for (const path of [...this.#unsynced]) {
      const failure = attemptSync(path, () => this.#disk.syncDirectory(path));
      if (failure) failures.push(failure);
      else this.#unsynced.delete(path);
    }
    return failures;
  }
}

/** What went wrong, unless the path is gone. */
export function attemptSync(path: string, sync: () => void): SyncFailure | undefined {
  try {
    sync();
    return undefined;
  } catch (error) {
    const code = errorCode(error) ?? 'ERROR';
    return goneCodes.includes(code) ? undefined : { path, code, message: (error as Error).message };
  }
}
