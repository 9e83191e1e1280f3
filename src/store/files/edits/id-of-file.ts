import type { Collection } from '../../record/collection.ts';
import {
  containsId,
  directoryOf,
  idByPath,
  keepsIdOnRename,
  nameOf,
  nextIdByPath,
  rowKey,
} from '../../record/locations.ts';
import type { FileState } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';
import { equal } from '../../record/plain.ts';
import { membersOf, type StoredRecord } from '../../record/record.ts';

/** Whether another file than the one at this path serves or contains an id. A missing one does not. */
function isHeldElsewhere({ files, undecided }: Project, id: string, path: string): boolean {
  return files.of(id).some((other) => other.path !== path && !undecided.isVanished(other.path));
}

/**
 * The state that a file at this path continues: what was known of it, also under its former name, or the last state of a
 * file that was removed there, unless its record is in another file now. At the opening it has the value that the file
 * had last: that in the index cache may be an older one.
 */
export function formerState(
  project: Project,
  collection: Collection,
  path: string,
  movedFrom?: FileState,
): FileState | undefined {
  const former = movedFrom ?? stateAt(project, path) ?? journaledState(project, collection, path);
  if (former === undefined) return undefined;
  const record = project.lastValues.get(former.id);
  return record === undefined ? former : withRecord(former, record);
}

/** The state with another value of its record: a field that this gives another value is not derived. */
function withRecord(former: FileState, record: StoredRecord): FileState {
  const { record: known, unstated = [] } = former;
  const isSame = (name: string): boolean =>
    known !== undefined && equal(membersOf(known)[name], membersOf(record)[name]);
  return { ...former, record, unstated: unstated.filter(isSame) };
}

function stateAt(project: Project, path: string): FileState | undefined {
  const known = project.files.at(path);
  if (known !== undefined) return known;
  const gone = project.formerPaths.get(path);
  if (gone === undefined || isHeldElsewhere(project, gone.id, path)) return undefined;
  // The record may have been at another path since then.
  const served = project.index.table(gone.collection).get(gone.id);
  return served === undefined ? gone : withRecord(gone, served);
}

/**
 * At the opening, the state of a file that is not in the index cache, which may be older than the file: the journal has
 * the record whose id is in the file's name, or whose name the service made.
 */
function journaledState(project: Project, collection: Collection, path: string): FileState | undefined {
  const { lastValues, lastNames, code } = project;
  if (lastValues.size === 0 || !containsId(collection)) return undefined;
  const isNamed = !keepsIdOnRename(collection, path);
  const id = isNamed ? idByPath(collection, code, project.id, path) : lastNames.get(nameOf(path));
  const record = lastValues.get(id ?? '');
  if (id === undefined || record === undefined || isHeldElsewhere(project, id, path)) return undefined;
  return {
    ...{ path, collection: collection.name, id, hasExplicitId: true, record },
    ...{ sha256: undefined, stamp: undefined },
  };
}

/**
 * The id of a record whose file contains none: the one that the path had, else one derived from the path. Of the ids that
 * a path derives, it is the first that is not the one of a file at another path. Two paths that derive the same id are two
 * files with one id, which is a problem for a person.
 */
export function idOfFile(
  project: Project,
  collection: Collection,
  path: string,
  former: FileState | undefined,
): string {
  const byPath = idByPath(collection, project.code, project.id, path);
  if (!keepsIdOnRename(collection, path) && collection.location.kind !== 'folder') return byPath;
  const isFree = (id: string): boolean =>
    collection.location.kind !== 'folder' || !isTaken(project, collection, id, path);
  if (former !== undefined && !former.hasExplicitId && isFree(former.id)) return former.id;
  let id = byPath;
  const next = (attempt: number): string => nextIdByPath(collection, project.code, path, attempt);
  for (let attempt = 2; isTaken(project, collection, id, path) || isJournaled(project, next, attempt); attempt++)
    id = next(attempt);
  return id;
}

/**
 * Whether the journal has a record without a file by the next id: the path derived it since the id before was that of
 * another record, whose file a power cut has lost.
 */
function isJournaled({ journaledIds, files }: Project, next: (attempt: number) => string, attempt: number): boolean {
  if (journaledIds.size === 0) return false;
  const id = next(attempt);
  return journaledIds.has(id) && files.of(id).length === 0;
}

function isTaken(project: Project, collection: Collection, id: string, path: string): boolean {
  const { files, undecided, code } = project;
  // The directory of a folder that is elsewhere now derives another id, whether the folder was read before it or not.
  if (collection.location.kind === 'folder')
    return project.rowKeysOf(id).some((key) => key !== rowKey(directoryOf(path)));
  return files
    .of(id)
    .some(
      ({ path: other }) =>
        other !== path && !undecided.isVanished(other) && idByPath(collection, code, project.id, other) !== id,
    );
}

/**
 * The files without an id that have the one of a file in which a rescan found it: they are other records. The id stays
 * theirs, too, if their names contain it: then two files have one id.
 */
export function filesOfOthers(
  { files, code, id: own }: Project,
  collections: ReadonlyMap<string, Collection>,
  path: string,
): readonly FileState[] {
  const id = files.at(path)?.id;
  return id === undefined
    ? []
    : files.of(id).filter((other) => {
        if (other.path === path || other.hasExplicitId) return false;
        const collection = collections.get(other.collection)!;
        return keepsIdOnRename(collection, other.path) || idByPath(collection, code, own, other.path) !== id;
      });
}
