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

/** Runs with their newest lines of progress, oldest first. */
export function useRuns(projectId: string): UseQueryResult<readonly RunRow[], ServiceError> {
  return useRows('list_agent_runs', 'runs', { project_id: projectId, verbose: false });
}

/** The runs of a task, likewise. */
export function useRunsOfTask(projectId: string, taskId: string): UseQueryResult<readonly RunRow[], ServiceError> {
  return useRows('list_agent_runs', 'runs', { project_id: projectId, task_id: taskId, verbose: false });
}

const agentsIn = new WeakMap<readonly RunRow[], ReadonlySet<string | null>>();

/** Returns whether this is the name of an agent: one that has runs. */
export function isAgent(runs: readonly RunRow[] | undefined, name: string): boolean {
  if (runs === undefined) return false;
  let known = agentsIn.get(runs);
  if (known === undefined) {
    known = new Set(runs.map(({ agent_ref: agent }) => agent));
    agentsIn.set(runs, known);
  }
  return known.has(name);
}

/** The newest run of each task, and of each agent that runs: made once for a list. */
const newestOf = new WeakMap<readonly RunRow[], ReadonlyMap<string, RunRow>>();

/** The newest run of a task: one that names it, else the running one of the agent that holds it. */
export function newestRun(
  runs: readonly RunRow[],
  { id, status, assignee }: Pick<TaskRow, 'id' | 'status' | 'assignee'>,
): RunRow | undefined {
  let known = newestOf.get(runs);
  if (known === undefined) {
    known = new Map(runs.map((run) => [run.task_id ?? `${run.status} ${run.agent_ref}`, run]));
    newestOf.set(runs, known);
  }
  return (
    known.get(id) ?? (status === 'in_progress' && assignee !== null ? known.get(`running ${assignee}`) : undefined)
  );
}

/** Returns whether a task that waits was worked on, and its newest run failed. */
export function cameBack({ status }: Pick<TaskRow, 'status'>, run: RunRow | undefined): run is RunRow {
  return run?.status === 'failed' && status !== 'done' && status !== 'in_progress';
}

/** After this time without a line of progress a running run counts as silent. */
const silentMs = 40 * 60_000;

/** The time of the newest sign of life of a run. */
export function lastSignOf({ events, started_at: began }: RunRow): string {
  return events.at(-1)?.created_at ?? began;
}

/** The time from which a run counts as silent; null if it does not run, or waits for a person. */
export function silentFrom(run: RunRow): string | null {
  if (run.status !== 'running' || run.asks) return null;
  return new Date(Date.parse(lastSignOf(run)) + silentMs).toISOString();
}

export type RunState = RunRow['status'] | 'asks' | 'silent';

export function runStateAt(run: RunRow, now: number): RunState {
  if (run.asks) return 'asks';
  const from = silentFrom(run);
  return from !== null && Date.parse(from) <= now ? 'silent' : run.status;
}

/** Runs that ask come first, then running ones, then the newest. */
export function askingThenNewest(a: RunRow, b: RunRow): number {
  return urgencyOf(b) - urgencyOf(a) || compare(b.started_at, a.started_at);
}

function urgencyOf({ asks, status }: RunRow): number {
  return Number(status === 'running') + Number(asks);
}

/** The program that works, as claude; of a run that names none, its agent. */
export function workerOf({ agent, agent_ref }: Pick<RunRow, 'agent' | 'agent_ref'>): string | null {
  return agent ?? agent_ref;
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
