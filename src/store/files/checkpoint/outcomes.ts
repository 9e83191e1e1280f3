import type { Problem } from '../../record/read-transaction.ts';
import { pathFields } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import type { FileState } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';
import { nameInFolderFile } from '../../record/locations.ts';
import { membersOf, type StoredRecord } from '../../record/record.ts';
import type { LeftToDo, WriteEvent } from '../life/write-life.ts';
import type { CheckpointResult } from './checkpoint-job.ts';
import type { PlannedWrite } from './checkpoint-plan.ts';

/** The event for the record that a result means. */
export function eventOf(planned: PlannedWrite, result: CheckpointResult | undefined, gitChanged: boolean): WriteEvent {
  const { job, path, record } = planned;
  switch (result?.status) {
    case 'ok':
    case 'raced': {
      const raced = result.status === 'raced';
      return gitChanged && job.kind === 'file'
        ? { kind: 'gitMoved', write: { path, sha256: result.sha256, record }, raced }
        : { kind: 'wrote', left: leftToDo(planned), gitChanged, raced };
    }
    case 'changed':
      return { kind: 'differed' };
    case 'failed':
      return { kind: 'failed', problem: parkedProblem(planned, result.code, result.message) };
    case 'git':
    case undefined:
      return { kind: 'postponed' };
  }
}

/** The work that remains after this write. */
function leftToDo({ job, project, collection, former, record, path }: PlannedWrite): LeftToDo {
  if (job.kind === 'moveDirectory') {
    if (former?.record === undefined || record === undefined) return 'check';
    return nameInFile(former.record, former.path) === nameInFile(record, path) ? 'check' : 'file';
  }
  if (collection.location.kind !== 'folder') return 'nothing';
  if (job.kind === 'removeDirectoryIfEmpty')
    return leftOfFolder(project, collection, former) === undefined ? 'nothing' : 'directory';
  if (job.kind !== 'file') return 'nothing';
  // A folder's own file is removed before its directory, and gets its id before its directory is moved.
  const isIdOnly = former !== undefined && !former.hasExplicitId && former.record === record;
  return record === undefined || isIdOnly ? 'directory' : 'nothing';
}

/**
 * Another file of a removed folder: a power failure may leave two directories of a folder that was renamed. A copy that
 * a person made has another name.
 */
export function leftOfFolder(
  { files }: Project,
  collection: Collection,
  former: FileState | undefined,
): FileState | undefined {
  if (collection.location.kind !== 'folder' || former?.record === undefined) return undefined;
  const known = membersOf(former.record);
  const isSame = (record: StoredRecord): boolean =>
    pathFields(collection).every((field) => membersOf(record)[field] === known[field]);
  return files.of(former.id).find(({ path, record }) => path !== former.path && record !== undefined && isSame(record));
}

function nameInFile(folder: StoredRecord, path: string): string | null {
  return nameInFolderFile(String(membersOf(folder)['name']), path);
}

function parkedProblem({ project, id, path }: PlannedWrite, code: string, message: string): Problem {
  const system = code !== 'ERROR';
  return {
    path: project.shownPath(path),
    kind: 'parked',
    reason: `A change is parked because the file cannot be written: ${message}${system ? ` (${code})` : ''}`,
    id,
    remedy: system
      ? 'Make the file writable (permissions, free space); the change is then written automatically.'
      : 'Make the front matter shorter or plainer by hand, comments first; the change is then written automatically.',
  };
}

/** Returns whether a file was not written because the folder that it is in is elsewhere, or gone. */
export function isFolderGone({ job }: PlannedWrite, result: CheckpointResult | undefined): boolean {
  return result?.status === 'changed' && 'folder' in job && result.path === job.folder;
}

/** The number of events that a job causes for each of its paths. */
export function ownEvents(result: CheckpointResult | undefined): number {
  return (result?.status === 'ok' || result?.status === 'raced') && result.emitsEvent ? 1 : 0;
}
