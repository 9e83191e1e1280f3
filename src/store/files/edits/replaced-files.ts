import { type FileState, isAsKnown, sizeOf } from '../project/file-table.ts';
import { type Arrival, isMoved, isSameInode, linesOfFile, type MovedFilesDeps } from './moved-files.ts';
import { fileBytesMax } from './read-state.ts';
import { linesOfState, similarity, similarityMin } from './similarity.ts';
import type { Steps } from '../../../base/slices.ts';
import { sha256Of } from '../disk/sha256.ts';

/** A file that was renamed, and the one that is at its former path. */
export interface RenamedAndReplaced {
  readonly arrival: Arrival;
  readonly state: FileState;
  readonly replacement: Arrival;
}

/**
 * Finds files that were renamed and whose path has got another file since: the same inode, or the same content, is at
 * an arriving path, and what is at the former path now is not a version of it. An editor that keeps a backup by renaming
 * the file leaves a version of it at the path. `replaced`: the states of the files in whose place is another inode.
 */
export function* findRenamedAndReplaced(
  deps: MovedFilesDeps,
  arriving: readonly Arrival[],
  replaced: readonly FileState[],
): Steps<readonly RenamedAndReplaced[]> {
  const found: RenamedAndReplaced[] = [];
  if (replaced.length === 0 || arriving.length === 0) return found;
  const left = new Set(replaced);
  const bySize = Map.groupBy(replaced, sizeOf);
  // A file that is put in the place of another one arrives, too: the list grows.
  const arrivals = [...arriving];
  const byInode = new Map(arrivals.map((arrival) => [arrival.stat.ino, arrival]));
  const others = yield* renamedOthers(deps, byInode, left);
  for (const arrival of arrivals) {
    yield;
    const candidates = (bySize.get(arrival.stat.size) ?? []).filter(
      (state) => left.has(state) && state.collection === arrival.collection.name,
    );
    const isOther = others.has(arrival);
    const state = moved(arrival, candidates) ?? (isOther ? undefined : copied(deps, arrival, candidates, byInode));
    const stat = state && deps.stat(state.path);
    if (state === undefined || stat?.kind !== 'file') continue;
    const replacement = { path: state.path, collection: arrival.collection, stat };
    if (isVersionOf(deps, replacement, state)) continue;
    left.delete(state);
    found.push({ arrival, state, replacement });
    arrivals.push(replacement);
    byInode.set(stat.ino, replacement);
  }
  return found;
}

/** The arriving files that are known ones under another name. */
function* renamedOthers(
  { project, stat }: MovedFilesDeps,
  byInode: ReadonlyMap<number, Arrival>,
  replaced: ReadonlySet<FileState>,
): Steps<ReadonlySet<Arrival>> {
  const found = new Set<Arrival>();
  for (const state of project.files.values()) {
    yield;
    const arrival = byInode.get(state.stamp?.ino ?? 0);
    if (arrival === undefined || replaced.has(state) || !isMoved(arrival, state)) continue;
    if (stat(state.path)?.ino !== arrival.stat.ino) found.add(arrival);
  }
  return found;
}

/** The file was renamed and is unchanged. */
function moved({ stat }: Arrival, candidates: readonly FileState[]): FileState | undefined {
  return candidates.find(
    (state) => isSameInode(stat, state) && state.sha256 != null && state.stamp.mtimeMs === stat.mtimeMs,
  );
}

/** The only file with this content, unless its inode is under another name: git makes new inodes. */
function copied(
  deps: MovedFilesDeps,
  arrival: Arrival,
  candidates: readonly FileState[],
  byInode: ReadonlyMap<number, Arrival>,
): FileState | undefined {
  const lost = candidates.filter((state) => {
    const other = state.stamp && byInode.get(state.stamp.ino);
    return other === undefined || !isSameInode(other.stat, state);
  });
  const bytes = lost.length === 0 ? undefined : deps.bytesOf(arrival);
  const sha256 = bytes && sha256Of(bytes);
  const equal = lost.filter((state) => state.sha256 === sha256);
  return equal.length === 1 ? equal[0] : undefined;
}

/**
 * Whether an arriving file has the content of a known one without an id that is not as it was: an event that is still
 * to come will name that one.
 */
export function* hasContentOfChanged(deps: MovedFilesDeps, arriving: readonly Arrival[]): Steps<boolean> {
  const bySize = Map.groupBy(arriving, ({ stat }) => stat.size);
  for (const state of arriving.length === 0 ? [] : deps.project.files.values()) {
    yield;
    if (state.hasExplicitId || state.sha256 == null) continue;
    const arrivals = bySize.get(sizeOf(state))?.filter(({ collection }) => collection.name === state.collection) ?? [];
    if (arrivals.length === 0) continue;
    const stat = deps.stat(state.path);
    if (stat?.kind === 'file' && isAsKnown(state, stat)) continue;
    for (const arrival of arrivals) {
      const bytes = deps.bytesOf(arrival);
      if (bytes !== undefined && sha256Of(bytes) === state.sha256) return true;
    }
  }
  return false;
}

/** Whether what is at the path of a file without an id is no version of it. */
export function isAnotherFile(deps: MovedFilesDeps, state: FileState): boolean {
  const collection = deps.collections.get(state.collection);
  const stat = deps.stat(state.path);
  if (collection === undefined || stat?.kind !== 'file') return false;
  return !isVersionOf(deps, { path: state.path, collection, stat }, state);
}

/** A file that contains its id says itself which record it is. */
function isVersionOf(deps: MovedFilesDeps, now: Arrival, before: FileState): boolean {
  const known = linesOfState(now.collection, before);
  if (known === undefined || now.stat.size > fileBytesMax(now.collection)) return true;
  const bytes = deps.bytesOf(now);
  const lines = bytes && linesOfFile(now, bytes);
  return lines === undefined || lines.sharedId !== known.sharedId || similarity(known, lines) >= similarityMin;
}
