import type { Collection } from '../../record/collection.ts';
import { foldName } from '../../record/file-name.ts';
import { type FileState, FileTable, StampTable } from './file-table.ts';
import { Exclusive } from './exclusive.ts';
import type { HistoryIndex } from './history.ts';
import { directoryOf, folderFile, idByPath } from '../../record/locations.ts';
import type { ProjectIndex } from '../../index/project-index.ts';
import type { StoredRecord } from '../../record/record.ts';
import type { Problem, RecordProblem, StagedBytes } from '../../record/view.ts';

/** A record whose newest value is not in its file yet. */
export interface Pending {
  readonly collection: string;
  /** Journal position of the first change that no write has taken up yet; Infinity while there is none but what is being written. */
  position: number;
  /** Position of the first change that is being written now; Infinity while nothing is. The journal is kept from the smaller one on. */
  writing: number;
  /** Position of the last change: it must be durable before a file may hold it. */
  latest: number;
  /** The file is written although the record did not change: it is to get its id. */
  force: boolean;
  /** Why it cannot be written at present; it holds nothing else up. */
  parked?: Problem | undefined;
  /** What has to be written before it. While that is parked, so is this. */
  behind?: Pending | undefined;
}

/** Why something pending cannot be written at present. */
export function parkedOf({ parked, behind }: Pending): Problem | undefined {
  return parked ?? behind?.parked;
}

/** Written while git was at work: believed only once git has finished and the file still holds it. */
export interface Suspect {
  readonly id: string;
  /** What was written, and the value it holds; null and undefined for a removal. */
  readonly sha256: string | null;
  readonly record: StoredRecord | undefined;
}

/** Bytes that wait for their place beside a record's file: where they are staged. */
export interface DueBytes extends StagedBytes {
  readonly from: string;
}

/** A file of bytes as it was last looked at. */
export interface KnownBytes {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  /** Undefined while nobody has read it. */
  readonly sha256: string | undefined;
}

/** What became of a pending value that lost to a person's edit. */
export interface Notice extends Problem {
  readonly at: string;
}

const copyRemedy =
  'Run planner doctor --fix, which makes the copy a record of its own, or remove the file that is not wanted.';
const noticesMax = 200;
const formerPathsMax = 1000;

/** One project: its index and how that stands to its files. */
export class Project {
  readonly id: string;
  readonly code: string;
  /** The directory's name below `projects/`. A person may rename it while the project is served. */
  directory: string;
  readonly index: ProjectIndex;
  readonly history: HistoryIndex;
  readonly files: FileTable;
  /** While it is held a change is being applied in slices: index, files and pending changes are the change's alone. */
  readonly exclusive = new Exclusive();
  readonly pending = new Map<string, Pending>();
  readonly suspects = new Map<string, Suspect>();
  /** Files that are looked at once it is known what became of a write, with the ids they bear: those records are not gone. */
  readonly heldBack = new Map<string, string>();
  /** By the ids of the records that name them. */
  readonly bytesDue = new Map<string, DueBytes>();
  readonly knownBytes = new Map<string, KnownBytes>();
  /** Paths that are being written at this moment; the same folded, so that no other record is given one of them. */
  readonly #inFlight = new Map<string, { readonly folded: string; heard: number }>();
  readonly #inFlightFolded = new Set<string>();
  /** How many folders are being moved, or their own files written. */
  moving = 0;
  /** Records that lay at a path that is gone: a path remembers its record. */
  readonly formerPaths = new Map<string, FileState>();
  /** History segments as last seen or written, by path. */
  readonly segments = new StampTable();
  /** Where a record of this id lies in another project, as people see the path; undefined where in none. */
  readonly #elsewhere: (id: string) => string | undefined;
  readonly notices: Notice[] = [];
  /** Problems that no single record file has: a broken history line, a second directory of the project. By path. */
  readonly otherProblems = new Map<string, Problem>();
  /** Seq and id of the last journal entry. */
  seq = 0;
  lastEntry: string | null = null;

  constructor(
    parts: Pick<Project, 'id' | 'code' | 'directory' | 'index' | 'history'> & {
      readonly elsewhere: (id: string) => string | undefined;
    },
  ) {
    this.id = parts.id;
    this.code = parts.code;
    this.directory = parts.directory;
    this.index = parts.index;
    this.history = parts.history;
    this.#elsewhere = parts.elsewhere;
    this.files = new FileTable(parts.code);
  }

  /** Bytes of its record files and history as they are on disk, and of all attachments. What awaits its file comes on top. */
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
   * Whether a value of this record is on its way to a file: until it is known what became of that, no other file that bears the id can be
   * told from one that was moved there with the value in it.
   */
  isBeingWritten(id: string): boolean {
    return (this.pending.get(id)?.writing ?? Infinity) !== Infinity;
  }

  /** Whether a path is being written, letter case aside. */
  isClaimed(path: string): boolean {
    return this.#inFlightFolded.has(foldName(path));
  }

  claim(path: string): void {
    const folded = foldName(path);
    this.#inFlight.set(path, { folded, heard: 0 });
    this.#inFlightFolded.add(folded);
  }

  /** Answers how many events were heard of the path since it was claimed. */
  release(path: string): number {
    const claim = this.#inFlight.get(path);
    if (claim === undefined) return 0;
    this.#inFlight.delete(path);
    this.#inFlightFolded.delete(claim.folded);
    return claim.heard;
  }

  /** Notes an event of a path that is being written: whoever releases it knows how many were ours. False where it is not. */
  hears(path: string): boolean {
    const claim = this.#inFlight.get(path);
    if (claim === undefined) return false;
    claim.heard++;
    return true;
  }

  /** The path as people see it: relative to the directory that holds `.planner`. */
  shownPath(path: string): string {
    return `.planner/projects/${this.directory}/${path}`;
  }

  note(notice: Notice): void {
    this.notices.push(notice);
    if (this.notices.length > noticesMax) this.notices.shift();
  }

  rememberPath(state: FileState): void {
    this.formerPaths.delete(state.path);
    this.formerPaths.set(state.path, state);
    if (this.formerPaths.size > formerPathsMax) this.formerPaths.delete(this.formerPaths.keys().next().value ?? '');
  }

  /** A change at this journal position has to reach the record's file. */
  await(id: string, collection: string, position: number, force = false): void {
    const pending = this.pending.get(id);
    if (pending === undefined)
      this.pending.set(id, { collection, position, writing: Infinity, latest: position, force });
    else {
      pending.latest = Math.max(pending.latest, position);
      if (position < pending.position) pending.position = position;
      pending.force ||= force;
    }
  }

  /** Index and file hold the same: nothing waits any more but what is being written, which is given back or taken up in its time. */
  settled(id: string): void {
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

  /** Every problem of the project's files, and the latest notices. */
  problems(): readonly Problem[] {
    const found: Problem[] = [...this.otherProblems.values()];
    for (const path of this.files.unreadable) {
      const problem = this.files.at(path)?.unreadable;
      if (problem !== undefined) found.push(problem);
    }
    for (const id of this.files.duplicates) found.push(...this.#duplicates(id));
    for (const { state, reason } of this.copiedHere())
      found.push({ path: this.shownPath(state.path), kind: 'duplicate_id', reason, id: state.id, remedy: copyRemedy });
    found.push(...this.located(this.index.problems()));
    for (const { parked } of this.pending.values()) if (parked !== undefined) found.push(parked);
    found.sort((a, b) => (a.path === b.path ? 0 : a.path < b.path ? -1 : 1));
    return [...found, ...this.notices];
  }

  /** Says where the records lie that problems are about. */
  located(problems: Iterable<RecordProblem>): Problem[] {
    const directory = `.planner/projects/${this.directory}`;
    return [...problems].map((problem) => ({ path: this.pathOf(problem.id) ?? directory, ...problem }));
  }

  /** Where a record's file lies, from the directory that holds `.planner`. */
  pathOf(id: string): string | undefined {
    const file = this.files.served(id);
    return file === undefined ? undefined : this.shownPath(file.path);
  }

  #duplicates(id: string): Problem[] {
    const [served, ...others] = this.files.of(id);
    if (served === undefined) return [];
    const reason = `The id ${id} stands in ${this.shownPath(served.path)} too, which is served.`;
    return others.map(({ path }) => ({
      path: this.shownPath(path),
      kind: 'duplicate_id',
      reason,
      id,
      remedy: copyRemedy,
    }));
  }

  /** Files whose record lies in another project too, which it was made for. */
  copiedHere(): readonly { readonly state: FileState; readonly reason: string }[] {
    return [...this.files.foreign].flatMap((id) => {
      const [state, there] = [this.files.served(id), this.#elsewhere(id)];
      if (state === undefined || there === undefined) return [];
      return [{ state, reason: `The id ${id} stands in ${there} too, in another project.` }];
    });
  }

  /** Whether a record, an edge or a revision has this id. */
  holds(id: string): boolean {
    if (this.index.record(id) !== undefined || this.problemOf(id) !== undefined) return true;
    if (id.startsWith('rev_')) return this.history.has(id);
    return this.index.edge(id) !== undefined;
  }

  problemOf(id: string): Problem | undefined {
    const pending = this.pending.get(id);
    return this.files.served(id)?.unreadable ?? (pending && parkedOf(pending));
  }

  /** The id of the folder that a directory is, null for a tree's top. */
  folderIdOf(directory: string, folders: Collection): string | null {
    if (!directory.includes('/')) return null;
    const path = `${directory}/${folderFile}`;
    return this.files.at(path)?.id ?? idByPath(folders, this.code, this.id, path);
  }

  /** The directory of a folder by its id; the tree's top for null and for a folder that is gone. */
  directoryOfFolder(id: unknown, top: string): string {
    const state = typeof id === 'string' ? this.files.served(id) : undefined;
    return state === undefined ? top : directoryOf(state.path);
  }
}
