import type { UseQueryResult } from '@tanstack/react-query';
import { patchRow, useRows } from './cache.ts';
import { useChange } from './change.ts';
import type { Change } from './change.ts';
import type { Answer, ServiceError } from '../rest/client.ts';

export type SubmissionRow = Answer<'list_submissions'>['submissions'][number];

/** Submissions that await triage, oldest first. */
export function usePendingSubmissions(projectId: string): UseQueryResult<readonly SubmissionRow[], ServiceError> {
  return useRows('list_submissions', 'submissions', { project_id: projectId, status: 'pending' });
}

/** Every submission, triaged or not. */
export function useSubmissions(
  projectId: string,
  enabled: boolean,
): UseQueryResult<readonly SubmissionRow[], ServiceError> {
  return useRows('list_submissions', 'submissions', { project_id: projectId }, { enabled });
}

/** Accepts a submission into a task, or rejects it; it leaves the inbox before the response. */
export function useTriage(): Change<'triage_submission'> {
  return useChange('triage_submission', {
    show: (client, { submission_id: id }) => patchRow<SubmissionRow>(client, 'list_submissions', id, () => undefined),
    shownBy: ['list_submissions', 'list_tasks', 'get_project', 'list_projects'],
    failed: 'The submission could not be triaged',
  });
}

/** Fetches the submissions of the project's hosted remote. */
export function useSyncPull(): Change<'sync_pull'> {
  return useChange('sync_pull', {
    shownBy: ['list_submissions', 'get_project'],
    failed: 'Nothing could be fetched',
  });
}
