import { hash } from 'node:crypto';
import { dirname } from 'node:path';
import type { Clock } from '../../../clock.ts';
import { limits } from '../../../limits.ts';
import { sameOnDisk } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import type { Disk, FileStat } from '../disk/disk.ts';
import { type FileState, sameStamp, stampOf } from '../project/file-table.ts';
import type { LastGood } from './last-good.ts';
import { directoryOf, folderFile, idByPath, nameOf, type PlaceMap } from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import { RealDirectories } from '../disk/real-directories.ts';
import { fileBytesMax, keptByPath, oversizedState, readState } from './read-state.ts';
import type { Change, StoredRecord } from '../../record/record.ts';
import { type Lost, settle } from './reconcile-record.ts';
import { assemble } from '../../record/assemble.ts';
import { atOnce, type Steps } from '../../../slices.ts';
import { isoTime } from '../../../clock.ts';

/** An empty file is believed to be meant only after this time: editors truncate before they write. */
const emptyBelievedMs = 2000;
/** A vanished file is looked at again after this time: editors and git delete before they write. */
const goneBelievedMs = 60;

/** A file that could not be looked at is looked at again after this time. */
const failedAgainMs = 1000;

/** What a look at the files brought. */
export interface Outcome {
  /** To be applied to the index, as one transaction. */
  readonly changes: readonly Change[];
  /** The file's value where the index's new value differs from it, by id. */
  readonly theirs: ReadonlyMap<string, StoredRecord>;
  readonly lost: readonly Lost[];
  /** Paths to be looked at again, and after how many milliseconds. */
  readonly again: readonly string[];
  readonly againAfterMs: number;
  /** Pending records whose file could not take them as they were: write again. */
  readonly stillPending: boolean;
}

interface Look {
  readonly project: Project;
  /** Of this slice: a directory may become a link between two slices. */
  real: RealDirectories;
  /** What index and file last had in common, by the ids whose files changed. */
  readonly touched: Map<string, { readonly collection: Collection; readonly base: StoredRecord | undefined }>;
  readonly again: Set<string>;
  againAfterMs: number;
}

export interface ReconcilerParts {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly projectsDirectory: string;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly places: PlaceMap;
  readonly lastGood: LastGood;
  readonly log: (message: string) => void;
}

/** Finds out what people and git did to a project's files, and brings index and files together. Events are hints: the truth is the file. */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  readonly #goneSince = new Map<string, number>();
  /** Since when a file is known to be empty, by the monotonic clock: its own time may be set, or lie in the future. */
  readonly #emptySince = new Map<string, number>();

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
  }

  /** Looks at these paths (files or directories, relative to the project) whatever was heard of them. `believe` skips the second looks. */
  look(project: Project, paths: Iterable<string>, believe = false): Outcome {
    return atOnce(this.lookSliced(project, paths, believe));
  }

  /** The same, interruptible: the project is held meanwhile, for what was looked at is taken up at the end. */
  *lookSliced(project: Project, paths: Iterable<string>, believe = false): Steps<Outcome> {
    const look = this.#begin(project);
    const files = yield* this.#expand(look, paths);
    const folderFiles = [...files].filter((path) => nameOf(path) === folderFile).sort((a, b) => a.length - b.length);
    const others = new Set(files);
    for (const path of folderFiles) {
      others.delete(path);
      for (const below of this.#lookAtFolder(look, path)) others.add(below);
      yield* this.#pause(look);
    }
    const gone: FileState[] = [];
    for (const path of others) {
      this.#lookSafely(look, path, gone, believe);
      yield* this.#pause(look);
    }
    for (const state of gone) this.#forget(look, state);
    return yield* this.#settleAll(look);
  }

  /** The files at and below these paths that are not as they were left: those that a look has to be about. Changes nothing. */
  *changedAt(project: Project, paths: Iterable<string>): Steps<string[]> {
    const changed: string[] = [];
    for (const path of yield* this.#expand(this.#begin(project), paths)) {
      if (!this.isAsKnown(project, path)) changed.push(path);
      yield;
    }
    return changed;
  }

  *#pause(look: Look): Steps<void> {
    yield;
    look.real = this.#real();
  }

  /** A file that is going to be another record: what it was goes, unless another file serves it. */
  forget(project: Project, path: string): Outcome {
    const look = this.#begin(project);
    const state = project.files.at(path);
    if (state !== undefined) this.#forget(look, state);
    project.formerPaths.delete(path);
    return atOnce(this.#settleAll(look));
  }

  /** Bytes that a racing editor left in a file that was replaced meanwhile: an edit of what was there before, merged like any. */
  lookAtRaced(project: Project, path: string, base: StoredRecord | undefined, bytes: Uint8Array): Outcome {
    const look = this.#begin(project);
    const collection = this.#parts.places.at(path);
    const known = project.files.at(path);
    const stat = look.real.stat(this.#absolute(project, path));
    if (collection === undefined || known === undefined || stat === undefined) return atOnce(this.#settleAll(look));
    const state = readState({ ...this.#parts, project }, { path, collection, bytes, sha256: known.sha256, stat });
    if (state.unreadable !== undefined) return atOnce(this.#settleAll(look));
    look.touched.set(state.id, { collection, base });
    // The file holds our value, the racing one has to be merged into it: pending from here on.
    project.files.set({ ...state, stamp: known.stamp });
    const outcome = atOnce(this.#settleAll(look));
    project.files.set(known);
    return outcome;
  }

  #begin(project: Project): Look {
    return { project, real: this.#real(), touched: new Map(), again: new Set(), againAfterMs: goneBelievedMs };
  }

  #real(): RealDirectories {
    return new RealDirectories(this.#parts.disk, dirname(this.#parts.projectsDirectory));
  }

  #absolute(project: Project, path: string): string {
    return `${this.#parts.projectsDirectory}/${project.directory}/${path}`;
  }

  /** Directories become the files in them: those on disk and those that were known. */
  *#expand(look: Look, paths: Iterable<string>): Steps<Set<string>> {
    const { project } = look;
    const files = new Set<string>();
    for (const path of paths) {
      if (project.files.at(path) !== undefined || this.#parts.places.at(path) !== undefined || isSegment(path))
        files.add(path);
      // What can hold no record is not looked at: somebody may make a hundred thousand files of it.
      else if (path === '' || this.#parts.places.mayHold(path)) yield* this.#expandDirectory(look, path, files);
    }
    return files;
  }

  *#expandDirectory(look: Look, directory: string, files: Set<string>): Steps<void> {
    const { project } = look;
    yield* this.#pause(look);
    const stat = look.real.stat(
      directory === '' ? this.#parts.projectsDirectory + '/' + project.directory : this.#absolute(project, directory),
    );
    if (stat?.kind !== 'directory')
      for (const { path } of directory === '' ? project.files.values() : project.files.below(directory))
        files.add(path);
    if (this.#isTreeDirectory(directory)) files.add(`${directory}/${folderFile}`);
    if (stat?.kind === 'directory') yield* this.#walk(project, directory, files);
  }

  *#walk(project: Project, directory: string, files: Set<string>): Steps<void> {
    const directories: string[] = [];
    const found: string[] = [];
    for (const { name, kind } of this.#parts.disk.entries(this.#absolute(project, directory))) {
      const path = directory === '' ? name : `${directory}/${name}`;
      if (kind === 'directory' && !name.startsWith('.') && this.#parts.places.mayHold(path)) directories.push(path);
      else if (kind === 'file' && (this.#parts.places.at(path) !== undefined || isSegment(path))) found.push(path);
      yield;
    }
    // The same order on every file system.
    for (const path of found.sort()) files.add(path);
    for (const path of directories.sort()) {
      if (this.#isTreeDirectory(path)) files.add(`${path}/${folderFile}`);
      yield* this.#walk(project, path, files);
    }
  }

  #isTreeDirectory(path: string): boolean {
    const parts = path.split('/');
    return (
      parts.length > 1 &&
      this.#parts.places.foldersOf(parts[0] ?? '') !== undefined &&
      !parts.some((part) => part.startsWith('.'))
    );
  }

  /** A directory of a tree is a folder, with or without a file of its own. Answers the files to read anew because the folder's id changed. */
  #lookAtFolder(look: Look, path: string): readonly string[] {
    const { project } = look;
    if (project.isInFlight(path) || project.moving > 0) {
      look.again.add(path);
      return [];
    }
    const collection = this.#parts.places.at(path);
    const directory = directoryOf(path);
    const stat = look.real.stat(this.#absolute(project, directory));
    const former = project.files.at(path);
    if (collection === undefined) return [];
    if (stat?.kind !== 'directory') {
      if (former !== undefined) this.#forget(look, former);
      return [];
    }
    const state = this.#folderState(look, collection, path, stat, former);
    if (state === former) return [];
    this.#replace(look, state);
    if (former !== undefined && former.id === state.id) return [];
    // A folder without a file of its own, this one among them, has none that could be gone.
    return project.files.below(directory).flatMap((below) => (below.sha256 === '' ? [] : [below.path]));
  }

  #folderState(
    look: Look,
    collection: Collection,
    path: string,
    directoryStat: FileStat,
    former: FileState | undefined,
  ): FileState {
    const { project } = look;
    const context = { ...this.#parts, project };
    const fileStat = look.real.stat(this.#absolute(project, path));
    if (fileStat?.kind === 'file') {
      if (former !== undefined && sameStamp(former.stamp, stampOf(fileStat))) return former;
      const bytes = this.#parts.disk.readIfThere(this.#absolute(project, path));
      if (bytes !== undefined)
        return readState(context, { path, collection, bytes, sha256: sha256(bytes), stat: fileStat });
    }
    if (former !== undefined && !former.saysId) return former;
    const id = idByPath(collection, project.code, project.id, path);
    const placement = {
      id,
      code: project.code,
      createdAt: isoTime(directoryStat.mtimeMs),
      revisedAt: undefined,
      kept: keptByPath(context, collection, path),
    };
    const record = assemble(collection, {}, placement);
    return {
      path,
      collection: collection.name,
      id,
      saysId: false,
      sha256: '',
      stamp: { size: -1, mtimeMs: 0, ctimeMs: 0, ino: 0 },
      record,
    };
  }

  /** One file that the disk does not show at present keeps nobody from seeing the others: it is looked at again. */
  #lookSafely(look: Look, path: string, gone: FileState[], believe: boolean): void {
    try {
      this.#lookAtFile(look, path, gone, believe);
    } catch (error) {
      this.#parts.log(`${look.project.shownPath(path)} could not be looked at: ${(error as Error).message}`);
      look.again.add(path);
      look.againAfterMs = Math.max(look.againAfterMs, failedAgainMs);
    }
  }

  /** Whether a file is as it was left, by one look at its stat: nothing more is to be done about what was heard of it. */
  isAsKnown(project: Project, path: string): boolean {
    const former = project.files.at(path);
    const collection = this.#parts.places.at(path);
    if (former === undefined || collection === undefined) return false;
    if (project.isInFlight(path) || project.moving > 0 || project.suspects.has(path)) return false;
    const stat = this.#statOf(this.#absolute(project, path));
    if (stat?.kind !== 'file') return false;
    this.#goneSince.delete(this.#absolute(project, path));
    return this.#isAsLeft(project, collection, former, stat);
  }

  /** What the disk does not show at present is not as it was left. */
  #statOf(absolute: string): FileStat | undefined {
    try {
      return this.#parts.disk.stat(absolute);
    } catch {
      return undefined;
    }
  }

  #isAsLeft(project: Project, collection: Collection, former: FileState, stat: FileStat): boolean {
    return sameStamp(former.stamp, stampOf(stat)) && !this.#keptChanged(project, collection, former);
  }

  #lookAtFile(look: Look, path: string, gone: FileState[], believe: boolean): void {
    const { project } = look;
    project.heldBack.delete(path);
    if (isSegment(path) && !project.isInFlight(path)) return this.lookAtSegment(project, path);
    const collection = this.#parts.places.at(path);
    const former = project.files.at(path);
    if (project.isInFlight(path) || project.moving > 0) {
      look.again.add(path);
      return;
    }
    if (collection === undefined) return;
    const stat = look.real.stat(this.#absolute(project, path));
    if (stat === undefined || stat.kind !== 'file') {
      this.#lookForFormer(look, collection, path, former, gone, believe);
      return;
    }
    this.#goneSince.delete(this.#absolute(project, path));
    const left = former !== undefined && this.#isAsLeft(project, collection, former, stat);
    if (left && !project.suspects.has(path)) return;
    if (stat.size === 0 && former !== undefined && !believe && !this.#isMeantEmpty(project, path, stat)) {
      look.again.add(path);
      look.againAfterMs = Math.max(look.againAfterMs, emptyBelievedMs);
      return;
    }
    if (stat.size > 0) this.#emptySince.delete(this.#absolute(project, path));
    this.#read(look, collection, path, stat, former, gone);
  }

  /** No file is at a path. */
  #lookForFormer(
    look: Look,
    collection: Collection,
    path: string,
    former: FileState | undefined,
    gone: FileState[],
    believe: boolean,
  ): void {
    const { project } = look;
    this.#emptySince.delete(this.#absolute(project, path));
    if (former === undefined) project.suspects.delete(path);
    else if (project.isBeingWritten(former.id)) look.again.add(path);
    else {
      if (project.suspects.delete(path)) this.#touch(look, former.id, collection);
      if (this.#isGone(look, former, believe)) gone.push(former);
    }
  }

  /** Emptied for so long that no editor is going to write it any more. */
  #isMeantEmpty(project: Project, path: string, stat: FileStat): boolean {
    const key = this.#absolute(project, path);
    const now = this.#parts.clock.monotonic();
    const since = this.#emptySince.get(key) ?? now;
    const meant = now - since >= emptyBelievedMs || this.#parts.clock.now() - stat.mtimeMs >= emptyBelievedMs;
    if (meant) this.#emptySince.delete(key);
    else this.#emptySince.set(key, since);
    return meant;
  }

  #read(
    look: Look,
    collection: Collection,
    path: string,
    stat: FileStat,
    former: FileState | undefined,
    gone: FileState[],
  ): void {
    const { project } = look;
    if (stat.size > fileBytesMax(collection)) {
      project.suspects.delete(path);
      const state = oversizedState({ ...this.#parts, project }, { path, collection, stat });
      this.#keepLastGood(project, former, state);
      return this.#replace(look, state);
    }
    const bytes = this.#bytesOf(project, path, stat);
    if (bytes === undefined) {
      look.again.add(path);
      return;
    }
    const sha = sha256(bytes);
    const suspect = project.suspects.get(path);
    if (suspect?.record !== undefined && suspect.sha256 === sha) {
      project.suspects.delete(path);
      // What was written here is what file and index have in common: a change since then is one of the index alone.
      look.touched.set(suspect.record.id, { collection, base: suspect.record });
      this.#movedHere(project, suspect.record.id, path, gone);
      this.#replace(look, {
        path,
        collection: collection.name,
        id: suspect.record.id,
        saysId: true,
        sha256: sha,
        stamp: stampOf(stat),
        record: suspect.record,
      });
      return;
    }
    if (former !== undefined && former.sha256 === sha && !this.#keptChanged(project, collection, former)) {
      project.suspects.delete(path);
      project.files.set({ ...former, stamp: stampOf(stat) });
      if (suspect !== undefined) this.#touch(look, former.id, collection);
      return;
    }
    const state = readState({ ...this.#parts, project }, { path, collection, bytes, sha256: sha, stat });
    if (project.isBeingWritten(state.id) || (former !== undefined && project.isBeingWritten(former.id))) {
      project.heldBack.set(path, state.id);
      look.again.add(path);
      return;
    }
    project.suspects.delete(path);
    this.#keepLastGood(project, former, state);
    this.#movedHere(project, state.id, path, gone);
    this.#replace(look, state);
  }

  /** The same id at another path: if that file is gone, it was moved here. */
  #movedHere(project: Project, id: string, path: string, gone: FileState[]): void {
    for (const other of project.files.of(id)) {
      if (other.path !== path && this.#parts.disk.stat(this.#absolute(project, other.path)) === undefined)
        gone.push(other);
    }
  }

  /** The content of the file that was looked at; undefined where another one, or a link, has taken its place meanwhile. */
  #bytesOf(project: Project, path: string, { ino, dev }: FileStat): Buffer | undefined {
    const absolute = this.#absolute(project, path);
    const bytes = this.#parts.disk.readIfThere(absolute);
    // Looked at behind the reading: what lies there by no link now is what was read.
    const now = bytes && this.#real().stat(absolute);
    return now?.kind === 'file' && now.ino === ino && now.dev === dev ? bytes : undefined;
  }

  /** A document whose directory became another folder is read anew although its bytes are the same. */
  #keptChanged(project: Project, collection: Collection, state: FileState): boolean {
    const record = state.record as unknown as Record<string, unknown> | undefined;
    if (record === undefined || collection.place.kind !== 'tree') return false;
    const kept = keptByPath({ project, places: this.#parts.places }, collection, state.path);
    return Object.entries(kept).some(([field, value]) => record[field] !== value);
  }

  #keepLastGood(project: Project, former: FileState | undefined, state: FileState): void {
    const { lastGood } = this.#parts;
    if (state.unreadable !== undefined && former?.unreadable === undefined && state.record !== undefined)
      lastGood.write(project.code, state.record);
    if (state.unreadable === undefined && former?.unreadable !== undefined) lastGood.remove(project.code, state.id);
  }

  #isGone(look: Look, state: FileState, believe: boolean): boolean {
    const key = this.#absolute(look.project, state.path);
    const now = this.#parts.clock.monotonic();
    const since = this.#goneSince.get(key);
    if (look.project.heldBack.size > 0 && [...look.project.heldBack.values()].includes(state.id)) {
      look.again.add(state.path);
      return false;
    }
    if (believe || (since !== undefined && now - since >= goneBelievedMs)) {
      this.#goneSince.delete(key);
      return true;
    }
    if (since === undefined) this.#goneSince.set(key, now);
    look.again.add(state.path);
    return false;
  }

  /** Lines of history that arrive (a pull) or go (a checkout). */
  lookAtSegment(project: Project, path: string): void {
    const file = this.#absolute(project, path);
    const stat = this.#real().stat(file);
    const known = project.segments.get(path);
    if (stat?.kind === 'file' && known !== undefined && sameStamp(known, stampOf(stat))) return;
    if (stat?.kind === 'file') project.segments.set(path, stampOf(stat));
    else project.segments.delete(path);
    project.history.dropSegment(file);
    const readable = stat?.kind === 'file' && stat.size <= limits.historySegmentBytesMax;
    const { badLines } = readable ? project.history.addSegment(file) : { badLines: [] };
    const [line = stat?.kind === 'file' && !readable ? 1 : undefined] = badLines;
    if (line === undefined) project.otherProblems.delete(path);
    else
      project.otherProblems.set(path, {
        path: project.shownPath(path),
        kind: 'unreadable_history',
        line,
        reason: readable ? 'The line is no revision.' : `The file is over ${limits.historySegmentBytesMax} bytes.`,
        remedy: 'Remove the line, or check the file out again.',
      });
  }

  #replace(look: Look, state: FileState): void {
    const former = look.project.files.at(state.path);
    const collection = this.#parts.collections.get(state.collection);
    if (collection === undefined) return;
    if (former !== undefined && former.id !== state.id) this.#touch(look, former.id, collection);
    this.#touch(look, state.id, collection);
    look.project.files.set(state);
  }

  #forget(look: Look, state: FileState): void {
    const collection = this.#parts.collections.get(state.collection);
    if (collection === undefined || look.project.files.at(state.path) !== state) return;
    this.#touch(look, state.id, collection);
    look.project.files.delete(state.path);
    if (state.unreadable !== undefined) this.#parts.lastGood.remove(look.project.code, state.id);
    look.project.rememberPath(state);
  }

  #touch(look: Look, id: string, collection: Collection): void {
    if (!look.touched.has(id)) look.touched.set(id, { collection, base: look.project.files.served(id)?.record });
  }

  *#settleAll({ project, touched, again, againAfterMs }: Look): Steps<Outcome> {
    const changes: Change[] = [];
    const theirs = new Map<string, StoredRecord>();
    const lost: Lost[] = [];
    let stillPending = false;
    for (const [id, { collection: first, base }] of touched) {
      const file = project.files.served(id);
      const collection = (file === undefined ? undefined : this.#parts.collections.get(file.collection)) ?? first;
      const settled = settle({ project, collection, id, base, file, now: this.#parts.clock.now() });
      changes.push(...settled.changes);
      if (settled.lost !== undefined) lost.push(settled.lost);
      if (settled.pending) stillPending = true;
      else project.settled(id);
      this.#share(project, file, settled.changes.at(-1)?.to ?? project.index.record(id), settled.pending, theirs);
      yield;
    }
    return { changes, theirs, lost, again: [...again], againAfterMs, stillPending };
  }

  /** Index and file hold one value in memory where they are equal; else the file's is told apart. */
  #share(
    project: Project,
    file: FileState | undefined,
    to: StoredRecord | undefined,
    pending: boolean,
    theirs: Map<string, StoredRecord>,
  ): void {
    if (file?.record === undefined || to === undefined || file.record === to) return;
    const collection = this.#parts.collections.get(file.collection);
    if (collection === undefined) return;
    if (!pending || sameOnDisk(collection, file.record, to)) project.files.set({ ...file, record: to });
    else theirs.set(file.id, file.record);
  }
}

export function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** A segment of history: appended lines, no records. */
export function isSegment(path: string): boolean {
  return /^history\/[^/]+\/[^/.][^/]*\.jsonl$/.test(path);
}
