import { isoTime } from '../../../base/clock.ts';
import { assemble } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import type { FileStat } from '../disk/disk.ts';
import { sha256Of } from '../disk/sha256.ts';
import { type FileState, type Inode, isAsKnown } from '../project/file-table.ts';
import { idOfFile } from './id-of-file.ts';
import { fieldsFromPath, pathFieldsChanged, type ReaderContext, readState } from './read-state.ts';

/** A directory that is a folder. `path`: where its file is, or would be. */
export interface FolderDirectory {
  readonly collection: Collection;
  readonly path: string;
  readonly absolute: string;
  readonly stat: FileStat;
  /** Of what is at `path`. */
  readonly fileStat: FileStat | undefined;
}

/** The state of a folder; the former one if nothing has changed. */
export function folderState(
  context: ReaderContext,
  directory: FolderDirectory,
  former: FileState | undefined,
): FileState {
  const { collection, path, absolute, stat, fileStat } = directory;
  if (fileStat?.kind === 'file') {
    if (
      former !== undefined &&
      isAsKnown(former, fileStat) &&
      !pathFieldsChanged(context, context.project, collection, former)
    )
      return former;
    const bytes = context.disk.readIfExists(absolute);
    if (bytes !== undefined)
      return readState(context, { path, collection, bytes, sha256: sha256Of(bytes), stat: fileStat });
  }
  if (former === undefined || former.hasExplicitId) return stateOfDirectory(context, directory, undefined);
  // Its own file is gone, or the folder above is another one.
  if (former.sha256 !== null || pathFieldsChanged(context, context.project, collection, former))
    return stateOfDirectory(context, directory, former);
  const { stamp } = former;
  const isSame = stamp?.ino === stat.ino && stamp.birthtimeMs === stat.birthtimeMs;
  return isSame ? former : { ...former, stamp: inodeOf(stat) };
}

/** The state of a folder without a file of its own. */
function stateOfDirectory(
  context: ReaderContext,
  { collection, path, stat }: FolderDirectory,
  former: FileState | undefined,
): FileState {
  const { project } = context;
  const id = idOfFile(project, collection, path, former);
  const placement = {
    id,
    code: project.code,
    createdAt: former?.record?.created_at ?? isoTime(stat.mtimeMs),
    revisedAt: undefined,
    pathFields: fieldsFromPath(context, collection, path),
  };
  return {
    path,
    collection: collection.name,
    id,
    hasExplicitId: false,
    sha256: null,
    stamp: inodeOf(stat),
    record: assemble(collection, {}, placement),
  };
}

function inodeOf({ ino, birthtimeMs }: FileStat): Inode {
  return { ino, birthtimeMs };
}
