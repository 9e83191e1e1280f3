import { isOwnId } from '../../../base/ids.ts';
import { decode } from '../codec/codec.ts';
import type { Collection } from '../../record/collection.ts';
import type { FileStat } from '../disk/disk.ts';
import { type FileState, type Inode, isAsKnown, sizeOf } from '../project/file-table.ts';
import { fileBytesMax } from './read-state.ts';
import { idByPath, nameOf } from '../../record/locations.ts';
import { type Lines, linesOfFields, linesOfState, similarity, similarityMin } from './similarity.ts';
import type { Project } from '../project/project.ts';
import { shapeAt } from '../../record/shapes.ts';
import { eachInSteps, type Steps } from '../../../base/slices.ts';
import { sha256Of } from '../disk/sha256.ts';

/** Missing files times arriving ones: of more only those with the same name are compared line by line. */
const comparedPairsMax = 10_000;
/** The number of missing files of one name that an arriving one is compared with then. */
const comparedNamesMax = 10;
/** A larger file is not compared line by line. */
const comparedBytesMax = 256 * 1024;

/** A file at a path that had none when it was last looked at. */
export interface Arrival {
  readonly path: string;
  readonly collection: Collection;
  readonly stat: FileStat;
}

export interface MovedFilesDeps {
  readonly project: Project;
  readonly collections: ReadonlyMap<string, Collection>;
  /** What is at a path inside the project. */
  readonly stat: (path: string) => FileStat | undefined;
  /** The content of an arriving file; undefined if it has changed since. */
  readonly bytesOf: (arrival: Arrival) => Uint8Array | undefined;
}

/** Whether a file is the one that had this state: a new file may get the inode of a removed one, with another birth. */
export function isSameInode({ ino, birthtimeMs = 0 }: Inode, { stamp }: FileState): boolean {
  return ino !== 0 && stamp?.ino === ino && birthtimeMs > 0 && birthtimeMs === stamp.birthtimeMs;
}

/**
 * Finds out which arriving files are missing ones under another name, never across collections: the same inode; else
 * equal content, of several the one of the same name, then in the order of their paths; else the most equal lines; else
 * the path that the missing record had before. Each file is at most one other.
 */
export class MovedFiles {
  readonly #deps: MovedFilesDeps;
  readonly #arrivals: Set<Arrival>;
  readonly #missing: Set<FileState>;
  readonly #moves = new Map<string, FileState>();
  /** The ids of the records whose files are found. */
  readonly #placed = new Set<string>();

  /** `known`: files that are found already, by their present paths. */
  constructor(
    deps: MovedFilesDeps,
    arrivals: readonly Arrival[],
    missing: Iterable<FileState>,
    known: ReadonlyMap<string, FileState>,
  ) {
    this.#deps = deps;
    this.#missing = new Set(missing);
    for (const { id } of known.values()) this.#placed.add(id);
    const { storedIds, formerPaths } = deps.project;
    // What was stored when a file was renamed is newer than the index cache, unless a power failure has undone it: then
    // the file that the cache has is at the path.
    const isStored = ({ path, stat }: Arrival): boolean => {
      const id = storedIds.at(path);
      const cached = formerPaths.get(path);
      return id !== undefined && !this.#placed.has(id) && !(cached && isAsKnown(cached, stat));
    };
    this.#arrivals = new Set(arrivals.filter((one) => !known.has(one.path) && !isStored(one)));
  }

  /** The former states of the files that were moved, by their present paths. */
  *find(): Steps<ReadonlyMap<string, FileState>> {
    yield* this.#byInode();
    // Content is no proof for a file that contains its id.
    for (const state of this.#missing) if (state.hasExplicitId || state.sha256 == null) this.#missing.delete(state);
    if (this.#isUndecided) yield* this.#byContent();
    if (this.#isUndecided) yield* this.#byLines();
    if (this.#isUndecided) this.#byFormerPath();
    return this.#moves;
  }

  get #isUndecided(): boolean {
    return this.#arrivals.size > 0 && this.#missing.size > 0;
  }

  #move(arrival: Arrival, state: FileState): void {
    this.#moves.set(arrival.path, state);
    this.#placed.add(state.id);
    this.#arrivals.delete(arrival);
    this.#missing.delete(state);
  }

  /** Also files whose removal was not noticed yet, and files that were out of the directory for a while. */
  *#byInode(): Steps<void> {
    const { project } = this.#deps;
    const byInode = Map.groupBy<number | undefined, Arrival>(this.#arrivals, ({ stat }) => stat.ino);
    const moveTo = (state: FileState, isGone: () => boolean): void => {
      const arrival = byInode.get(state.stamp?.ino)?.find((one) => isMoved(one, state) && this.#arrivals.has(one));
      if (arrival !== undefined && isGone()) this.#move(arrival, state);
    };
    yield* eachInSteps(project.files.values(), (state) =>
      moveTo(state, () => this.#missing.has(state) || this.#deps.stat(state.path)?.kind !== 'file'),
    );
    for (const state of project.formerPaths.values())
      moveTo(state, () => project.files.of(state.id).length === 0 && !this.#placed.has(state.id));
  }

  *#byContent(): Steps<void> {
    const missing = Map.groupBy(this.#missing, (state) => `${state.collection} ${state.sha256}`);
    const sizes = new Set([...this.#missing].map(sizeOf));
    const found = new Map<string, Arrival[]>();
    for (const arrival of this.#arrivals) {
      const { collection, stat } = arrival;
      if (!sizes.has(stat.size) || stat.size > fileBytesMax(collection)) continue;
      const bytes = this.#deps.bytesOf(arrival);
      const key = bytes && `${collection.name} ${sha256Of(bytes)}`;
      if (key !== undefined && missing.has(key)) {
        const same = found.get(key);
        if (same === undefined) found.set(key, [arrival]);
        else same.push(arrival);
      }
      yield;
    }
    for (const [key, arrivals] of found) {
      yield;
      this.#pair(missing.get(key)!, arrivals);
    }
  }

  /** Pairs files of equal content: those with the same name, then in the order of their paths. */
  #pair(missing: readonly FileState[], arrivals: readonly Arrival[]): void {
    const states = [...missing].sort(byPath);
    const files = [...arrivals].sort(byPath);
    const byName = Map.groupBy(states, ({ path }) => nameOf(path));
    for (const arrival of files) {
      const state = byName.get(nameOf(arrival.path))?.shift();
      if (state !== undefined) this.#move(arrival, state);
    }
    const left = states.filter((state) => this.#missing.has(state));
    for (const [i, arrival] of files.filter((one) => this.#arrivals.has(one)).entries())
      if (left[i] !== undefined) this.#move(arrival, left[i]);
  }

  *#byLines(): Steps<void> {
    const isMany = this.#missing.size * this.#arrivals.size > comparedPairsMax;
    const lines = new Map<FileState, Lines>();
    for (const state of this.#missing) {
      const known = linesOfState(this.#deps.collections.get(state.collection)!, state);
      if (known !== undefined && sizeOf(state) <= comparedBytesMax) lines.set(state, known);
    }
    const byName = Map.groupBy(lines.keys(), ({ path }) => nameOf(path));
    const pairs: { readonly arrival: Arrival; readonly state: FileState; readonly share: number }[] = [];
    for (const arrival of this.#arrivals) {
      // Of very many files, as after a checkout, those with the same name are compared.
      const states = isMany ? (byName.get(nameOf(arrival.path)) ?? []).slice(0, comparedNamesMax) : [...lines.keys()];
      const own = arrival.stat.size > comparedBytesMax || states.length === 0 ? undefined : this.#linesOf(arrival);
      for (const state of own === undefined ? [] : states) {
        const share = state.collection === arrival.collection.name ? similarity(lines.get(state)!, own!) : 0;
        if (share >= similarityMin) pairs.push({ arrival, state, share });
        yield;
      }
    }
    const isRenamed = ({ arrival, state }: (typeof pairs)[number]): number =>
      nameOf(arrival.path) === nameOf(state.path) ? 0 : 1;
    pairs.sort(
      (a, b) =>
        b.share - a.share || isRenamed(a) - isRenamed(b) || byPath(a.state, b.state) || byPath(a.arrival, b.arrival),
    );
    for (const { arrival, state } of pairs)
      if (this.#arrivals.has(arrival) && this.#missing.has(state)) this.#move(arrival, state);
  }

  #linesOf(arrival: Arrival): Lines | undefined {
    const bytes = this.#deps.bytesOf(arrival);
    return bytes && linesOfFile(arrival, bytes);
  }

  /** A record whose file got another name, and is missing again, may be back at the path that its id is derived from. */
  #byFormerPath(): void {
    const { project } = this.#deps;
    const byId = new Map([...this.#missing].map((state) => [state.id, state]));
    for (const arrival of [...this.#arrivals].sort(byPath)) {
      const { path, collection } = arrival;
      const ids = [project.formerPaths.get(path)?.id, idByPath(collection, project.code, project.id, path)];
      const state = ids.map((id) => byId.get(id ?? '')).find((one) => one !== undefined && this.#missing.has(one));
      if (state?.collection === collection.name) this.#move(arrival, state);
    }
  }
}

/** Whether an arriving file is the one that had this state. */
export function isMoved({ stat, collection }: Arrival, state: FileState): boolean {
  return collection.name === state.collection && isSameInode(stat, state);
}

/** The lines of a file without an id, or with one of another tool; undefined if it has one of ours, or is unreadable. */
export function linesOfFile(
  { path, collection }: Pick<Arrival, 'path' | 'collection'>,
  bytes: Uint8Array,
): Lines | undefined {
  const decoded = decode(shapeAt(collection.shape, path), bytes);
  if (!decoded.ok) return undefined;
  const { id } = decoded.fields;
  if (typeof id !== 'string') return linesOfFields(collection, decoded.fields);
  return isOwnId(id) ? undefined : { ...linesOfFields(collection, decoded.fields), sharedId: id };
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
