import type { UseQueryResult } from '@tanstack/react-query';
import { compare, patchRow, useRows } from './cache.ts';
import { useChange } from './change.ts';
import type { Change } from './change.ts';
import type { Answer, ServiceError } from '../rest/client.ts';
import type { TaskRow } from './tasks.ts';

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

/** The runs of a task, oldest first. */
export function useRunsOfTask(projectId: string, taskId: string): UseQueryResult<readonly RunRow[], ServiceError> {
  return useRows('list_agent_runs', 'runs', { project_id: projectId, task_id: taskId });
}

/** Runs that ask come first, then running ones, then the newest. */
export function askingThenNewest(a: RunRow, b: RunRow): number {
  return urgencyOf(b) - urgencyOf(a) || compare(b.started_at, a.started_at);
}

function urgencyOf({ asks, status }: RunRow): number {
  return Number(status === 'running') + Number(asks);
}

/** The task that a run names, else those that its agent holds while it runs. */
export function tasksOfRun(run: RunRow, tasks: readonly TaskRow[]): readonly TaskRow[] {
  const { task_id: id, agent_ref: agent, status: state } = run;
  const named = id === null ? [] : tasks.filter((task) => task.id === id);
  if (named.length > 0 || agent === null || state !== 'running') return named;
  return tasks.filter(({ status, assignee }) => status === 'in_progress' && assignee === agent);
}

/** Answers the question of a run, which asks nothing from then on. */
export function useAnswerRun(): Change<'answer_agent_run'> {
  return useChange('answer_agent_run', {
    show: (client, { run_id }) =>
      patchRow<RunRow>(client, 'list_agent_runs', run_id, (run) => ({ ...run, asks: false, awaiting: null })),
    shownBy: ['list_agent_runs', 'get_agent_run', 'get_project', 'list_comments'],
    failed: 'The run could not be answered',
  });
}

/** Closes a run that its agent will not close any more. */
export function useCloseRun(): Change<'complete_agent_run'> {
  return useChange('complete_agent_run', {
    shownBy: ['list_agent_runs', 'get_agent_run'],
    failed: 'The run could not be closed',
  });
}
