import type { UseQueryResult } from '@tanstack/react-query';
import { useRows } from './cache.ts';
import { useChange } from './change.ts';
import type { Change } from './change.ts';
import type { Answer, ServiceError } from '../rest/client.ts';

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

/** Closes a run that its agent will not close any more. */
export function useCloseRun(): Change<'complete_agent_run'> {
  return useChange('complete_agent_run', {
    shownBy: ['list_agent_runs', 'get_agent_run'],
    failed: 'The run could not be closed',
  });
}
