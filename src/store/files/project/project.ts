import type { Collection } from '../../record/collection.ts';
import { foldName } from '../../record/file-name.ts';
import { type FileState, FileTable, StampTable } from './file-table.ts';
import { Exclusive } from './exclusive.ts';
import type { HistoryIndex } from './history.ts';
import { directoryOf, folderFile, idByPath, nameOf } from '../../record/locations.ts';
import { StoredIds } from './stored-ids.ts';
import type { ProjectIndex } from '../../index/project-index.ts';
import type { StoredRecord } from '../../record/record.ts';
import type { Problem, RecordProblem, Remedy, StagedBytes } from '../../record/read-transaction.ts';

/** A dirty record: its latest value is not in its file yet. */
export interface Pending {
  readonly collection: string;
  /**
   * Journal position of the first change that no write has taken up; Infinity if the only change is the one being
   * written.
   */
  position: number;
  /**
   * Position of the first change that is being written; Infinity if none is. The journal is kept from the smaller of
   * both positions.
   */
  writing: number;
  /** Position of the last change: it must be durable before a file may contain it. */
  latest: number;
  /** Write the file although the record is unchanged, to add its id. */
  force: boolean;
  /** Why the change is parked. A parked change does not block others. */
  parked?: Problem | undefined;
  /** The change that has to be written first. While it is parked, this change is parked too. */
  blockedBy?: Pending | undefined;
}

/** Why a pending change cannot be written now. */
export function parkedOf({ parked, blockedBy }: Pending): Problem | undefined {
  return parked ?? blockedBy?.parked;
}

/** A file written during a git operation. It is confirmed if it still has this content after the operation. */
export interface UnconfirmedWrite {
  readonly id: string;
  /** The hash and the value that were written; null and undefined for a removal. */
  readonly sha256: string | null;
  readonly record: StoredRecord | undefined;
}

/** Bytes that are staged until the checkpointer moves them beside the record's file; `from` is their staged path. */
export interface PendingAttachment extends StagedBytes {
  readonly from: string;
}

/** An attachment's file as last inspected. */
export interface KnownAttachment {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  /** Undefined if it has not been read yet. */
  readonly sha256: string | undefined;
}

/** A notice of an overridden value. */
export interface Notice extends Problem {
  readonly at: string;
}

/** The problem of a path that differs from another one in normalisation alone. */
export function twinProblem(path: string, other: string): Problem {
  const reason = `${sameName(other)}.`;
  const remedy = 'Rename one of the two: macOS takes them for one, and a checkout of git there has only one of them.';
  return { path, kind: 'same_name', reason, remedy };
}

function sameName(other: string): string {
  return `Its name and that of ${other} differ in their Unicode normalisation alone (NFC, NFD)`;
}

const copyRemedy: Remedy = { code: 'separate_copy' };
const noticesMax = 200;
/** The files that the note about their common id names. */
const namedFilesMax = 20;
const formerPathsMax = 1000;

/** One project: its index and the state of its files. */
export class Project {
  readonly id: string;
  readonly code: string;
  /** The directory's name below `projects/`. A person may rename it while the project is served. */
  directory: string;
  readonly index: ProjectIndex;
  readonly history: HistoryIndex;
  readonly files: FileTable;
  /** Held while a change is applied in slices: meanwhile only that change accesses index, files and pending changes. */
  readonly exclusive = new Exclusive();
  readonly pending = new Map<string, Pending>();
  readonly unconfirmedWrites = new Map<string, UnconfirmedWrite>();
  /**
   * Files whose rescan is deferred until the outcome of a write is known, with the ids they contain: these records are
   * not deleted.
   */
  readonly deferredRescans = new Map<string, string>();
  /** By the ids of the records that reference them. */
  readonly pendingAttachments = new Map<string, PendingAttachment>();
  readonly knownAttachments = new Map<string, KnownAttachment>();
  /** Paths that are being written now, and the same folded, so that no other record is assigned one of them. */
  readonly #inFlight = new Map<string, { readonly folded: string; eventCount: number }>();
  readonly #inFlightFolded = new Set<string>();
  /** The number of folders that are being moved, or whose own files are being written. */
  foldersInFlight = 0;
  /** Former states by path: a file that reappears at a path is the record that it was. */
  readonly formerPaths = new Map<string, FileState>();
  /** Kept ids of files as they were stored, by path: until the files are read at the opening. */
  storedIds = new StoredIds();
  /** History segments as last read or written, by path. */
  readonly segments = new StampTable();
  /** The displayed path of this id's file in another project; undefined if no other project has it. */
  readonly #pathInOtherProject: (id: string) => string | undefined;
  readonly notices: Notice[] = [];
  /**
   * Problems that do not belong to a single record file, by path: a broken line of history, a second directory of the
   * project.
   */
  readonly otherProblems = new Map<string, Problem>();
  /** The problems of names that are not UTF-8, by the directory that contains them. */
  readonly invalidNames = new Map<string, readonly Problem[]>();
  /** Seq and id of the last journal entry. */
  seq = 0;
  lastEntry: string | null = null;

  constructor(
    deps: Pick<Project, 'id' | 'code' | 'directory' | 'index' | 'history'> & {
      readonly pathInOtherProject: (id: string) => string | undefined;
    },
  ) {
    this.id = deps.id;
    this.code = deps.code;
    this.directory = deps.directory;
    this.index = deps.index;
    this.history = deps.history;
    this.#pathInOtherProject = deps.pathInOtherProject;
    this.files = new FileTable(deps.code);
  }

  /** Size of the record files and the history on disk, and of all attachments. Pending changes are not included. */
  get storedBytes(): number {
    return this.files.bytes + this.segments.bytes + this.index.attachedBytes;
  }

  get writing(): boolean {
    return this.#inFlight.size > 0;
  }

  isInFlight(path: string): boolean {
    return this.#inFlight.has(path);
  }

  /**
   * Whether a value of this record is being written. Until the outcome is known, another file with this id cannot be
   * distinguished from one that was moved while it was written.
   */
  isBeingWritten(id: string): boolean {
    return (this.pending.get(id)?.writing ?? Infinity) !== Infinity;
  }

  /** Whether a path is being written, ignoring letter case. */
  isClaimed(path: string): boolean {
    return this.#inFlightFolded.has(foldName(path));
  }

  claim(path: string): void {
    const folded = foldName(path);
    this.#inFlight.set(path, { folded, eventCount: 0 });
    this.#inFlightFolded.add(folded);
  }

  /** Ends a claim. Returns the number of events for the path since it was claimed. */
  release(path: string): number {
    const claim = this.#inFlight.get(path);
    if (claim === undefined) return 0;
    this.#inFlight.delete(path);
    this.#inFlightFolded.delete(claim.folded);
    return claim.eventCount;
  }

  /**
   * Counts events for a path that is being written; after the write the checkpointer compares the count with its own
   * events. Returns false if the path is not being written.
   */
  countEvents(path: string, events: number): boolean {
    const claim = this.#inFlight.get(path);
    if (claim === undefined) return false;
    claim.eventCount += events;
    return true;
  }

  /** The displayed path: relative to the directory that contains `.planner`. */
  shownPath(path: string): string {
    return `.planner/projects/${this.directory}/${path}`;
  }

  addNotice(notice: Notice): void {
    this.notices.push(notice);
    if (this.notices.length > noticesMax) this.notices.shift();
  }

  rememberPath(state: FileState): void {
    this.formerPaths.delete(state.path);
    this.formerPaths.set(state.path, state);
    if (this.formerPaths.size > formerPathsMax) this.formerPaths.delete(this.formerPaths.keys().next().value ?? '');
  }

  /** Marks a record dirty by a change at this journal position. */
  markDirty(id: string, collection: string, position: number, force = false): void {
    const pending = this.pending.get(id);
    if (pending === undefined)
      this.pending.set(id, { collection, position, writing: Infinity, latest: position, force });
    else {
      pending.latest = Math.max(pending.latest, position);
      if (position < pending.position) pending.position = position;
      pending.force ||= force;
    }
  }

  /**
   * Index and file have the same value: the record is clean, except for a write in progress, which updates the state
   * when it ends.
   */
  markClean(id: string): void {
    const pending = this.pending.get(id);
    if (pending === undefined) return;
    if (pending.writing === Infinity) this.pending.delete(id);
    else pending.position = Infinity;
  }

  /** The oldest journal position that the project's files and history still need. */
  get oldestNeeded(): number {
    let oldest = this.history.oldestWaiting;
    for (const { position, writing } of this.pending.values()) oldest = Math.min(oldest, position, writing);
    return oldest;
  }

  /** Every problem of the project's files, then the latest notices. */
  problems(): readonly Problem[] {
    const found: Problem[] = [...this.otherProblems.values()];
    for (const path of this.files.unreadable) {
      const problem = this.files.at(path)?.unreadable;
      if (problem !== undefined) found.push(problem);
    }
    for (const names of this.invalidNames.values()) found.push(...names);
    for (const paths of this.files.twins()) found.push(...this.#twins(paths));
    for (const path of this.files.noted) found.push(...this.#notes(path));
    for (const id of this.files.sharedIds()) found.push(...this.#sharedId(id));
    for (const id of this.files.duplicates) found.push(...this.#duplicates(id));
    for (const { state, reason } of this.copiesFromOtherProjects())
      found.push({ path: this.shownPath(state.path), kind: 'duplicate_id', reason, id: state.id, remedy: copyRemedy });
    found.push(...this.withPaths(this.index.problems()));
    for (const { parked } of this.pending.values()) if (parked !== undefined) found.push(parked);
    found.sort((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1));
    return [...found, ...this.notices];
  }

  /** What is ignored in a file's front matter. */
  #notes(path: string): Problem[] {
    const state = this.files.at(path);
    return (state?.notes ?? []).map(({ line, reason }) => ({
      path: this.shownPath(path),
      kind: 'ignored_value',
      severity: 'note',
      line,
      id: state!.id,
      reason,
      remedy: 'The file is served without it. Change it if Planner is to read it; else nothing needs to be done.',
    }));
  }

  /** Files and folders whose paths differ in normalisation alone. The composed one comes first. */
  #twins(paths: readonly string[]): Problem[] {
    const placeOf = (path: string): string => (nameOf(path) === folderFile ? directoryOf(path) : path);
    const first = placeOf(paths[0] ?? '');
    return paths.slice(1).flatMap((path) => {
      const place = placeOf(path);
      // If their directories are twins, it is those that have to be renamed.
      if (directoryOf(place) !== directoryOf(first)) return [];
      const { id } = this.files.at(path)!;
      // Two that derive one id are listed as its files.
      if (id === this.files.at(paths[0]!)?.id) return [];
      return [{ ...twinProblem(this.shownPath(place), this.shownPath(first)), id }];
    });
  }

  /** Adds to each problem the path of its record's file. */
  withPaths(problems: Iterable<RecordProblem>): Problem[] {
    const directory = `.planner/projects/${this.directory}`;
    return [...problems].map((problem) => ({ path: this.pathOf(problem.id) ?? directory, ...problem }));
  }

  /** A record's file, relative to the directory that contains `.planner`. */
  pathOf(id: string): string | undefined {
    const file = this.files.served(id);
    return file === undefined ? undefined : this.shownPath(file.path);
  }

  #duplicates(id: string): Problem[] {
    const [served, ...others] = this.files.of(id);
    if (served === undefined) return [];
    const servedPath = this.shownPath(served.path);
    return others.map(({ path, hasExplicitId }) => ({
      path: this.shownPath(path),
      kind: 'duplicate_id',
      reason:
        !hasExplicitId && path.normalize('NFC') === served.path.normalize('NFC')
          ? `${sameName(servedPath)}, so that both derive the id ${id}. The other one is served.`
          : `The id ${id} is also in ${servedPath}, which is served.`,
      id,
      remedy: copyRemedy,
    }));
  }

  /** Files with one id of another tool, in one note. */
  #sharedId(id: string): Problem[] {
    const states = this.files.containing(id);
    const [first] = states;
    if (first === undefined || states.length < 2) return [];
    const named = states.slice(0, namedFilesMax).map((state) => `${this.shownPath(state.path)} (record ${state.id})`);
    const more = states.length > namedFilesMax ? ` and ${states.length - namedFilesMax} more` : '';
    return [
      {
        path: this.shownPath(first.path),
        kind: 'shared_id',
        severity: 'note',
        id: first.id,
        reason: `The id ${id} is in ${states.length} files: ${named.join(', ')}${more}. Each is a record.`,
        remedy: 'To refer to one of them by this id, give the others another id. Else nothing needs to be done.',
      },
    ];
  }

  /** The ids of the records whose files share this id of another tool; empty if it is not shared. */
  sharing(id: string): readonly string[] {
    const states = this.files.containing(id);
    return states.some(({ sharedId }) => sharedId === id) ? states.map((state) => state.id) : [];
  }

  /** Files whose id also belongs to a record in another project, for which the id was created. */
  copiesFromOtherProjects(): readonly { readonly state: FileState; readonly reason: string }[] {
    return [...this.files.foreign].flatMap((id) => {
      const [state, there] = [this.files.served(id), this.#pathInOtherProject(id)];
      if (state === undefined || there === undefined) return [];
      return [{ state, reason: `The id ${id} is also in ${there}, in another project.` }];
    });
  }

  /** Whether a record, an edge or a revision has this id, or the file of a record. */
  holds(id: string): boolean {
    if (this.index.record(id) !== undefined || this.problemOf(id) !== undefined) return true;
    if (this.sharing(id).length > 0) return true;
    if (id.startsWith('rev_')) return this.history.has(id);
    return this.index.edge(id) !== undefined;
  }

  problemOf(id: string): Problem | undefined {
    const pending = this.pending.get(id);
    return this.files.served(id)?.unreadable ?? (pending && parkedOf(pending));
  }

  /** The id of the folder at a directory, null for the top of a tree. */
  folderIdOf(directory: string, folders: Collection): string | null {
    if (!directory.includes('/')) return null;
    const path = `${directory}/${folderFile}`;
    return this.files.at(path)?.id ?? idByPath(folders, this.code, this.id, path);
  }

  /** The directory of a folder by its id; the tree's top for null and for a missing folder. */
  directoryOfFolder(id: unknown, top: string): string {
    const state = typeof id === 'string' ? this.files.served(id) : undefined;
    return state === undefined ? top : directoryOf(state.path);
  }
}
