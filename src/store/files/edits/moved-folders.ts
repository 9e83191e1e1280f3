import type { FileStat } from '../disk/disk.ts';
import { sha256Of } from '../disk/sha256.ts';
import { directoryOf, folderFile, nameOf } from '../../record/locations.ts';
import { type FileState, sizeOf } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';
import type { Steps } from '../../../base/slices.ts';
import { isSameInode } from './moved-files.ts';
import { similarityMin } from './similarity.ts';

/** The number of files of a directory that are compared: a sample is enough to recognise it. */
const comparedFilesMax = 100;

/** A directory without a file of its own, at a path where no folder was known. `path`: where its file would be. */
interface FolderArrival {
  readonly path: string;
  readonly stat: FileStat;
}

export interface MovedFoldersDeps {
  readonly project: Project;
  /** What is at a path inside the project; undefined behind a link. */
  readonly stat: (path: string) => FileStat | undefined;
  /** The content of the file that was statted; undefined if it has changed since. */
  readonly bytesOf: (path: string, stat: FileStat) => Uint8Array | undefined;
  /** The record files that the rescan found on disk. */
  readonly files: Iterable<string>;
}

interface Pair {
  readonly arrival: FolderArrival;
  readonly state: FileState;
  readonly share: number;
}

/**
 * Finds out which arriving directories are known folders without a file of their own under another name: the same
 * inode; else a folder that is gone and had at least half of the files, of several the most similar, then the one with
 * the same name. `paths`: those of all folders' files. Returns the former states by present path, from the top down.
 */
export function* movedFolders(deps: MovedFoldersDeps, paths: readonly string[]): Steps<ReadonlyMap<string, FileState>> {
  const arriving = paths.flatMap((path) => arrivalAt(deps, path) ?? []);
  const moves = arriving.length === 0 ? [] : yield* findMoves(deps, arriving);
  return new Map([...moves].sort(([a], [b]) => a.length - b.length));
}

function arrivalAt({ project, stat: statOf }: MovedFoldersDeps, path: string): FolderArrival | undefined {
  const isKnown = project.files.at(path) !== undefined || project.storedIds.at(path) !== undefined;
  if (isKnown || project.claims.has(path)) return undefined;
  const stat = statOf(directoryOf(path));
  return stat?.kind === 'directory' && statOf(path) === undefined ? { path, stat } : undefined;
}

function* findMoves(deps: MovedFoldersDeps, arriving: readonly FolderArrival[]): Steps<ReadonlyMap<string, FileState>> {
  const moves = new Map<string, FileState>();
  const { files, formerPaths } = deps.project;
  const removed = [...formerPaths.values()].filter(({ id }) => files.of(id).length === 0);
  const known = [...files.values(), ...removed].filter(isFolderWithoutFile);
  const left = new Set(known);
  const byInode = Map.groupBy<number | undefined, FolderArrival>(arriving, ({ stat }) => stat.ino);
  for (const state of known) {
    yield;
    const arrival = byInode.get(state.stamp?.ino)?.find((one) => isSameInode(one.stat, state) && !moves.has(one.path));
    if (arrival === undefined || isInPlace(deps, state)) continue;
    moves.set(arrival.path, state);
    left.delete(state);
  }
  const gone = known.filter((state) => left.has(state) && deps.stat(directoryOf(state.path)) === undefined);
  const arrivals = arriving.filter(({ path }) => !moves.has(path));
  if (gone.length === 0 || arrivals.length === 0) return moves;
  const pairs = yield* pairsByContent(deps, arrivals, gone);
  pairs.sort((a, b) => b.share - a.share || renamed(a) - renamed(b) || byPath(a, b));
  for (const { arrival, state } of pairs)
    if (!moves.has(arrival.path) && left.delete(state)) moves.set(arrival.path, state);
  return moves;
}

function isFolderWithoutFile({ path, sha256, hasExplicitId, unreadable }: FileState): boolean {
  return sha256 === null && !hasExplicitId && unreadable === undefined && nameOf(path) === folderFile;
}

/** Whether the directory is where it was. */
function isInPlace({ stat }: MovedFoldersDeps, state: FileState): boolean {
  const now = stat(directoryOf(state.path));
  return now !== undefined && isSameInode(now, state);
}

function renamed({ arrival, state }: Pair): number {
  return nameOf(directoryOf(arrival.path)) === nameOf(directoryOf(state.path)) ? 0 : 1;
}

function byPath(a: Pair, b: Pair): number {
  return compare(a.state.path, b.state.path) || compare(a.arrival.path, b.arrival.path);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function* pairsByContent(
  deps: MovedFoldersDeps,
  arrivals: readonly FolderArrival[],
  gone: readonly FileState[],
): Steps<Pair[]> {
  const pathsBelow = filesBelow(deps.files, new Set(arrivals.map(({ path }) => directoryOf(path))));
  const hashes = new Map<string, string | undefined>();
  const pairs: Pair[] = [];
  for (const state of gone) {
    const former = deps.project.files.below(directoryOf(state.path)).filter(({ sha256 }) => sha256 != null);
    const sizes = new Set(former.map(sizeOf));
    for (const arrival of arrivals) {
      const paths = pathsBelow.get(directoryOf(arrival.path)) ?? [];
      if (Math.min(paths.length, former.length) < Math.max(paths.length, former.length, 1) * similarityMin) continue;
      const left = new Map<string, number>();
      for (const { sha256 } of former) if (sha256 != null) left.set(sha256, (left.get(sha256) ?? 0) + 1);
      const compared = paths.sort().slice(0, comparedFilesMax);
      let equal = 0;
      for (const path of compared) {
        yield;
        const hash = hashOf(deps, hashes, path, sizes);
        const count = hash === undefined ? 0 : (left.get(hash) ?? 0);
        if (count === 0) continue;
        left.set(hash!, count - 1);
        equal++;
      }
      const share = equal / Math.min(Math.max(paths.length, former.length), comparedFilesMax);
      if (share >= similarityMin) pairs.push({ arrival, state, share });
    }
  }
  return pairs;
}

/** The files in each of these directories, and in those below it. */
function filesBelow(files: Iterable<string>, directories: ReadonlySet<string>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const path of files) {
    if (nameOf(path) === folderFile) continue;
    for (let directory = directoryOf(path); directory !== ''; directory = directoryOf(directory)) {
      if (!directories.has(directory)) continue;
      const paths = found.get(directory);
      if (paths === undefined) found.set(directory, [path]);
      else paths.push(path);
    }
  }
  return found;
}

/** The hash of a file with one of these sizes. */
function hashOf(
  { stat: statOf, bytesOf }: MovedFoldersDeps,
  hashes: Map<string, string | undefined>,
  path: string,
  sizes: ReadonlySet<number>,
): string | undefined {
  if (hashes.has(path)) return hashes.get(path);
  const stat = statOf(path);
  if (stat?.kind !== 'file' || !sizes.has(stat.size)) return undefined;
  const bytes = bytesOf(path, stat);
  const hash = bytes && sha256Of(bytes);
  hashes.set(path, hash);
  return hash;
}
