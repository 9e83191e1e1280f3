import { isoTime } from '../../../base/clock.ts';
import { assemble } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import type { FolderRow } from '../../record/folder-rows.ts';
import { directoryOf, movedRow, rowKey, treeOf } from '../../record/locations.ts';
import { membersOf } from '../../record/record.ts';
import type { FileStat } from '../disk/disk.ts';
import { type FileState, inodeOf } from '../project/file-table.ts';
import { idOfFile } from './id-of-file.ts';
import { fieldsFromPath, pathFieldsChanged, type ReaderContext } from './read-state.ts';

/** A directory that is a folder, and the folder's path. */
export interface FolderDirectory {
  readonly collection: Collection;
  readonly path: string;
  readonly stat: FileStat;
}

/** The state of a folder: its id is in the directory's row, or derives from its path. The former one if nothing has changed. */
export function folderState(
  context: ReaderContext,
  { collection, path, stat }: FolderDirectory,
  former: FileState | undefined,
): FileState {
  const { project } = context;
  const row = rowFor(context, path) ?? keptRow(context, path, stat, former);
  const id = row?.id ?? idOfFile(project, collection, path, former);
  const { ino, birthtimeMs } = stat;
  const pathFields = fieldsFromPath(context, collection, path, { ...row });
  const isSame =
    former?.id === id &&
    former.hasExplicitId === (row !== undefined) &&
    former.record !== undefined &&
    membersOf(former.record)['name'] === pathFields['name'] &&
    !pathFieldsChanged(context, project, collection, former) &&
    former.stamp?.ino === ino &&
    former.stamp.birthtimeMs === birthtimeMs;
  if (isSame) return former;
  const known = project.lastValues.get(id) ?? former?.record;
  const createdAt = known?.created_at ?? isoTime(birthtimeMs > 0 ? birthtimeMs : stat.mtimeMs);
  const placement = { id, code: project.code, createdAt, revisedAt: undefined, pathFields };
  return {
    ...{ path, collection: collection.name, id, hasExplicitId: row !== undefined },
    ...{ sha256: null, stamp: inodeOf(stat), record: assemble(collection, {}, placement) },
  };
}

/**
 * The row of a folder whose directory a person has renamed, which is not written yet: it is at a path where no directory
 * is.
 */
function keptRow(
  context: ReaderContext,
  path: string,
  stat: FileStat,
  former: FileState | undefined,
): FolderRow | undefined {
  if (former?.hasExplicitId !== true || former.stamp?.ino !== stat.ino) return undefined;
  const { project } = context;
  const key = project.rowKeysOf(former.id).find((one) => !isDirectory(context, `${treeOf(path)}/${one}`));
  return key === undefined ? undefined : movedRow(project.rows.get(key)!, key, rowKey(directoryOf(path)));
}

/** The row of a directory, unless another directory that exists is the folder with this id. */
function rowFor(context: ReaderContext, path: string): FolderRow | undefined {
  const { rows, files } = context.project;
  const row = rows.get(rowKey(directoryOf(path)));
  const isOther = (one: FileState): boolean =>
    one.path !== path && one.hasExplicitId && isDirectory(context, directoryOf(one.path));
  return row !== undefined && files.of(row.id).some(isOther) ? undefined : row;
}

function isDirectory({ project, disk, projectsDirectory }: ReaderContext, path: string): boolean {
  return disk.stat(`${projectsDirectory}/${project.directory}/${path}`)?.kind === 'directory';
}
