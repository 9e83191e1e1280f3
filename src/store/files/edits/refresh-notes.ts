import { type FileState, isAsKnown } from '../project/file-table.ts';
import { type ReaderContext, readState } from './read-state.ts';
import { sha256Of } from '../disk/sha256.ts';

/**
 * Reads a file with notes or names again after it was written: their lines may have moved. Returns its state; the same
 * one if there are none, or if the file has changed since, which a rescan finds.
 */
export function refreshNotes(context: ReaderContext, state: FileState): FileState {
  const { disk, project, locations, projectsDirectory } = context;
  const { path, sha256, notes, named } = state;
  const collection = locations.at(path);
  if ((notes === undefined && named === undefined) || collection === undefined) return state;
  const absolute = `${projectsDirectory}/${project.directory}/${path}`;
  const stat = disk.stat(absolute);
  if (stat?.kind !== 'file' || !isAsKnown(state, stat)) return state;
  const bytes = disk.readSame(absolute, stat);
  if (bytes === undefined || sha256Of(bytes) !== sha256) return state;
  const read = readState(context, { path, collection, bytes, sha256, stat });
  if (read.unreadable !== undefined) return state;
  const { notes: _, named: __, ...rest } = state;
  const now = {
    ...rest,
    hasExplicitId: read.hasExplicitId,
    ...(read.notes !== undefined && { notes: read.notes }),
    ...(read.named !== undefined && { named: read.named }),
  };
  project.files.set(now);
  return now;
}
