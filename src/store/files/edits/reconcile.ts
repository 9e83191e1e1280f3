import { dirname } from 'node:path';
import type { Clock } from '../../../clock.ts';
import { sameOnDisk } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import type { Disk, FileStat } from '../disk/disk.ts';
import { type FileState, isAsKnown, stampOf, withStamp } from '../project/file-table.ts';
import type { LastGood } from './last-good.ts';
import { missingProjectState } from './missing-project-file.ts';
import { directoryOf, folderFile, keepsIdOnRename, nameOf, type LocationMap } from '../../record/locations.ts';
import { type Arrival, isSameInode, MovedFiles, type MovedFilesDeps } from './moved-files.ts';
import { findRenamedAndReplaced, hasContentOfChanged, isAnotherFile } from './replaced-files.ts';
import { filesAt } from './files-at.ts';
import { folderState } from './folder-state.ts';
import { movedFolders } from './moved-folders.ts';
import type { Project } from '../project/project.ts';
import { RealDirectories, timeResolutionMs } from '../disk/real-directories.ts';
import { fileBytesMax, oversizedState, pathFieldsChanged, type ReaderContext, readState } from './read-state.ts';
import { isSegment, reconcileSegment } from './reconcile-segment.ts';
import type { Change, StoredRecord } from '../../record/record.ts';
import { deletionGraceMs, emptyFileGraceMs, type PathEvent } from '../life/path-life.ts';
import { type OverriddenValue, reconcileRecord } from './reconcile-record.ts';
import type { Rescan } from './rescan.ts';
import { separateIds } from './separate-ids.ts';
import { atOnce, type Steps } from '../../../slices.ts';
import { sha256Of } from '../disk/sha256.ts';

/** A file whose reading failed is retried after this time. */
const failedRetryMs = 1000;

/** The result of reconciling files. */
export interface ReconcileOutcome {
  /** Changes to apply to the index as one transaction. */
  readonly changes: readonly Change[];
  /** The file's value, by id, if the index's new value differs from it. */
  readonly theirs: ReadonlyMap<string, StoredRecord>;
  readonly overridden: readonly OverriddenValue[];
  /** Paths to reconcile again, after `retryAfterMs`. */
  readonly retryPaths: readonly string[];
  readonly retryAfterMs: number;
  /** There are dirty records whose file differs: schedule a checkpoint. */
  readonly stillPending: boolean;
}

export interface ReconcilerDeps {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly projectsDirectory: string;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly locations: LocationMap;
  readonly lastGood: LastGood;
  readonly log: (message: string) => void;
}

/**
 * Finds external edits of a project's files and reconciles them with the index. Events are hints: the file itself
 * decides.
 */
export class Reconciler {
  readonly #deps: ReconcilerDeps;

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps;
  }

  /**
   * Reads all files of a project at once, and accepts missing and empty ones. To check each file's directories before
   * and after it is read would take as long as the rest: they are checked once at the end. Returns undefined if one was
   * changed meanwhile, so that a file may have been read through a link: then the project is loaded with `carefully`.
   */
  load(project: Project, paths: Iterable<string>, carefully: boolean): ReconcileOutcome | undefined {
    if (carefully) return atOnce(this.#reconcile(this.#begin(project, { skipGracePeriods: true }), paths));
    const { clock, disk, projectsDirectory } = this.#deps;
    // The first start after a clone has just created `local/` in the root.
    const age = clock.now() - (disk.stat(dirname(projectsDirectory))?.ctimeMs ?? 0);
    clock.sleep(timeResolutionMs + 2 - Math.max(0, age));
    const since = clock.now();
    const scan = this.#begin(project, { skipGracePeriods: true, isCheckedAtEnd: true });
    const outcome = atOnce(this.#reconcile(scan, paths));
    return scan.realDirectories.areUnchanged(since) ? outcome : undefined;
  }

  /**
   * Reconciles these paths (files or directories, relative to the project), regardless of events. The caller holds the
   * project meanwhile, because the result is applied at the end.
   */
  reconcileSliced(project: Project, paths: Iterable<string>): Steps<ReconcileOutcome> {
    return this.#reconcile(this.#begin(project), paths);
  }

  *#reconcile(scan: Rescan, paths: Iterable<string>): Steps<ReconcileOutcome> {
    const files = yield* this.#expand(scan, paths);
    try {
      yield* this.#reconcileFiles(scan, files);
    } catch (error) {
      // What is known of files by now has to reach the index, or their edits would count as known ever after.
      if (scan.skipGracePeriods) throw error;
      this.#retry(scan, files, `Files of ${scan.project.shownPath('')}`, error);
    }
    for (const state of scan.gone) this.#forget(scan, state);
    this.#separateIds(scan);
    return yield* this.#finish(scan);
  }

  *#reconcileFiles(scan: Rescan, files: ReadonlySet<string>): Steps<void> {
    const folderFiles = [...files].filter((path) => nameOf(path) === folderFile).sort((a, b) => a.length - b.length);
    const others = new Set(files);
    const movedFrom = yield* this.#findMovedFolders(scan, folderFiles, files);
    for (const state of movedFrom.values()) this.#forget(scan, state);
    // Renamed folders first: a new one never gets the id of one of them.
    const folders = [...movedFrom.keys(), ...folderFiles.filter((one) => !movedFrom.has(one))];
    for (const path of folders) {
      others.delete(path);
      // The list grows: a folder below one with another id has another folder above it.
      for (const below of this.#reconcileFolder(scan, path, movedFrom.get(path)))
        if (nameOf(below) === folderFile) folders.push(below);
        else others.add(below);
      yield* this.#yield(scan);
    }
    for (const path of others) {
      this.#try(scan, path, () => this.#reconcileFile(scan, path));
      yield* this.#yield(scan);
    }
    yield* this.#lookElsewhere(scan, files);
    yield* this.#placeArrivals(scan);
  }

  #separateIds(scan: Rescan): void {
    const { project, touched, gone, identified, replaced, missing } = scan;
    const { collections } = this.#deps;
    const isNew = (id: string): boolean => touched.has(id) && touched.get(id)!.base === undefined;
    const readAs = (state: FileState, former: FileState | undefined): void => this.#readAs(scan, state, former);
    separateIds({ project, collections, isNew, readAs }, { gone, identified, displaced: [...replaced, ...missing] });
  }

  /** Reads a file again as if this were its former state. */
  #readAs(scan: Rescan, { path, collection: name, id }: FileState, former: FileState | undefined): void {
    const { project } = scan;
    const collection = this.#deps.collections.get(name)!;
    const stat = this.#statOf(this.#absolute(project, path));
    if (stat?.kind !== 'file') return;
    this.#touch(scan, id, collection);
    project.files.delete(path);
    this.#try(scan, path, () => this.#read(scan, collection, path, stat, undefined, former));
  }

  /**
   * Another file in the place of one without an id: what was there may be at a path that no event has named yet, since
   * the events of one git command arrive in several batches. Then all files are looked at.
   */
  *#lookElsewhere(scan: Rescan, seen: ReadonlySet<string>): Steps<void> {
    const { project, replaced, arrivals } = scan;
    const deps = this.#movedFilesDeps(project);
    const isReplaced = replaced.some((state) => isAnotherFile(deps, state));
    if (!isReplaced && !(yield* hasContentOfChanged(deps, arrivals))) return;
    const known = [...project.files.values()].map(({ path }) => path);
    for (const path of yield* this.#expand(scan, ['', ...known])) {
      if (seen.has(path) || nameOf(path) === folderFile) continue;
      this.#try(scan, path, () => this.#reconcileFile(scan, path));
      yield* this.#yield(scan);
    }
  }

  #movedFilesDeps(project: Project): MovedFilesDeps {
    const { collections, disk } = this.#deps;
    return {
      project,
      collections,
      stat: (path) => this.#statOf(this.#absolute(project, path)),
      bytesOf: ({ path, stat }) => disk.readSame(this.#absolute(project, path), stat),
    };
  }

  /** Reads the files at paths where none, or another one, was known. */
  *#placeArrivals(scan: Rescan): Steps<void> {
    const { project, arrivals, replaced } = scan;
    const deps = this.#movedFilesDeps(project);
    const moves = new Map<string, FileState>();
    for (const { arrival, state, replacement } of yield* findRenamedAndReplaced(deps, arrivals, replaced)) {
      this.#forget(scan, state);
      moves.set(arrival.path, state);
      arrivals.push(replacement);
    }
    for (const { path } of replaced) {
      if (project.files.at(path) !== undefined) this.#try(scan, path, () => this.#reconcileFile(scan, path, true));
      yield* this.#yield(scan);
    }
    if (arrivals.length === 0) return;
    const missing = [...scan.missing, ...this.#inGracePeriod(scan)];
    for (const [path, state] of yield* new MovedFiles(deps, arrivals, missing, moves).find()) moves.set(path, state);
    // Renamed files first: a new file never gets the id of one of them.
    const [renamed, others] = [true, false].map((isMoved) =>
      arrivals.filter(({ path }) => moves.has(path) === isMoved),
    );
    for (const { path, collection, stat } of [...renamed!, ...others!]) {
      this.#try(scan, path, () => this.#read(scan, collection, path, stat, undefined, moves.get(path)));
      yield* this.#yield(scan);
    }
  }

  /** Missing files whose grace period is not over, and that are not missing for this rescan. */
  *#inGracePeriod({ project, missing }: Rescan): Iterable<FileState> {
    const isMissing = new Set(missing);
    for (const path of project.undecided.vanished()) {
      const state = project.files.at(path);
      if (state !== undefined && !isMissing.has(state) && this.#statOf(this.#absolute(project, path)) === undefined)
        yield state;
    }
  }

  /** The files at and below these paths that differ from their known state. Changes nothing. */
  *changedAt(project: Project, paths: Iterable<string>): Steps<string[]> {
    const changed: string[] = [];
    for (const path of yield* this.#expand(this.#begin(project), paths)) {
      if (!this.isUnchanged(project, path)) changed.push(path);
      yield;
    }
    return changed;
  }

  *#yield(scan: Rescan): Steps<void> {
    yield;
    this.#forgetDirectories(scan);
  }

  #forgetDirectories(scan: Rescan): void {
    if (!scan.isCheckedAtEnd) scan.realDirectories = this.#newRealDirectories();
  }

  /** Forgets the record of a file that is going to be another record, unless another file serves it. */
  forget(project: Project, path: string): ReconcileOutcome {
    const scan = this.#begin(project);
    const state = project.files.at(path);
    if (state !== undefined) this.#forget(scan, state);
    project.formerPaths.delete(path);
    return atOnce(this.#finish(scan));
  }

  /**
   * Reconciles bytes that an editor saved into a file while it was being replaced or removed: merged as an edit of the
   * former content.
   */
  reconcileRacedSave(
    project: Project,
    path: string,
    former: FileState | undefined,
    bytes: Uint8Array,
  ): ReconcileOutcome {
    const scan = this.#begin(project);
    const collection = this.#deps.locations.at(path);
    const known = project.files.at(path);
    // A removed file has no state any more; the save is read as if it were still there.
    const { sha256, stamp } = known ?? former ?? {};
    const isLost = known === undefined && collection?.location.kind === 'folder';
    if (collection === undefined || isLost || sha256 == null || stamp === undefined) return atOnce(this.#finish(scan));
    const file = { path, collection, bytes, sha256, stat: stamp };
    const state = readState(this.contextOf(project), file, known === undefined ? former : undefined);
    if (state.unreadable !== undefined) return atOnce(this.#finish(scan));
    scan.touched.set(state.id, { collection, base: former?.record });
    // The file has our value, and the racing save has to be merged into it: the record is dirty from here on.
    project.files.set(state);
    const outcome = atOnce(this.#finish(scan));
    if (known === undefined) project.files.delete(path);
    else project.files.set(known);
    return outcome;
  }

  /** What reading a file of a project needs. */
  contextOf(project: Project): ReaderContext {
    return { ...this.#deps, project };
  }

  #begin(project: Project, { isCheckedAtEnd = false, skipGracePeriods = false }: Partial<Rescan> = {}): Rescan {
    return {
      project,
      isCheckedAtEnd,
      skipGracePeriods,
      arrivals: [],
      missing: [],
      replaced: [],
      identified: new Set(),
      gone: [],
      hasKnownFiles: project.files.size > 0,
      realDirectories: this.#newRealDirectories(),
      touched: new Map(),
      retryPaths: new Set(),
      retryAfterMs: deletionGraceMs,
    };
  }

  #newRealDirectories(): RealDirectories {
    return new RealDirectories(this.#deps.disk, dirname(this.#deps.projectsDirectory));
  }

  #absolute(project: Project, path: string): string {
    return `${this.#deps.projectsDirectory}/${project.directory}/${path}`;
  }

  #expand(scan: Rescan, paths: Iterable<string>): Steps<Set<string>> {
    const { project } = scan;
    const { disk, locations, projectsDirectory } = this.#deps;
    const top = `${projectsDirectory}/${project.directory}`;
    const statOf = (path: string): FileStat | undefined => {
      this.#forgetDirectories(scan);
      return scan.realDirectories.stat(path);
    };
    return filesAt({ disk, locations, project, top, statOf }, paths);
  }

  /** The former states of renamed folders without a file of their own, by present path. */
  *#findMovedFolders(
    { project, realDirectories, hasKnownFiles }: Rescan,
    paths: readonly string[],
    files: Iterable<string>,
  ): Steps<ReadonlyMap<string, FileState>> {
    if (!hasKnownFiles || project.claims.hasFolder) return new Map();
    const stat = (path: string): FileStat | undefined => realDirectories.stat(this.#absolute(project, path));
    const bytesOf = (path: string, known: FileStat): Buffer | undefined =>
      this.#deps.disk.readSame(this.#absolute(project, path), known);
    return yield* movedFolders({ project, files, stat, bytesOf }, paths);
  }

  /**
   * A directory of a tree is a folder, with or without a file of its own. Returns the files, and those of folders, to
   * read again because the folder's id changed.
   */
  #reconcileFolder(scan: Rescan, path: string, movedFrom: FileState | undefined): readonly string[] {
    const { project } = scan;
    if (project.claims.blocks(path)) {
      scan.retryPaths.add(path);
      return [];
    }
    // A folder's file that was written while git changed the tree is read now, whatever is in its place.
    project.dirty.seenAt(path);
    const collection = this.#deps.locations.at(path);
    const directory = directoryOf(path);
    const stat = scan.realDirectories.stat(this.#absolute(project, directory));
    const former = project.files.at(path);
    if (collection === undefined) return [];
    if (stat?.kind !== 'directory') {
      if (former !== undefined) this.#forget(scan, former);
      return [];
    }
    const absolute = this.#absolute(project, path);
    const fileStat = scan.realDirectories.stat(absolute);
    const state = folderState(
      this.contextOf(project),
      { collection, path, stat, fileStat, absolute },
      former ?? movedFrom,
    );
    if (state === former) return [];
    this.#replace(scan, state);
    if (former !== undefined && former.id === state.id) return [];
    return project.files.below(directory).flatMap((below) => (below.path === path ? [] : [below.path]));
  }

  /** A failure to read one file does not affect the others: it is retried. */
  #try(scan: Rescan, path: string, reconcile: () => void): void {
    try {
      reconcile();
    } catch (error) {
      this.#retry(scan, [path], scan.project.shownPath(path), error);
    }
  }

  #retry(scan: Rescan, paths: Iterable<string>, what: string, error: unknown): void {
    this.#deps.log(`${what} could not be read and will be read again: ${(error as Error).message}`);
    for (const path of paths) scan.retryPaths.add(path);
    scan.retryAfterMs = Math.max(scan.retryAfterMs, failedRetryMs);
  }

  /**
   * Whether a file matches its known state, by a single stat: if so, its events need no further action. One that differs
   * may be behind a link, and count as missing.
   */
  isUnchanged(project: Project, path: string): boolean {
    const former = project.files.at(path);
    const collection = this.#deps.locations.at(path);
    if (former === undefined || collection === undefined) return false;
    if (project.claims.blocks(path) || project.dirty.unverifiedAt(path) !== undefined) return false;
    const stat = this.#statOf(this.#absolute(project, path));
    if (stat?.kind !== 'file' || !this.#matchesState(project, collection, former, stat)) return false;
    project.undecided.on(path, { kind: 'seen' });
    return true;
  }

  /** A file whose stat fails does not match its known state. */
  #statOf(absolute: string): FileStat | undefined {
    try {
      return this.#deps.disk.stat(absolute);
    } catch {
      return undefined;
    }
  }

  #matchesState(project: Project, collection: Collection, former: FileState, stat: FileStat): boolean {
    return isAsKnown(former, stat) && !pathFieldsChanged(this.#deps, project, collection, former);
  }

  /** Files that may be others under another name are only noted. `isReplacement`: not that it is another file. */
  #reconcileFile(scan: Rescan, path: string, isReplacement = false): void {
    const { project, skipGracePeriods } = scan;
    if (isSegment(path) && !project.claims.has(path)) return this.reconcileSegment(project, path);
    const collection = this.#deps.locations.at(path);
    const former = project.files.at(path);
    if (project.claims.blocks(path)) {
      scan.retryPaths.add(path);
      return;
    }
    if (collection === undefined) return;
    const stat = scan.realDirectories.stat(this.#absolute(project, path));
    if (stat === undefined || stat.kind !== 'file') {
      this.#onMissingFile(scan, collection, path, former);
      return;
    }
    const isSame = former !== undefined && this.#matchesState(project, collection, former, stat);
    if (isSame || stat.size > 0) project.undecided.on(path, { kind: 'seen' });
    if (isSame && project.dirty.unverifiedAt(path) === undefined) return;
    if (!isReplacement && this.#isNoted(scan, { path, collection, stat }, former)) return;
    if (stat.size === 0 && former !== undefined) {
      const isImmediate = skipGracePeriods || this.#deps.clock.now() - stat.mtimeMs >= emptyFileGraceMs;
      const event = { kind: 'seenEmpty', at: this.#deps.clock.monotonic(), isImmediate } as const;
      if (!this.#isDecided(scan, path, event, emptyFileGraceMs)) return;
    }
    this.#read(scan, collection, path, stat, former);
  }

  /** Applies what was found at a path. Returns false if it is looked at again after a grace period. */
  #isDecided(scan: Rescan, path: string, event: PathEvent, graceMs = deletionGraceMs): boolean {
    if (!scan.project.undecided.on(path, event).includes('lookAgain')) return true;
    scan.retryPaths.add(path);
    scan.retryAfterMs = Math.max(scan.retryAfterMs, graceMs);
    return false;
  }

  /** Notes a file that may be a known one under another name, or has the place of such a file. */
  #isNoted(scan: Rescan, arrival: Arrival, former: FileState | undefined): boolean {
    const { path, collection, stat } = arrival;
    if (!keepsIdOnRename(collection, path) || scan.project.dirty.unverifiedAt(path) !== undefined) return false;
    if (former === undefined) return scan.hasKnownFiles && scan.arrivals.push(arrival) > 0;
    return !isSameInode(stat, former) && scan.replaced.push(former) > 0;
  }

  /** Called if there is no file at a path. */
  #onMissingFile(scan: Rescan, collection: Collection, path: string, former: FileState | undefined): void {
    const { project, gone, missing, skipGracePeriods } = scan;
    const kept = missingProjectState(this.#deps, project, collection, path, former);
    if (former === undefined) {
      project.dirty.seenAt(path);
      // A file that was deferred has gone again: it does not hold its record's other file any more.
      project.undecided.on(path, { kind: 'removed' });
      if (kept !== undefined) this.#replace(scan, kept);
      return;
    }
    if (kept === former) return void project.undecided.on(path, { kind: 'seen' });
    if (kept === undefined) missing.push(former);
    if (project.dirty.seenAt(path)) this.#touch(scan, former.id, collection);
    const isHeld = project.dirty.isBeingWritten(former.id) || project.undecided.isDeferred(former.id);
    const event = { kind: 'gone', at: this.#deps.clock.monotonic(), isImmediate: skipGracePeriods, isHeld } as const;
    if (!this.#isDecided(scan, path, event)) return;
    if (kept === undefined) return void gone.push(former);
    project.undecided.on(path, { kind: 'removed' });
    this.#deps.lastGood.update(project.code, former, kept);
    this.#replace(scan, kept);
  }

  #read(
    scan: Rescan,
    collection: Collection,
    path: string,
    stat: FileStat,
    former: FileState | undefined,
    movedFrom?: FileState,
  ): void {
    const { project, gone } = scan;
    if (stat.size > fileBytesMax(collection)) {
      project.dirty.seenAt(path);
      const state = oversizedState(this.contextOf(project), { path, collection, stat }, movedFrom);
      this.#deps.lastGood.update(project.code, former ?? movedFrom, state);
      this.#addFormerPaths(project, state.id, path, gone);
      return this.#replace(scan, state);
    }
    const bytes = this.#bytesOf(scan, path, stat);
    if (bytes === undefined) {
      scan.retryPaths.add(path);
      return;
    }
    const sha = sha256Of(bytes);
    const unverified = project.dirty.unverifiedAt(path);
    if (unverified?.record !== undefined && unverified.sha256 === sha) {
      project.dirty.seenAt(path);
      // The written value is what file and index have in common: a later change was made to the index alone.
      scan.touched.set(unverified.record.id, { collection, base: unverified.record });
      this.#addFormerPaths(project, unverified.record.id, path, gone);
      const written = { path, collection: collection.name, sha256: sha, stamp: stampOf(stat) };
      const { unreadable: _, ...now } = readState(this.contextOf(project), {
        path,
        collection,
        bytes,
        sha256: sha,
        stat,
      });
      this.#replace(scan, { ...now, ...written, id: unverified.record.id, record: unverified.record });
      return;
    }
    if (former?.sha256 === sha && !former.isRenamed && !pathFieldsChanged(this.#deps, project, collection, former)) {
      project.files.set(withStamp(former, stat));
      if (project.dirty.seenAt(path)) this.#touch(scan, former.id, collection);
      return;
    }
    const state = readState(this.contextOf(project), { path, collection, bytes, sha256: sha, stat }, movedFrom);
    if (project.dirty.isBeingWritten(state.id) || (former !== undefined && project.dirty.isBeingWritten(former.id)))
      return void this.#isDecided(scan, path, { kind: 'held', id: state.id });
    project.dirty.seenAt(path);
    this.#deps.lastGood.update(project.code, former ?? movedFrom, state);
    this.#addFormerPaths(project, state.id, path, gone);
    this.#replace(scan, state);
  }

  /** If another file with the same id is gone, it was moved here: adds it to `gone`. */
  #addFormerPaths(project: Project, id: string, path: string, gone: FileState[]): void {
    for (const other of project.files.of(id)) {
      if (other.path !== path && this.#deps.disk.stat(this.#absolute(project, other.path)) === undefined)
        gone.push(other);
    }
  }

  /** The content of the file that was statted; undefined if another file, or a link, has replaced it meanwhile. */
  #bytesOf({ project, isCheckedAtEnd }: Rescan, path: string, stat: FileStat): Buffer | undefined {
    const absolute = this.#absolute(project, path);
    const bytes = this.#deps.disk.readSame(absolute, stat);
    if (bytes === undefined || isCheckedAtEnd) return bytes;
    // Stat again after reading: if no link leads there now, the bytes are those of the file.
    const now = this.#newRealDirectories().stat(absolute);
    return now?.kind === 'file' && now.ino === stat.ino && now.dev === stat.dev ? bytes : undefined;
  }

  reconcileSegment(project: Project, path: string): void {
    const file = this.#absolute(project, path);
    reconcileSegment(project, path, file, this.#newRealDirectories().stat(file));
  }

  #replace(scan: Rescan, state: FileState): void {
    const former = scan.project.files.at(state.path);
    const collection = this.#deps.collections.get(state.collection);
    if (collection === undefined) return;
    if (former !== undefined && former.id !== state.id) this.#touch(scan, former.id, collection);
    if (former?.id !== state.id && state.hasExplicitId) scan.identified.add(state.path);
    this.#touch(scan, state.id, collection);
    scan.project.files.set(state);
  }

  #forget(scan: Rescan, state: FileState): void {
    const collection = this.#deps.collections.get(state.collection);
    if (collection === undefined || scan.project.files.at(state.path) !== state) return;
    this.#touch(scan, state.id, collection);
    scan.project.undecided.on(state.path, { kind: 'removed' });
    scan.project.files.delete(state.path);
    scan.project.rememberPath(state);
    const { files, code } = scan.project;
    if (state.unreadable === undefined || files.of(state.id).length > 0) return;
    try {
      this.#deps.lastGood.remove(code, state.id);
    } catch (error) {
      this.#deps.log(`The last good version of ${state.id} could not be removed: ${(error as Error).message}`);
    }
  }

  #touch(scan: Rescan, id: string, collection: Collection): void {
    if (!scan.touched.has(id)) scan.touched.set(id, { collection, base: scan.project.files.served(id)?.record });
  }

  *#finish({ project, touched, retryPaths, retryAfterMs }: Rescan): Steps<ReconcileOutcome> {
    const changes: Change[] = [];
    const theirs = new Map<string, StoredRecord>();
    const overridden: OverriddenValue[] = [];
    let stillPending = false;
    for (const [id, { collection: first, base }] of touched) {
      const file = project.files.served(id);
      const collection = (file === undefined ? undefined : this.#deps.collections.get(file.collection)) ?? first;
      const result = reconcileRecord({ project, collection, id, base, file, now: this.#deps.clock.now() });
      changes.push(...result.changes);
      if (result.overridden !== undefined) overridden.push(result.overridden);
      if (result.pending) stillPending = true;
      else project.dirty.on(id, { kind: 'settled' });
      this.#shareValue(project, file, result.changes.at(-1)?.to ?? project.index.record(id), result.pending, theirs);
      yield;
    }
    return { changes, theirs, overridden, retryPaths: [...retryPaths], retryAfterMs, stillPending };
  }

  /**
   * Index and file share one object in memory if their values are equal; otherwise the file's value is added to
   * `theirs`.
   */
  #shareValue(
    project: Project,
    file: FileState | undefined,
    to: StoredRecord | undefined,
    pending: boolean,
    theirs: Map<string, StoredRecord>,
  ): void {
    if (file?.record === undefined || to === undefined || file.record === to) return;
    const collection = this.#deps.collections.get(file.collection);
    if (collection === undefined) return;
    if (!pending || sameOnDisk(collection, file.record, to)) project.files.set({ ...file, record: to });
    else theirs.set(file.id, file.record);
  }
}
