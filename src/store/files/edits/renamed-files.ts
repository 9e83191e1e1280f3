import type { Collection } from '../../record/collection.ts';
import { nameOf } from '../../record/locations.ts';
import { eachInSteps, type Steps } from '../../../base/slices.ts';
import type { FileStat } from '../disk/disk.ts';
import { sha256Of } from '../disk/sha256.ts';
import { type FileState, type Inode, sizeOf } from '../project/file-table.ts';

/** A file at a path that had none when it was last looked at. */
export interface Arrival {
  readonly path: string;
  readonly collection: Collection;
  readonly stat: FileStat;
}

/** Whether a file is the one that had this state: a new file may get the inode of a removed one, with another birth. */
export function isSameInode({ ino, birthtimeMs = 0 }: Inode, { stamp }: FileState): boolean {
  return ino !== 0 && stamp?.ino === ino && birthtimeMs > 0 && birthtimeMs === stamp.birthtimeMs;
}

/**
 * The former states, by present path, of files that were renamed: within one rescan a file is missing and one of the
 * same collection arrives that has its inode and birth, or its content and its name. `bytesOf`: what is in an arriving
 * file; undefined if it has changed since.
 */
export function* findRenamed(
  arrivals: readonly Arrival[],
  missing: readonly FileState[],
  bytesOf: (arrival: Arrival) => Uint8Array | undefined,
): Steps<ReadonlyMap<string, FileState>> {
  const renamed = new Map<string, FileState>();
  const left = new Set(missing);
  const byInode = Map.groupBy(missing, ({ stamp }) => stamp?.ino);
  const byName = Map.groupBy(missing, ({ path }) => nameOf(path));
  const take = (
    { path, collection }: Arrival,
    states: readonly FileState[] | undefined,
    isIt: (state: FileState) => boolean,
  ): void => {
    const state = states?.find((one) => left.has(one) && one.collection === collection.name && isIt(one));
    if (state !== undefined && left.delete(state)) renamed.set(path, state);
  };
  yield* eachInSteps(arrivals, (one) => take(one, byInode.get(one.stat.ino), (state) => isSameInode(one.stat, state)));
  yield* eachInSteps(arrivals, (one) => {
    const named = byName.get(nameOf(one.path))?.filter((state) => left.has(state) && sizeOf(state) === one.stat.size);
    const bytes = renamed.has(one.path) || !named?.length ? undefined : bytesOf(one);
    const sha256 = bytes && sha256Of(bytes);
    if (sha256 !== undefined) take(one, named, (state) => state.sha256 === sha256);
  });
  return renamed;
}
