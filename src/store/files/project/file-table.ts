import { projectCodeOf } from '../../../base/ids.ts';
import { foldName } from '../../record/file-name.ts';
import { directoryOf } from '../../record/locations.ts';
import type { FileStat } from '../disk/disk.ts';
import type { StoredRecord } from '../../record/record.ts';
import type { Problem } from '../../record/read-transaction.ts';
import { inOrder, type ServiceNameOf } from './serving-order.ts';

/** What identifies a directory: its times and its size change with the files in it. */
export interface Inode {
  readonly ino: number;
  /** Distinguishes a renamed file from a new one with the inode of a removed one. Absent or 0 if it is unknown. */
  readonly birthtimeMs?: number;
}

/** The four numbers that identify an unchanged file, and its time of creation. */
export interface Stamp extends Inode {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** A file younger than this when its stamp is kept may change again without a change of its times. */
export const racyMs = 2000;
/** The system has written back what is older than this. A power failure may lose what is younger, but not its time. */
export const writebackMs = 60_000;

export function inodeOf({ ino, birthtimeMs }: FileStat): Inode {
  return { ino, birthtimeMs };
}

export function stampOf({ size, mtimeMs, ctimeMs, ino, birthtimeMs }: Stamp): Stamp {
  return { size, mtimeMs, ctimeMs, ino, birthtimeMs };
}

export function sameStamp(a: Stamp, b: Stamp | FileStat): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino;
}

/** Stamps of files by path, and the sum of their sizes. */
export class StampTable extends Map<string, Stamp> {
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  override set(path: string, stamp: Stamp): this {
    this.delete(path);
    this.#bytes += stamp.size;
    return super.set(path, stamp);
  }

  override delete(path: string): boolean {
    this.#bytes -= this.get(path)?.size ?? 0;
    return super.delete(path);
  }

  override clear(): void {
    this.#bytes = 0;
    super.clear();
  }
}

/** What is at the path of a record file. */
export type FileContent =
  /** The file, with the hash of its bytes. */
  | { readonly sha256: string; readonly stamp: Stamp }
  /** No file: a folder that consists of its directory, or of nothing while it is removed; a missing project.json. */
  | { readonly sha256: null; readonly stamp: Inode | undefined }
  /** A file that could not be read yet, and of which nothing is known but what it may contain. */
  | { readonly sha256: undefined; readonly stamp: undefined };

/** What a file may contain: a value, and the one after each of the changes since then, in order. */
export interface PossibleValues {
  readonly base: StoredRecord | undefined;
  readonly values: readonly (StoredRecord | undefined)[];
  /** Whether the machine was restarted since the last change: a file that was not synced may be lost. */
  readonly rebooted: boolean;
}

/**
 * What is known of a file's content if it may be another than the value of its state. `stale`: the file is read again
 * whatever its stamp, since it was not as expected, or its times are too young to be relied on. `unknown`: the file is a
 * torn write, and the next checkpoint rewrites it as a whole. Values: the opening could not read the file, into which a
 * former process may have written one of these.
 */
type UncertainContent = 'stale' | 'unknown' | PossibleValues;

/** A record file as last read or written. */
export type FileState = FileRecord & FileContent;

/** The record of a file. Paths are relative to the project's directory, with `/`. */
interface FileRecord {
  readonly path: string;
  readonly collection: string;
  readonly id: string;
  /** True if the file contains its id; otherwise it is the one that the path had, or derives. */
  readonly hasExplicitId: boolean;
  /** The file had its id and lost it, with what else was in its front matter. */
  readonly hasLostId?: true;
  /**
   * The value that the file contains; for an unreadable file the last good version, undefined if there never was one.
   */
  readonly record: StoredRecord | undefined;
  /** Absent if the file is known to contain that value. */
  readonly content?: UncertainContent;
  /**
   * The fields whose value is not the file's: derived from its name, or ignored in the front matter. They are not
   * written as long as they keep it.
   */
  readonly unstated?: readonly string[];
  /** What is ignored in the front matter, and what would be right, by line. */
  readonly notes?: readonly { readonly line: number; readonly reason: string; readonly isTerm?: true }[];
  /** The lines of the names that its links have in place of ids. */
  readonly named?: Readonly<Record<string, number>>;
  /** Why the file is unreadable now. */
  readonly unreadable?: Problem;
}

/** Whether what is in a file is not known, so that the service must not change it. */
export function isUnreadable(state: FileState | undefined): boolean {
  return state !== undefined && (state.unreadable !== undefined || state.sha256 === undefined);
}

/** The values that a file may contain if the opening could not read it. */
export function valuesIn({ content }: FileState): PossibleValues | undefined {
  return typeof content === 'object' ? content : undefined;
}

/** Whether an id can be written to a file: one that it has in another form stays. */
export function lacksId({ hasExplicitId, unstated = [] }: FileState): boolean {
  return !hasExplicitId && !unstated.includes('id');
}

/** The number of bytes in the file. */
export function sizeOf(state: FileContent): number {
  return state.sha256 == null ? 0 : state.stamp.size;
}

/** Whether this stat is that of the file as it was last read or written. */
export function isAsKnown(state: FileState, stat: FileStat): boolean {
  const { content } = state;
  return state.sha256 != null && (content === undefined || content === 'unknown') && sameStamp(state.stamp, stat);
}

/** The state of a file whose bytes were read and are the known ones. */
export function withStamp({ content, ...state }: FileState & { readonly sha256: string }, stat: FileStat): FileState {
  return { ...state, stamp: stampOf(stat), ...(content === 'unknown' && { content }) };
}

/** Of `tsk_`: a project's code follows the type of an id. */
const idPrefixLength = 4;
const notAscii = /[^\p{ASCII}]/u;

/** The record files of one project: by path, by id, and the directories of trees. */
export class FileTable {
  readonly #byPath = new Map<string, FileState>();
  /** One path for nearly every id; several are duplicates. */
  readonly #byId = new Map<string, string | string[]>();
  /** Case-folded paths, so that no two files differ only in case or normalisation. */
  readonly #folded = new Map<string, string>();
  /** Paths with other letters than those of ASCII, by their normalised form. */
  readonly #byNormalised = new Map<string, Set<string>>();
  /** The normalised forms that several paths have. */
  readonly #twins = new Set<string>();
  /** The paths of the files in each directory, not in the directories below it. */
  readonly #byDirectory = new Map<string, Set<string>>();
  /** Ids that more than one file contains. */
  readonly duplicates = new Set<string>();
  /** Paths of files with the id of a record that another file has served since: they do not take it over. */
  readonly copies = new Set<string>();
  /** Paths of copies that serve records since the originals are gone. */
  readonly successors = new Set<string>();
  /** Ids with another project's code: the file was moved or copied from that project. */
  readonly foreign = new Set<string>();
  /** Paths of files that are unreadable now. */
  readonly unreadable = new Set<string>();
  /** Paths of files with notes. */
  readonly noted = new Set<string>();
  /** The number of files that do not contain their ids. */
  withoutId = 0;
  /** Called with the id of a record whose file has another path. */
  onMoved: (id: string) => void = () => undefined;
  readonly #code: string;
  readonly #serviceNameOf: ServiceNameOf;
  #bytes = 0;

  /** `code`: the project's code, which is part of its own ids. */
  constructor(code: string, serviceNameOf: ServiceNameOf) {
    this.#code = code;
    this.#serviceNameOf = serviceNameOf;
  }

  get size(): number {
    return this.#byPath.size;
  }

  /** The total size of all files. */
  get bytes(): number {
    return this.#bytes;
  }

  at(path: string): FileState | undefined {
    return this.#byPath.get(path);
  }

  values(): IterableIterator<FileState> {
    return this.#byPath.values();
  }

  set(state: FileState): void {
    const former = this.#byPath.get(state.path);
    if (former === undefined) addTo(this.#byDirectory, directoryOf(state.path), state.path);
    else this.#forget(former);
    if (former !== undefined && former.id !== state.id) this.#isNoCopy(state.path);
    if (former?.id !== state.id) this.onMoved(state.id);
    this.#byPath.set(state.path, state);
    this.#bytes += sizeOf(state);
    if (!state.hasExplicitId) this.withoutId++;
    this.#folded.set(foldName(state.path), state.path);
    if (notAscii.test(state.path)) this.#addNormalised(state.path);
    if (state.unreadable !== undefined) this.unreadable.add(state.path);
    if (state.notes !== undefined) this.noted.add(state.path);
    const paths = this.#byId.get(state.id);
    if (paths === undefined) {
      this.#byId.set(state.id, state.path);
      if (this.#isForeign(state.id)) this.foreign.add(state.id);
    } else {
      this.#byId.set(state.id, [...(typeof paths === 'string' ? [paths] : paths), state.path]);
      this.duplicates.add(state.id);
    }
  }

  delete(path: string): FileState | undefined {
    const state = this.#byPath.get(path);
    if (state === undefined) return undefined;
    this.#forget(state);
    this.#isNoCopy(path);
    removeFrom(this.#byDirectory, directoryOf(path), path);
    this.onMoved(state.id);
    return state;
  }

  #isNoCopy(path: string): void {
    this.copies.delete(path);
    this.successors.delete(path);
  }

  #isForeign(id: string): boolean {
    return !id.startsWith(this.#code, idPrefixLength) && (projectCodeOf(id) ?? this.#code) !== this.#code;
  }

  /** Removes a file from everything but its directory. */
  #forget(state: FileState): void {
    const { path } = state;
    this.#byPath.delete(path);
    this.#bytes -= sizeOf(state);
    if (!state.hasExplicitId) this.withoutId--;
    // A file that was renamed in letter case alone is already registered under its new path.
    const folded = foldName(path);
    if (this.#folded.get(folded) === path) this.#folded.delete(folded);
    if (notAscii.test(path)) this.#removeNormalised(path);
    this.unreadable.delete(path);
    this.noted.delete(path);
    const paths = this.#byId.get(state.id);
    const left = typeof paths === 'string' ? [] : (paths ?? []).filter((one) => one !== path);
    if (left.length < 2) this.duplicates.delete(state.id);
    if (left.length === 0) {
      this.#byId.delete(state.id);
      this.foreign.delete(state.id);
    } else this.#byId.set(state.id, left.length === 1 ? (left[0] ?? '') : left);
  }

  #addNormalised(path: string): void {
    const normalised = path.normalize('NFC');
    const paths = this.#byNormalised.get(normalised);
    if (paths === undefined) this.#byNormalised.set(normalised, new Set([path]));
    else if (paths.add(path).size > 1) this.#twins.add(normalised);
  }

  #removeNormalised(path: string): void {
    const normalised = path.normalize('NFC');
    const paths = this.#byNormalised.get(normalised);
    paths?.delete(path);
    if (paths?.size === 0) this.#byNormalised.delete(normalised);
    if ((paths?.size ?? 0) < 2) this.#twins.delete(normalised);
  }

  /** Paths that differ in normalisation alone, the normalised one first. */
  *twins(): IterableIterator<readonly string[]> {
    for (const normalised of this.#twins) {
      const others = [...this.#byNormalised.get(normalised)!].filter((path) => path !== normalised).sort();
      yield this.#byPath.has(normalised) ? [normalised, ...others] : others;
    }
  }

  /** Every file that contains this id, the served one first. */
  of(id: string): readonly FileState[] {
    const paths = this.#byId.get(id);
    if (paths === undefined) return [];
    const states = (typeof paths === 'string' ? [paths] : paths)
      .map((path) => this.#byPath.get(path))
      .filter((state) => state !== undefined);
    return states.length < 2
      ? states
      : inOrder(states, { id, copies: this.copies, serviceNameOf: this.#serviceNameOf });
  }

  /**
   * From now on this file serves its record, and the others with its id are copies. One that could never be read is not
   * known to be one.
   */
  serve({ id, path: served }: FileState): void {
    if (this.copies.delete(served)) this.successors.add(served);
    if (!this.duplicates.has(id)) return;
    for (const { path, record } of this.of(id)) if (path !== served && record !== undefined) this.copies.add(path);
  }

  /** The file that serves this id. */
  served(id: string): FileState | undefined {
    const paths = this.#byId.get(id);
    if (paths === undefined) return undefined;
    return typeof paths === 'string' ? this.#byPath.get(paths) : this.of(id)[0];
  }

  /** The existing path that equals this one if letter case is ignored. */
  occupant(path: string): string | undefined {
    return this.#folded.get(foldName(path));
  }

  /** Files in a directory and in those below it; all files for ''. Takes as long as there are directories and such files. */
  below(directory: string): FileState[] {
    return Array.from(this.pathsBelow(directory), (path) => this.#byPath.get(path)!);
  }

  /** Their paths. The table may change between two of them. */
  *pathsBelow(directory: string): IterableIterator<string> {
    const prefix = `${directory}/`;
    for (const [other, paths] of this.#byDirectory)
      if (directory === '' || other === directory || other.startsWith(prefix)) yield* paths;
  }
}

function addTo(sets: Map<string, Set<string>>, key: string, path: string): void {
  const paths = sets.get(key);
  if (paths === undefined) sets.set(key, new Set([path]));
  else paths.add(path);
}

function removeFrom(sets: Map<string, Set<string>>, key: string, path: string): void {
  const paths = sets.get(key);
  paths?.delete(path);
  if (paths?.size === 0) sets.delete(key);
}
