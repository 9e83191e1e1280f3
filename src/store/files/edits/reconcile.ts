import { dirname } from 'node:path';
import { atOnce, eachInSteps, type Steps } from '../../../base/slices.ts';
import { directoryOf, folderFile, idByPath, nameOf } from '../../record/locations.ts';
import type { FileStat } from '../disk/disk.ts';
import { timeResolutionMs } from '../disk/real-directories.ts';
import type { FileState } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';
import { filesAt } from './files-at.ts';
import { readFolderRows } from './folder-rows-of.ts';
import { filesOfOthers } from './id-of-file.ts';
import { type ReaderContext, readState } from './read-state.ts';
import { overriddenSave } from './reconcile-record.ts';
import { matchesState, readFile, reconcileFile, reconcileFolder } from './reconcile-file.ts';
import { reconcileSegment } from './reconcile-segment.ts';
import { type Arrival, findRenamed } from './renamed-files.ts';
import { type ReconcileOutcome, Rescan, type RescanDeps } from './rescan.ts';

/**
 * Finds external edits of a project's files and reconciles them with the index. Events are hints: the file itself
 * decides.
 */
export class Reconciler {
  readonly #deps: RescanDeps;

  constructor(deps: RescanDeps) {
    this.#deps = deps;
  }

  /**
   * Reads all files of a project together, and accepts missing and empty ones. To check each file's directories before
   * and after it is read would take as long as the rest: they are checked once at the end. Returns undefined if one was
   * changed in between, so that a file may have been read through a link: then the project is loaded with `carefully`.
   */
  load(project: Project, paths: Iterable<string>, carefully: boolean): ReconcileOutcome | undefined {
    if (carefully) return atOnce(this.#reconcile(new Rescan(this.#deps, project, { skipGracePeriods: true }), paths));
    const { clock, disk, projectsDirectory } = this.#deps;
    // The first start after a clone has just created `local/` in the root.
    const age = clock.now() - (disk.stat(dirname(projectsDirectory))?.ctimeMs ?? 0);
    clock.sleep(timeResolutionMs + 2 - Math.max(0, age));
    const since = clock.now();
    const scan = new Rescan(this.#deps, project, { skipGracePeriods: true, isCheckedAtEnd: true });
    const outcome = atOnce(this.#reconcile(scan, paths));
    return scan.realDirectories.areUnchanged(since) ? outcome : undefined;
  }

  /**
   * Reconciles these paths (files or directories, relative to the project), regardless of events. The caller holds the
   * project during it, because the result is applied at the end.
   */
  reconcileSliced(project: Project, paths: Iterable<string>): Steps<ReconcileOutcome> {
    return this.#reconcile(new Rescan(this.#deps, project), paths);
  }

  *#reconcile(scan: Rescan, paths: Iterable<string>): Steps<ReconcileOutcome> {
    const asked = [...paths];
    const files = yield* this.#expand(scan, asked);
    try {
      yield* this.#reconcileFiles(scan, files, asked);
    } catch (error) {
      // The known facts of files have to reach the index, or their edits would count as known ever after.
      if (scan.skipGracePeriods) throw error;
      scan.retryFailed(files, `Files of ${scan.project.shownPath('')}`, error);
    }
    for (const state of scan.gone) {
      scan.project.forgetPathsOf(state.id);
      scan.forget(state);
    }
    for (const path of scan.identified) this.#separate(scan, path);
    for (const state of scan.vanished.sort((a, b) => b.path.length - a.path.length))
      if (this.#isGone(scan, state)) scan.forget(state);
      else scan.retry(state.path);
    return yield* scan.finish();
  }

  *#reconcileFiles(scan: Rescan, files: ReadonlySet<string>, asked: readonly string[]): Steps<void> {
    const rows = readFolderRows(scan, asked);
    const folderFiles = [...this.#withFolders(scan, new Set([...files, ...rows]))].sort(
      (a, b) => a.length - b.length || (a < b ? -1 : 1),
    );
    const others = new Set(files);
    // The list grows: a folder below one with another id has another folder above it.
    for (const path of folderFiles) {
      others.delete(path);
      for (const below of reconcileFolder(scan, path))
        if (nameOf(below) === folderFile) folderFiles.push(below);
        else others.add(below);
      yield* this.#yield(scan);
    }
    for (const path of others) {
      scan.try(path, () => reconcileFile(scan, path));
      yield* this.#yield(scan);
    }
    yield* this.#placeArrivals(scan);
  }

  /** Whether no file in a missing directory is a record, or another directory is the folder now. */
  #isGone({ project: { files } }: Rescan, { id, path }: FileState): boolean {
    return files.below(directoryOf(path)).length <= 1 || files.of(id).length > 1;
  }

  /** The files of the folders among these paths, and of unknown ones that the others are in. */
  #withFolders({ project }: Rescan, paths: ReadonlySet<string>): ReadonlySet<string> {
    const { locations } = this.#deps;
    const found = new Set<string>();
    for (const path of paths) {
      if (nameOf(path) === folderFile) found.add(path);
      for (let at = directoryOf(path); locations.isFolder(at); at = directoryOf(at)) {
        if (project.files.at(`${at}/${folderFile}`) !== undefined) break;
        found.add(`${at}/${folderFile}`);
      }
    }
    return found;
  }

  /** A file was found with an id that others have without containing it: they are read again, as files that are new. */
  #separate(scan: Rescan, path: string): void {
    const { project } = scan;
    const { collections } = this.#deps;
    for (const { path: other, collection: name, id } of filesOfOthers(project, collections, path)) {
      const collection = collections.get(name)!;
      const stat = this.#statOf(this.#absolute(project, other));
      if (stat?.kind !== 'file') continue;
      scan.touch(id, collection);
      project.files.delete(other);
      scan.try(other, () => readFile(scan, collection, other, stat, undefined));
    }
  }

  /** Reads the files at paths where none was known. */
  *#placeArrivals(scan: Rescan): Steps<void> {
    const { project, arrivals } = scan;
    if (arrivals.length === 0) return;
    for (const arrival of [...arrivals]) this.#missHolder(scan, arrival);
    const missing = yield* this.#missingFor(scan);
    const renamed = yield* findRenamed(arrivals, missing, ({ path, stat }) =>
      this.#deps.disk.readSame(this.#absolute(project, path), stat),
    );
    // Renamed files first: a new file never gets the id of one of them.
    const [moved, others] = [true, false].map((isMoved) =>
      arrivals.filter(({ path }) => renamed.has(path) === isMoved),
    );
    for (const { path, collection, stat } of [...moved!, ...others!]) {
      scan.try(path, () => readFile(scan, collection, path, stat, undefined, renamed.get(path)));
      yield* this.#yield(scan);
    }
  }

  /** An event of a new file may be reported before the one of the file that had its id: that one is looked at, too. */
  #missHolder(scan: Rescan, { path, collection }: Arrival): void {
    const { code, files, id, undecided } = scan.project;
    for (const { path: other } of files.of(idByPath(collection, code, id, path)))
      if (
        other !== path &&
        !undecided.isVanished(other) &&
        this.#statOf(this.#absolute(scan.project, other))?.kind !== 'file'
      )
        scan.try(other, () => reconcileFile(scan, other));
  }

  /**
   * The missing files of a rescan, and those that are missing by now: their grace period is not over, or an arriving file
   * has the inode of one that is being written.
   */
  *#missingFor({ project, missing, arrivals }: Rescan): Steps<readonly FileState[]> {
    const found = new Set(missing);
    const inodes = new Set<number | undefined>(arrivals.map(({ stat }) => stat.ino));
    yield* eachInSteps(project.files.values(), (state) => {
      const { path, stamp } = state;
      if (!inodes.has(stamp?.ino) && !project.undecided.isVanished(path)) return;
      if (this.#statOf(this.#absolute(project, path))?.kind !== 'file') found.add(state);
    });
    return [...found];
  }

  /** The files at and below these paths that differ from their known state. Changes nothing. */
  *changedAt(project: Project, paths: Iterable<string>): Steps<string[]> {
    const changed: string[] = [];
    for (const path of yield* this.#expand(new Rescan(this.#deps, project), paths)) {
      if (!this.isUnchanged(project, path)) changed.push(path);
      yield;
    }
    return changed;
  }

  *#yield(scan: Rescan): Steps<void> {
    yield;
    scan.forgetDirectories();
  }

  /** Forgets the record of a file that is going to be another record, unless another file serves it. */
  forget(project: Project, path: string): ReconcileOutcome {
    const scan = new Rescan(this.#deps, project);
    const state = project.files.at(path);
    if (state !== undefined) scan.forget(state);
    project.formerPaths.delete(path);
    return atOnce(scan.finish());
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
    const scan = new Rescan(this.#deps, project);
    const collection = this.#deps.locations.at(path);
    const known = project.files.at(path);
    // A removed file has no state any more; the save is read as if it were still there.
    const { sha256, stamp } = known ?? former ?? {};
    const isLost = known === undefined && collection?.location.kind === 'folder';
    if (collection === undefined || isLost || sha256 == null || stamp === undefined) return atOnce(scan.finish());
    const file = { path, collection, bytes, sha256, stat: stamp };
    const state = readState(this.contextOf(project), file, known === undefined ? former : undefined);
    if (state.unreadable !== undefined) return atOnce(scan.finish());
    const other = overriddenSave(project, collection, state, known ?? former);
    if (other !== undefined) return { ...atOnce(scan.finish()), overridden: [other] };
    scan.touched.set(state.id, { collection, base: former?.record });
    // A file that was moved while git changed the tree still counts as where it was, without the save.
    const elsewhere = former?.path === path ? undefined : project.files.delete(former?.path ?? '');
    // The file has our value, and the racing save has to be merged into it: the record is dirty from here on.
    project.files.set(state);
    const outcome = atOnce(scan.finish());
    project.files.delete(path);
    for (const one of [elsewhere, known]) if (one !== undefined) project.files.set(one);
    return outcome;
  }

  /** The inputs for reading a file of a project. */
  contextOf(project: Project): ReaderContext {
    return { ...this.#deps, project };
  }

  #absolute(project: Project, path: string): string {
    return `${this.#deps.projectsDirectory}/${project.directory}/${path}`;
  }

  #expand(scan: Rescan, paths: Iterable<string>): Steps<Set<string>> {
    const { project } = scan;
    const { disk, locations, projectsDirectory } = this.#deps;
    const top = `${projectsDirectory}/${project.directory}`;
    const statOf = (path: string): FileStat | undefined => {
      scan.forgetDirectories();
      return scan.realDirectories.stat(path);
    };
    return filesAt({ disk, locations, project, top, statOf }, paths);
  }

  /**
   * Returns whether a file matches its known state, by a single stat: if so, its events need no further action. One
   * that differs may be behind a link, and count as missing.
   */
  isUnchanged(project: Project, path: string): boolean {
    const former = project.files.at(path);
    const collection = this.#deps.locations.at(path);
    if (former === undefined || collection === undefined) return false;
    if (project.claims.blocks(path) || project.dirty.unverifiedAt(path) !== undefined) return false;
    const stat = this.#statOf(this.#absolute(project, path));
    if (stat?.kind !== 'file' || !matchesState(this.#deps, project, collection, former, stat)) return false;
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

  reconcileSegment(project: Project, path: string): void {
    const file = this.#absolute(project, path);
    reconcileSegment(project, path, file, new Rescan(this.#deps, project).realDirectories.stat(file));
  }
}
