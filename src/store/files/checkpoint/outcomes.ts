import type { Problem } from '../../record/read-transaction.ts';
import type { WriteEvent } from '../life/write-life.ts';
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
        : { kind: 'wrote', isChecked: job.kind === 'moveDirectory', gitChanged, raced };
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
