import type { Collection } from '../../record/collection.ts';
import { idByPath, keepsIdOnRename, nextIdByPath } from '../../record/locations.ts';
import type { FileState } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';

/** Whether another file than the one at this path serves or contains an id. */
export function isHeldElsewhere({ files }: Project, id: string, path: string): boolean {
  return files.of(id).some((other) => other.path !== path);
}

/**
 * The state that a file at this path continues: what was known of it, or the last state of a file that was removed
 * there, unless its record is in another file now.
 */
export function formerState(project: Project, path: string): FileState | undefined {
  const known = project.files.at(path);
  if (known !== undefined) return known;
  const gone = project.formerPaths.get(path);
  return gone === undefined || isHeldElsewhere(project, gone.id, path) ? undefined : gone;
}

/**
 * The id of a record whose file contains none: the one that it had, also under another name; else the one that was
 * stored for its path, else one derived from its path.
 */
export function idOfFile(
  project: Project,
  collection: Collection,
  path: string,
  former: FileState | undefined,
): string {
  const byPath = idByPath(collection, project.code, project.id, path);
  if (!keepsIdOnRename(collection, path)) return byPath;
  return former !== undefined && !former.hasExplicitId ? former.id : idOfNewFile(project, collection, path, byPath);
}

function idOfNewFile(project: Project, collection: Collection, path: string, byPath: string): string {
  const stored = project.storedIds.at(path);
  if (stored !== undefined && !isHeldElsewhere(project, stored, path)) return stored;
  let id = byPath;
  for (let attempt = 2; isTaken(project, collection, id, path); attempt++)
    id = nextIdByPath(collection, project.code, path, attempt);
  return id;
}

/**
 * Whether an id that would be derived from a path belongs to a file that was renamed. Two paths that derive the same id
 * are two files with one id, which is a problem for a person.
 */
function isTaken(project: Project, collection: Collection, id: string, path: string): boolean {
  for (const other of project.files.of(id))
    if (other.path !== path && idByPath(collection, project.code, project.id, other.path) !== id) return true;
  const stored = project.storedIds.pathOf(id);
  return stored !== undefined && stored !== path;
}
