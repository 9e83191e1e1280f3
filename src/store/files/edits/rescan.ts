import { dirname } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import type { Steps } from '../../../base/slices.ts';
import { sameOnDisk } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import type { LocationMap } from '../../record/locations.ts';
import type { Change, StoredRecord } from '../../record/record.ts';
import type { Disk } from '../disk/disk.ts';
import { RealDirectories } from '../disk/real-directories.ts';
import { deletionGraceMs, type PathEvent } from '../life/path-life.ts';
import { type FileState, isUnreadable, lacksId, type PossibleValues, valuesIn } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';
import { baseOf } from './common-value.ts';
import type { LastGood } from './last-good.ts';
import { type Arrival, isSameInode } from './renamed-files.ts';
import type { ReaderContext } from './read-state.ts';
import { isNamedAfter } from '../project/serving-order.ts';
import { servingFile } from './serving-file.ts';
import { type OverriddenValue, reconcileRecord } from './reconcile-record.ts';

/** A file whose reading failed is retried after this time. */
const failedRetryMs = 1000;

/** The result of reconciling files. */
export interface ReconcileOutcome {
  /** Changes to apply to the index as one transaction. */
  readonly changes: readonly Change[];
  /** The file's value, by id, if the index's new value differs from it; null if there is no file. */
  readonly theirs: ReadonlyMap<string, StoredRecord | null>;
  readonly overridden: readonly OverriddenValue[];
  /** Paths to reconcile again, after `retryAfterMs`. */
  readonly retryPaths: readonly string[];
  readonly retryAfterMs: number;
  /** There are dirty records whose file differs: schedule a checkpoint. */
  readonly stillPending: boolean;
  /** The records that were dirty and whose files, written by others, contain their changes. */
  readonly settled?: readonly string[];
}

/** The outcome if nothing was found. */
export const noOutcome: ReconcileOutcome = {
  ...{ changes: [], theirs: new Map(), overridden: [], retryPaths: [], retryAfterMs: 0, stillPending: false },
};

export interface RescanDeps {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly projectsDirectory: string;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly locations: LocationMap;
  readonly lastGood: LastGood;
  readonly log: (message: string) => void;
}

export interface RescanOptions {
  /** Whether the caller checks the directories once at the end, instead of after each slice and each read. */
  readonly isCheckedAtEnd?: boolean;
  /** Missing files are removed, and empty ones are read, without a grace period. */
  readonly skipGracePeriods?: boolean;
}

/** A record whose files changed. */
interface Touched {
  readonly collection: Collection;
  /** The last common value of index and file. */
  readonly base: StoredRecord | undefined;
  /** What the file may have had instead. */
  readonly possible?: PossibleValues | undefined;
}

/** What a rescan of some files of a project has found so far, and what follows from it for the file table. */
export class Rescan {
  readonly deps: RescanDeps;
  readonly project: Project;
  readonly isCheckedAtEnd: boolean;
  readonly skipGracePeriods: boolean;
  /** For the current slice, because a directory may become a link between two slices; or for all of the rescan. */
  realDirectories: RealDirectories;
  /** By id. */
  readonly touched = new Map<string, Touched>();
  /** The files that served the touched records before, by id: none if only a copy of it was known. */
  readonly #servedBefore = new Map<string, FileState | undefined>();
  readonly #retryPaths = new Set<string>();
  #retryAfterMs = deletionGraceMs;
  /** Files at paths where none was known, which may be missing ones under another name. */
  readonly arrivals: Arrival[] = [];
  /** Files that are not at their paths. */
  readonly missing: FileState[] = [];
  /** The paths of files that contain the id of another record than the one that was known there, if any. */
  readonly identified = new Set<string>();
  /** Folders whose directories are missing. They stay as long as files in them do. */
  readonly vanished: FileState[] = [];
  /** Folders whose rows are to be written: their directories were renamed. */
  readonly forced: FileState[] = [];
  /** Missing files whose records are removed. */
  readonly gone: FileState[] = [];
  /** Whether any file was known before. */
  readonly hasKnownFiles: boolean;

  constructor(
    deps: RescanDeps,
    project: Project,
    { isCheckedAtEnd = false, skipGracePeriods = false }: RescanOptions = {},
  ) {
    this.deps = deps;
    this.project = project;
    this.isCheckedAtEnd = isCheckedAtEnd;
    this.skipGracePeriods = skipGracePeriods;
    this.realDirectories = this.newRealDirectories();
    this.hasKnownFiles = project.files.size > 0;
  }

  /** What reading a file of the project needs. */
  get context(): ReaderContext {
    return { ...this.deps, project: this.project };
  }

  newRealDirectories(): RealDirectories {
    return new RealDirectories(this.deps.disk, dirname(this.deps.projectsDirectory));
  }

  /** The directories may have changed since the last slice. */
  forgetDirectories(): void {
    if (!this.isCheckedAtEnd) this.realDirectories = this.newRealDirectories();
  }

  absolute(path: string): string {
    return `${this.deps.projectsDirectory}/${this.project.directory}/${path.replace(/\/$/, '')}`;
  }

  retry(path: string, afterMs = 0): void {
    this.#retryPaths.add(path);
    this.#retryAfterMs = Math.max(this.#retryAfterMs, afterMs);
  }

  /** A failure to read one file does not affect the others: it is retried. */
  try(path: string, reconcile: () => void): void {
    try {
      reconcile();
    } catch (error) {
      this.retryFailed([path], this.project.shownPath(path), error);
    }
  }

  retryFailed(paths: Iterable<string>, what: string, error: unknown): void {
    this.deps.log(`${what} could not be read and will be read again: ${(error as Error).message}`);
    for (const path of paths) this.retry(path, failedRetryMs);
  }

  /** Applies what was found at a path. Returns false if it is looked at again after a grace period. */
  isDecided(path: string, event: PathEvent, graceMs = deletionGraceMs): boolean {
    if (!this.project.undecided.on(path, event).includes('lookAgain')) return true;
    this.retry(path, graceMs);
    return false;
  }

  /** Whether nothing has been at a path for the grace period; else it is looked at again. `isHeld`: the record may be in another file by now. */
  isGone(path: string, isHeld = false): boolean {
    return this.isDecided(path, {
      kind: 'gone',
      at: this.deps.clock.monotonic(),
      isImmediate: this.skipGracePeriods,
      isHeld,
    });
  }

  /**
   * If another file with the same id is gone, it was moved to this path: adds it to `gone`. One that was known before is
   * not where it was moved to, and a copy of a file that is renamed at the same time is not, either.
   */
  addFormerPaths({ id, path, stamp, hasExplicitId }: FileState): void {
    const { files } = this.project;
    if (hasExplicitId && files.at(path)?.id === id) return;
    for (const other of files.of(id)) {
      if (other.path === path || this.deps.disk.stat(this.absolute(other.path)) !== undefined) continue;
      const mayBeCopy = hasExplicitId && isNamedAfter({ path }, other) && !(stamp && isSameInode(stamp, other));
      if (mayBeCopy && !this.skipGracePeriods) this.retry(other.path);
      else this.gone.push(other);
    }
  }

  replace(state: FileState): void {
    const former = this.project.files.at(state.path);
    const collection = this.deps.collections.get(state.collection);
    if (collection === undefined) return;
    if (former !== undefined && former.id !== state.id) this.touch(former.id, collection);
    if (former?.id !== state.id && state.hasExplicitId) this.identified.add(state.path);
    this.touch(state.id, collection);
    this.project.files.set(state);
  }

  forget(state: FileState): void {
    const { project, deps } = this;
    const collection = deps.collections.get(state.collection);
    if (collection === undefined || project.files.at(state.path) !== state) return;
    this.touch(state.id, collection);
    project.undecided.on(state.path, { kind: 'removed' });
    project.files.delete(state.path);
    project.rememberPath(state);
    const { files, code } = project;
    if (state.unreadable === undefined || files.of(state.id).length > 0) return;
    try {
      deps.lastGood.remove(code, state.id);
    } catch (error) {
      deps.log(`The last good version of ${state.id} could not be removed: ${(error as Error).message}`);
    }
  }

  touch(id: string, collection: Collection): void {
    if (this.#servedBefore.has(id)) return;
    const { files } = this.project;
    const served = files.served(id);
    this.#servedBefore.set(id, served !== undefined && files.copies.has(served.path) ? undefined : served);
    if (!this.touched.has(id))
      this.touched.set(id, { collection, base: served?.record, possible: served && valuesIn(served) });
  }

  /** Reconciles the touched records. */
  *finish(): Steps<ReconcileOutcome> {
    const { project, deps } = this;
    const changes: Change[] = [];
    const theirs = new Map<string, StoredRecord>();
    const overridden: OverriddenValue[] = [];
    const settled: string[] = [];
    let stillPending = false;
    for (const [id, before] of this.#servedBefore) {
      const state = servingFile(project, id, before);
      if (state !== undefined) project.files.serve(state);
    }
    for (const [id, { collection: first, base: known, possible }] of this.touched) {
      const file = project.files.served(id);
      const collection = (file === undefined ? undefined : deps.collections.get(file.collection)) ?? first;
      const values = possible && { ...possible, values: [...possible.values, project.index.record(id)] };
      const base = values === undefined ? known : baseOf(collection, values, file);
      const result = reconcileRecord({ project, collection, id, base, file, now: deps.clock.now() });
      changes.push(...result.changes);
      if (result.overridden !== undefined) overridden.push(result.overridden);
      if (result.pending || this.#awaitsId(file)) stillPending = true;
      else {
        if (project.dirty.has(id)) settled.push(id);
        project.dirty.on(id, { kind: 'settled' });
      }
      this.#shareValue(file, result.changes.at(-1)?.to ?? project.index.record(id), result.pending, theirs);
      yield;
    }
    for (const { id, collection } of this.forced) project.dirty.mark(id, collection, 0, true);
    return {
      ...{ changes, theirs, overridden, settled },
      stillPending: stillPending || this.forced.length > 0,
      retryPaths: [...this.#retryPaths],
      retryAfterMs: this.#retryAfterMs,
    };
  }

  /** Whether something began to refer to the record of a file without an id, so that its id is written into it. */
  #awaitsId(file: FileState | undefined): boolean {
    return file !== undefined && this.project.dirty.isForced(file.id) && lacksId(file) && !isUnreadable(file);
  }

  /**
   * Index and file share one object in memory if their values are equal; otherwise the file's value is added to
   * `theirs`.
   */
  #shareValue(
    file: FileState | undefined,
    to: StoredRecord | undefined,
    pending: boolean,
    theirs: Map<string, StoredRecord>,
  ): void {
    if (file?.record === undefined || to === undefined || file.record === to) return;
    const collection = this.deps.collections.get(file.collection);
    if (collection === undefined) return;
    if (!pending || sameOnDisk(collection, file.record, to)) this.project.files.set({ ...file, record: to });
    else theirs.set(file.id, file.record);
  }
}
