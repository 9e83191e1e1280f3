import { directoryOf, folderFile, nameOf } from '../../record/locations.ts';
import { type FileState, inodeOf, stampOf } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';
import type { CheckpointResult } from './checkpoint-job.ts';
import type { PlannedWrite } from './checkpoint-plan.ts';
import type { UnsyncedFiles } from './unsynced-files.ts';

export type Written = Extract<CheckpointResult, { readonly status: 'ok' | 'raced' }>;

/** Updates a project's file table after a write. `top`: the project's directory, absolute. */
export function applyWrite(planned: PlannedWrite, result: Written, top: string, unsynced: UnsyncedFiles): void {
  const { project, id, job, former, path, record, collection, unstated } = planned;
  if ('rows' in job) project.changeRows(job.rows);
  if (job.kind === 'moveDirectory') return applyMove(planned, top, unsynced);
  if (record === undefined) return applyRemoval(planned);
  if (job.kind === 'makeDirectory') return applyFolder(planned, result);
  if (result.stat === null || result.sha256 === null) return;
  if (former !== undefined && former.path !== path) {
    project.files.delete(former.path);
    // An editor that has the former path empties a file there before it writes.
    project.rememberPath(former);
  }
  const state: FileState = {
    path,
    collection: collection.name,
    id,
    hasExplicitId: former === undefined || !unstated.includes('id'),
    sha256: result.sha256,
    stamp: stampOf(result.stat),
    record,
    ...(unstated.length > 0 && { unstated }),
    ...(former?.notes !== undefined && { notes: former.notes }),
    ...(former?.named !== undefined && { named: former.named }),
  };
  project.files.set(state);
  project.files.serve(state);
  unsynced.add(`${top}/${path}`, { project, id });
  project.queue.add({ kind: 'written', collection, state });
}

function applyFolder({ project, id, path, record, collection }: PlannedWrite, { stat }: Written): void {
  const stamp = stat === null ? undefined : inodeOf(stat);
  const state = { path, collection: collection.name, id, hasExplicitId: true, sha256: null, stamp, record };
  project.files.set(state);
  project.files.serve(state);
}

function applyRemoval({ project, job, former }: PlannedWrite): void {
  if (former === undefined) return;
  project.files.delete(former.path);
  project.forgetPathsOf(former.id);
  // A directory that is not empty stays, as a folder that a person made: files were put there meanwhile.
  if (job.kind === 'removeDirectoryIfEmpty') readAgain(project, former.path);
  // Another file with the same id has the record now: which one, all of them say, since one may have lost its id.
  for (const other of project.files.of(former.id)) readAgain(project, other.path);
}

/** A directory moved: updates the paths of all files in it. */
function applyMove({ project, former, path, record }: PlannedWrite, top: string, unsynced: UnsyncedFiles): void {
  if (former === undefined) return;
  const [from, to] = [directoryOf(former.path), directoryOf(path)];
  unsynced.move(`${top}/${from}`, `${top}/${to}`);
  const pathAfter = (before: string): string =>
    before.startsWith(`${from}/`) ? `${to}${before.slice(from.length)}` : before;
  const moved = project.files.below(from);
  const served = new Set(moved.map(({ id }) => project.files.served(id)!.path));
  for (const state of moved) {
    project.files.delete(state.path);
    const at = pathAfter(state.path);
    project.files.set({
      ...state,
      path: at,
      ...(state.unreadable && { unreadable: { ...state.unreadable, path: project.shownPath(at) } }),
      ...(state.path === former.path && { record }),
      ...(nameOf(state.path) === folderFile && { hasExplicitId: true }),
    });
  }
  // The other files with their ids stay copies.
  for (const before of served) project.files.serve(project.files.at(pathAfter(before))!);
  // Events report earlier changes by a person under the former path.
  project.queue.add({ kind: 'rescan', paths: [to], afterMs: 0 });
}

function readAgain(project: Project, path: string): void {
  project.files.delete(path);
  project.queue.add({ kind: 'rescan', paths: [path], afterMs: 0 });
}
