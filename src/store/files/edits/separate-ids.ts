import type { Collection } from '../../record/collection.ts';
import { idByPath, keepsIdOnRename } from '../../record/locations.ts';
import type { FileState } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';
import { isSameInode } from './moved-files.ts';

export interface SeparateIdsDeps {
  readonly project: Project;
  readonly collections: ReadonlyMap<string, Collection>;
  /** Whether this rescan read a file of the record, and none was known before. */
  readonly isNew: (id: string) => boolean;
  /** Reads a file again as if this were its former state. */
  readonly readAs: (state: FileState, former: FileState | undefined) => void;
}

/** What a rescan found. */
export interface Found {
  /** Files whose records are removed. */
  readonly gone: readonly FileState[];
  /** The paths of files that contain the id of another record than the one that was known there, if any. */
  readonly identified: Iterable<string>;
  /** Former states of paths at which there is another file now, or none. */
  readonly displaced: readonly FileState[];
}

/** Gives the files that a rescan read ids of their own. */
export function separateIds(deps: SeparateIdsDeps, { gone, identified, displaced }: Found): void {
  for (const state of gone) giveIdToCopy(deps, state);
  for (const path of identified) separateFromIdentified(deps, path, displaced);
  separateNewFiles(deps);
  separateSharedIds(deps);
}

/**
 * A file without an id in the place of a record's is this record, until the record's id is found in a file under another
 * name: then it is the one that had its inode or content, the one whose id is in its name, or a new one.
 */
function separateFromIdentified(
  { project, collections, readAs }: SeparateIdsDeps,
  path: string,
  displaced: readonly FileState[],
): void {
  const { files, formerPaths, code, id: own } = project;
  const id = files.at(path)?.id;
  for (const other of id === undefined ? [] : files.of(id)) {
    const collection = collections.get(other.collection)!;
    const isNamed = !keepsIdOnRename(collection, other.path) && idByPath(collection, code, own, other.path) === id;
    if (other.path === path || other.hasLostId !== true || isNamed) continue;
    const isSame = (state: FileState): boolean =>
      state.collection === other.collection && !state.hasExplicitId && isSameFile(other, state);
    const before = [...displaced, ...formerPaths.values()].find(
      (state) => isSame(state) && files.of(state.id).length === 0,
    );
    readAs(other, before);
  }
}

function isSameFile({ sha256, stamp }: FileState, before: FileState): boolean {
  return sha256 != null && (isSameInode(stamp, before) || sha256 === before.sha256);
}

/**
 * If a new file derives the id that another new file contains, or has kept, it gets another one, whichever of them
 * was read first: the other one was renamed, and this one got its former name.
 */
function separateNewFiles({ project, collections, isNew, readAs }: SeparateIdsDeps): void {
  for (const id of [...project.files.duplicates]) {
    const states = project.files.of(id);
    const derived = states.filter(({ hasExplicitId, hasKeptId }) => !hasExplicitId && hasKeptId !== true);
    if (!isNew(id) || derived.length === states.length) continue;
    for (const state of derived)
      if (keepsIdOnRename(collections.get(state.collection)!, state.path)) readAs(state, undefined);
  }
}

/**
 * If several new files contain one id of another tool, each gets an id of its own, whichever was read first. The id
 * stays with one of them if it is that of a record of this project: of a file with the id in its name, or with history.
 */
function separateSharedIds({ project, isNew, readAs }: SeparateIdsDeps): void {
  for (const id of [...project.files.sharedIds()]) {
    const holder = project.files.served(id);
    if (holder === undefined || !isNew(id)) continue;
    // At the opening: the records of the others have had ids of their own before.
    const states = project.files.containing(id).filter(({ path }) => project.storedIds.at(path) === undefined);
    if (states.length === 1 && states[0] === holder) continue;
    const owner = project.files.ownerOf(states, id, project.history.span(id) !== undefined);
    if (owner === holder) continue;
    readAs(holder, undefined);
    if (owner !== undefined) readAs(owner, { ...owner, id, hasExplicitId: true });
  }
}

/**
 * A copy with an id of another tool, whose original is removed next, is the original under another name, as long as
 * nothing has happened to the copy.
 */
function giveIdToCopy({ project, readAs }: SeparateIdsDeps, { id, sha256, hasExplicitId, record }: FileState): void {
  const { files, history } = project;
  if (!hasExplicitId || files.served(id) !== undefined) return;
  const [copy, ...others] = files.containing(id).filter((state) => state.sha256 === sha256);
  if (copy === undefined || others.length > 0 || history.span(copy.id) !== undefined) return;
  readAs(copy, { ...copy, id, hasExplicitId: true, record });
}
