import { dirname, join, normalize, sep } from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';
import type { SyncFailure } from './checkpoint-job.ts';
import { errorCode } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';

/** Error codes if a person has removed or replaced a file or directory: it need not be synced. */
const goneCodes: readonly string[] = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** How long a check is valid: about as long as one job may take, or a dozen small ones. */
const validMs = 1;

/** Creates directories below a root without following a link, and tracks which directories have unsynced changes. */
export class Directories {
  readonly #disk: Disk;
  readonly #root: string;
  readonly #clock: Clock;
  /** Checked within the last moment and found to be directories. */
  readonly #seen = new Set<string>();
  /** Monotonic time of the oldest of these checks. */
  #seenAt: number | undefined;
  readonly #unsynced = new Set<string>();
  /** Directories whose own name is synced with the first change in them: a former process, a failed attempt or a person may have made them. */
  readonly #named = new Set<string>();

  constructor(disk: Disk, root: string, clock: Clock = systemClock) {
    this.#disk = disk;
    this.#root = root;
    this.#clock = clock;
  }

  /** Forgets the checks of the last batch, since directories may have changed. */
  forget(): void {
    this.#seen.clear();
  }

  /** Called for each job: discards checks that are no longer valid. */
  expireStale(): void {
    const now = this.#clock.monotonic();
    if (this.#seenAt !== undefined && now - this.#seenAt < validMs) return;
    this.#seenAt = now;
    this.#seen.clear();
  }

  /**
   * Creates a directory and its missing parents up to the root; returns the created ones, the deepest last. Throws if
   * one of them is a link or a file, or is outside the root.
   */
  ensure(directory: string): string[] {
    if (this.check(directory)) return [];
    const made = this.ensure(dirname(directory));
    this.#disk.makeDirectory(directory);
    this.changed(directory);
    this.#seen.add(directory);
    return [...made, directory];
  }

  /**
   * Removes the directories that `ensure` created for a file that was not written: an empty directory would look like a
   * folder that a person made.
   */
  removeCreated(made: readonly string[]): void {
    for (const directory of made.toReversed()) {
      try {
        if (!this.#disk.removeDirectoryIfEmpty(directory)) return;
        this.moved(directory);
      } catch {
        // The caller reports the failure that led here.
        return;
      }
    }
  }

  /**
   * Returns whether a directory exists. Throws if it or a parent, up to the root, is a link or a file, or if it is
   * outside the root. Each parent is checked: a directory that was moved out and replaced by a link to it is the same
   * inode by its path.
   */
  check(directory: string): boolean {
    if (this.#seen.has(directory)) return true;
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
    return true;
  }

  /** Marks the parent directory of a path unsynced after the path was created, renamed or removed. */
  changed(path: string): void {
    let directory = dirname(path);
    this.#unsynced.add(directory);
    while (directory.startsWith(this.#root + sep) && !this.#named.has(directory)) {
      this.#named.add(directory);
      directory = dirname(directory);
      this.#unsynced.add(directory);
    }
  }

  /** Updates the tracked paths after a directory was removed, or moved with its content. */
  moved(from: string, to?: string): void {
    this.forget();
    const isMoved = (directory: string): boolean => directory === from || directory.startsWith(from + sep);
    for (const directory of [...this.#named]) if (isMoved(directory)) this.#named.delete(directory);
    for (const directory of [...this.#unsynced]) {
      if (!isMoved(directory)) continue;
      this.#unsynced.delete(directory);
      if (to !== undefined) this.#unsynced.add(join(to, directory.slice(from.length)));
    }
    this.changed(from);
    if (to !== undefined) this.changed(to);
  }

  /**
   * Syncs every changed directory. A failed one is retried by the next call. One that is gone may have another name in its
   * project, which is not known before the next rescan: then all directories of that project are synced.
   */
  sync(): SyncFailure[] {
    const failures: SyncFailure[] = [];
    const searched = new Map<string, readonly SyncFailure[]>();
    for (const path of [...this.#unsynced]) {
      const failure = failureOf(path, () => this.#disk.syncDirectory(path));
      const project = failure && isGone(failure) ? this.#projectOf(path) : undefined;
      const found = project === undefined ? [] : (searched.get(project) ?? this.#syncBelow(project));
      if (project !== undefined) searched.set(project, found);
      if (failure !== undefined && !isGone(failure)) failures.push(failure);
      else if (found.length === 0) this.#unsynced.delete(path);
    }
    return [...failures, ...[...searched.values()].flat()];
  }

  /** The directory of the project that a path is in. */
  #projectOf(path: string): string | undefined {
    const [projects, project] = path.slice(this.#root.length + 1).split(sep);
    return projects === 'projects' && project !== undefined ? join(this.#root, projects, project) : undefined;
  }

  #syncBelow(directory: string): readonly SyncFailure[] {
    const below: string[] = [];
    const failure = attemptSync(directory, () => {
      this.#disk.syncDirectory(directory);
      for (const { name, kind } of this.#disk.list(directory))
        if (kind === 'directory') below.push(join(directory, name));
    });
    return failure === undefined ? below.flatMap((path) => this.#syncBelow(path)) : [failure];
  }
}

/** Returns the failure of an attempt. */
function failureOf(path: string, sync: () => void): SyncFailure | undefined {
  try {
    sync();
    return undefined;
  } catch (error) {
    return { path, code: errorCode(error) ?? 'ERROR', message: (error as Error).message };
  }
}

function isGone({ code }: SyncFailure): boolean {
  return goneCodes.includes(code);
}

/** Returns the failure, unless the path no longer exists. */
export function attemptSync(path: string, sync: () => void): SyncFailure | undefined {
  const failure = failureOf(path, sync);
  return failure && isGone(failure) ? undefined : failure;
}
