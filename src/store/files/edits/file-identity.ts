import { isOwnId } from '../../../base/ids.ts';
import type { Collection } from '../../record/collection.ts';
import type { Disk } from '../disk/disk.ts';
import { idByPath, keepsIdOnRename, nextIdByPath } from '../../record/locations.ts';
import type { FileState } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';
import { equal } from '../../record/plain.ts';
import { membersOf } from '../../record/record.ts';
import { shapeAt } from '../../record/shapes.ts';

/** Whether another file than the one at this path serves or contains an id. */
export function isHeldElsewhere({ files }: Project, id: string, path: string): boolean {
  return files.of(id).some((other) => other.path !== path);
}

export interface SharedIdDeps {
  readonly project: Project;
  readonly disk: Disk;
  /** Absolute path of `projects/`. */
  readonly projectsDirectory: string;
}

/**
 * Whether an id in a Markdown file is one of another tool that other files contain, too. Then it is the id of the record
 * that had it before, and of no new one: tools number their files, and a copied template has the id of its original.
 */
export function isSharedId(
  { project, disk, projectsDirectory }: SharedIdDeps,
  { collection, path }: { readonly collection: Collection; readonly path: string },
  former: FileState | undefined,
  id: string,
): boolean {
  if (isOwnId(id) || shapeAt(collection.shape, path).format !== 'markdown' || former?.id === id) return false;
  if (former?.sharedId === id || project.storedIds.at(path) !== undefined) return true;
  const top = `${projectsDirectory}/${project.directory}`;
  // At the opening, files whose records have ids of their own leave the id to the one that had it.
  return project.files
    .containing(id)
    .some(
      ({ path: other }) =>
        other !== path && project.storedIds.at(other) === undefined && disk.stat(`${top}/${other}`) !== undefined,
    );
}

/**
 * The state that a file at this path continues: what was known of it, also under its former name, or the last state of a
 * file that was removed there, unless its record is in another file now. At the opening it has the value that the file
 * had last: that in the index cache may be an older one.
 */
export function formerState(project: Project, path: string, movedFrom?: FileState): FileState | undefined {
  const former = movedFrom ?? stateAt(project, path);
  if (former === undefined) return undefined;
  const { record: known, unstated = [] } = former;
  const record = project.lastValues.get(former.id);
  if (record === undefined) return former;
  const isSame = (name: string): boolean =>
    known !== undefined && equal(membersOf(known)[name], membersOf(record)[name]);
  return { ...former, record, unstated: unstated.filter(isSame) };
}

function stateAt(project: Project, path: string): FileState | undefined {
  const known = project.files.at(path);
  if (known !== undefined) return known;
  const gone = project.formerPaths.get(path);
  // At the opening, another record may have had the path last.
  const isOfAnother = gone !== undefined && (project.storedIds.at(path) ?? gone.id) !== gone.id;
  return gone === undefined || isOfAnother || isHeldElsewhere(project, gone.id, path) ? undefined : gone;
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
  if (!keepsIdOnRename(collection, path) && collection.location.kind !== 'folder') return byPath;
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
