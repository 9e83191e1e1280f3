import { isoTime } from '../../../clock.ts';
import { assemble } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import { idByPath } from '../../record/locations.ts';
import type { FileStat } from '../disk/disk.ts';
import type { FileState } from '../project/file-table.ts';
import { fieldsFromPath, type ReaderContext } from './read-state.ts';

/** The state of a folder without a file of its own. `path`: where its file would be. */
export function stateOfDirectory(
  context: ReaderContext,
  collection: Collection,
  path: string,
  { mtimeMs }: FileStat,
): FileState {
  const { project } = context;
  const id = idByPath(collection, project.code, project.id, path);
  const placement = {
    id,
    code: project.code,
    createdAt: isoTime(mtimeMs),
    revisedAt: undefined,
    pathFields: fieldsFromPath(context, collection, path),
  };
  return {
    path,
    collection: collection.name,
    id,
    hasExplicitId: false,
    sha256: '',
    stamp: { size: -1, mtimeMs: 0, ctimeMs: 0, ino: 0 },
    record: assemble(collection, {}, placement),
  };
}
