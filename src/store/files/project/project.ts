import type { Collection } from '../../record/collection.ts';
import { type FileState, FileTable, type Stamp, StampTable } from './file-table.ts';
import { Claims } from '../life/claims.ts';
import { DirtyRecords } from '../life/dirty-records.ts';
import type { HistoryIndex } from './history.ts';
import { type FolderRows, FolderRowTable, type RowsChange, textOfRows } from '../../record/folder-rows.ts';
import { directoryOf, folderFile, idByPath, nameOf, rowKey } from '../../record/locations.ts';
import { type Effect, ProjectQueue } from './project-queue.ts';
import type { StoredRecord } from '../../record/record.ts';
import type { ServiceNameOf } from './serving-order.ts';
import { UndecidedPaths } from '../life/undecided-paths.ts';
import type { ProjectIndex } from '../../replica/project-index.ts';
import type { Replica } from '../../replica/replica.ts';
import type { Problem, RecordProblem, Remedy, StagedBytes } from '../../record/read-transaction.ts';

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

const noticesMax = 200;
const formerPathsMax = 1000;

/** One project: its replica and the state of its files. */
export class Project {
  readonly replica: Replica<HistoryIndex>;
  readonly id: string;
  readonly code: string;
  readonly index: ProjectIndex;
  readonly history: HistoryIndex;
  /** The directory's name below `projects/`. A person may rename it while the project is served. */
  directory: string;
  readonly files: FileTable;
  /** Its tasks: what is applied in slices, too. */
  readonly queue: ProjectQueue;
  readonly exclusive: ProjectQueue;
  readonly dirty = new DirtyRecords();
  readonly claims = new Claims();
  readonly undecided = new UndecidedPaths();
  /** The sequence of the entry that creates it, if the journal has it: entries before are of a deleted project with this id. */
  createdAt = 0;
  /** By the ids of the records that reference them. */
  readonly pendingAttachments = new Map<string, PendingAttachment>();
  readonly knownAttachments = new Map<string, KnownAttachment>();
  /** Former states by path: a file that reappears at a path is the record that it was. */
  readonly formerPaths = new Map<string, FileState>();
  /** The value that each file had last, by its record's id, if the journal knows it: until the files are read at the opening. */
  readonly lastValues = new Map<string, StoredRecord>();
  /** The ids of those records by the names that the service gives their files, until then. */
  readonly lastNames = new Map<string, string>();
  /** The records that the journal has, until then. */
  journaledIds: ReadonlySet<string> = new Set();
  #rows = new FolderRowTable();
  /** The size of their file, until they change. */
  #rowBytes: number | undefined = 0;
  /** The stamp of that file as last read. */
  rowsStamp: Stamp | undefined;
  /** History segments as last read or written, by path. */
  readonly segments = new StampTable();
  /** The displayed path of this id's file in another project; undefined if no other project has it. */
  readonly #pathInOtherProject: (id: string) => string | undefined;
  /** Returns whether git waits for a person to finish a merge. */
  readonly #isMerging: () => boolean;
  readonly notices: Notice[] = [];
  /**
   * Problems that do not belong to a single record file, by path: a broken line of history, a second directory of the
   * project.
   */
  readonly otherProblems = new Map<string, Problem>();
  /** The problems of names that are not UTF-8, by the directory that contains them. */
  readonly invalidNames = new Map<string, readonly Problem[]>();
  constructor(
    deps: Pick<Project, 'replica' | 'directory'> & {
      readonly pathInOtherProject: (id: string) => string | undefined;
      readonly isMerging: () => boolean;
      readonly carryOut: (project: Project, effect: Effect) => void;
      readonly serviceNameOf: ServiceNameOf;
    },
  ) {
    this.replica = deps.replica;
    this.id = deps.replica.project;
    this.code = deps.replica.code;
    this.index = deps.replica.index;
    this.history = deps.replica.history;
    this.directory = deps.directory;
    this.#pathInOtherProject = deps.pathInOtherProject;
    this.#isMerging = deps.isMerging;
    this.files = new FileTable(deps.replica.code, deps.serviceNameOf);
    this.exclusive = this.queue = new ProjectQueue((effect) => deps.carryOut(this, effect));
  }

  /** Seq of the last journal entry. */
  get seq(): number {
    return this.replica.tail.head.seq;
  }

  /** Size of the record files and the history on disk, and of all attachments. Pending changes are not included. */
  get storedBytes(): number {
    const { rows } = this.#rows;
    this.#rowBytes ??= rows.size === 0 ? 0 : Buffer.byteLength(textOfRows(rows));
    return this.files.bytes + this.segments.bytes + this.index.attachedBytes + this.#rowBytes;
  }

  /** The ids that directories of the tree have by its file of rows, as last read or written. */
  get rows(): FolderRows {
    return this.#rows.rows;
  }

  set rows(rows: FolderRows) {
    this.#rows = new FolderRowTable(rows);
    this.#rowBytes = undefined;
  }

  /** See `FolderRowTable`. */
  changeRows(change: RowsChange): void {
    this.#rows.complete(change);
    this.#rowBytes = undefined;
  }

  /** See `FolderRowTable`. */
  rowKeysOf(id: string): readonly string[] {
    return [...this.#rows.keysOf(id)];
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

  /** The record of a file that is gone had this value, which the file lacked: if it is back without its front matter, it has it. */
  rememberRecord(record: StoredRecord): void {
    for (const [path, state] of this.formerPaths)
      if (state.id === record.id) this.formerPaths.set(path, { ...state, record });
  }

  /** The record was removed where it was last: what is at a path that it had before is another one. */
  forgetPathsOf(id: string): void {
    for (const [path, state] of this.formerPaths) if (state.id === id) this.formerPaths.delete(path);
  }

  /** The oldest journal position that the project's files and history still need; `none` if there is none. */
  oldestNeeded(none: number): number {
    return this.dirty.oldestNeeded(this.history.oldestNeeded(none));
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
    for (const id of this.files.duplicates) found.push(...this.#duplicates(id));
    for (const { state, reason } of this.copiesFromOtherProjects())
      found.push({
        path: this.shownPath(state.path),
        kind: 'duplicate_id',
        reason,
        id: state.id,
        remedy: this.#copyRemedy(),
      });
    found.push(...this.withPaths(this.index.problems()));
    found.push(...this.dirty.problems());
    found.sort((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1));
    return [...found, ...this.notices];
  }

  /** What is ignored in a file's front matter. */
  #notes(path: string): Problem[] {
    const state = this.files.at(path);
    return (state?.notes ?? []).map(({ line, reason, isTerm }) => ({
      path: this.shownPath(path),
      kind: 'ignored_value',
      severity: 'note',
      line,
      id: state!.id,
      reason,
      remedy:
        isTerm === true
          ? 'Nothing needs to be done: the file keeps its word until Planner next writes it.'
          : 'The file is served without it. Change it if Planner is to read it; else nothing needs to be done.',
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
    return Array.from(problems, ({ name, ...problem }) => {
      const file = this.files.served(problem.id);
      const line = name === undefined ? undefined : file?.named?.[name];
      const path = file === undefined ? directory : this.shownPath(file.path);
      return { path, ...(line !== undefined && { line }), ...problem };
    });
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
      remedy: this.#copyRemedy(),
    }));
  }

  /** In a merge, two files with one id are two versions of a record. */
  #copyRemedy(): Remedy {
    return { code: this.#isMerging() ? 'resolve_merge' : 'separate_copy' };
  }

  /** Files whose id also belongs to a record in another project, for which the id was created. */
  copiesFromOtherProjects(): readonly { readonly state: FileState; readonly reason: string }[] {
    return [...this.files.foreign].flatMap((id) => {
      const [state, there] = [this.files.served(id), this.#pathInOtherProject(id)];
      if (state === undefined || there === undefined) return [];
      return [{ state, reason: `The id ${id} is also in ${there}, in another project.` }];
    });
  }

  /** Returns whether a record, an edge or a revision has this id, or the file of a record. */
  holds(id: string): boolean {
    if (this.index.record(id) !== undefined || this.problemOf(id) !== undefined) return true;
    if (id.startsWith('rev_')) return this.history.has(id);
    return this.index.edge(id) !== undefined;
  }

  problemOf(id: string): Problem | undefined {
    // Every change asks for it. Without a problem no record is looked up.
    const { files, dirty } = this;
    const unreadable = files.unreadable.size === 0 ? undefined : files.served(id)?.unreadable;
    return unreadable ?? (dirty.parked === 0 ? undefined : dirty.parkedBy(dirty.get(id)));
  }

  /** The id of the folder at a directory, null for the top of a tree. */
  folderIdOf(directory: string, folders: Collection): string | null {
    if (!directory.includes('/')) return null;
    const path = `${directory}/${folderFile}`;
    const known = this.files.at(path)?.id ?? this.rows.get(rowKey(directory))?.id;
    return known ?? idByPath(folders, this.code, this.id, path);
  }

  /** The directory of a folder by its id; the tree's top for null and for a missing folder. */
  directoryOfFolder(id: unknown, top: string): string {
    const state = typeof id === 'string' ? this.files.served(id) : undefined;
    return state === undefined ? top : directoryOf(state.path);
  }
}
