import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { useRows } from './cache.ts';
import { useChange } from './change.ts';
import type { Answer, Input, ServiceError } from './client.ts';

export type RunRow = Answer<'list_agent_runs'>['runs'][number];

export const runStatusNames: Readonly<Record<RunRow['status'], string>> = {
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
};

/** Runs with their progress, oldest first. */
export function useRuns(projectId: string): UseQueryResult<readonly RunRow[], ServiceError> {
  return useRows('list_agent_runs', 'runs', { project_id: projectId });
}

/** Closes a run that nobody will close any more. */
export function useCloseRun(): UseMutationResult<
  Answer<'complete_agent_run'>,
  ServiceError,
  Input<'complete_agent_run'>,
  (() => void) | undefined
> {
  return useChange('complete_agent_run', {
    shownBy: ['list_agent_runs', 'get_agent_run'],
    failed: 'The run could not be closed',
  });
}
