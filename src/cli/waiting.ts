import type { Run, Submission } from '../schema/types.ts';
import { present } from './command-line.ts';
import type { CliTarget } from './cli-target.ts';
import type { ShownTask } from './show-task.ts';

/** All rows of a list of a project. */
async function allRows<T>(
  { planner }: CliTarget,
  operation: string,
  member: string,
  input: Readonly<Record<string, unknown>>,
): Promise<readonly T[]> {
  const rows: T[] = [];
  for (let cursor: unknown, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await planner.call(operation, present({ ...input, cursor }));
    rows.push(...(page[member] as readonly T[]));
    cursor = page['next_cursor'];
  }
  return rows;
}

/** The runs whose agent waits for an answer. */
export async function askingRuns(target: CliTarget, project_id: string): Promise<readonly Run[]> {
  const runs = await allRows<Run>(target, 'list_agent_runs', 'runs', { project_id, status: 'running' });
  return runs.filter(({ asks }) => asks);
}

/** What participants submitted, and is not decided. */
export function pendingSubmissions(target: CliTarget, project_id: string): Promise<readonly Submission[]> {
  return allRows<Submission>(target, 'list_submissions', 'submissions', { project_id, status: 'pending' });
}

/** A run that asks: its id, its name and the question. */
export function questionLine({ id, label, agent_ref: agent, events }: Run): string {
  return `${id}  ${label ?? agent ?? 'A run'}: ${events.at(-1)?.message ?? ''}`;
}

/** The tasks that a task waits for, one line each. */
export function waitsFor(target: CliTarget, { waiting_on: ids = [] }: ShownTask): Promise<readonly string[]> {
  return Promise.all(
    ids.slice(0, waitsMax).map(async (task_id) => {
      const { label, status, assignee } = (await target.planner.call('get_task', { task_id }))['task'] as ShownTask;
      return `${label} (${[status, ...(typeof assignee === 'string' ? [`@${assignee}`] : [])].join(', ')})`;
    }),
  );
}

/** Tasks that a message names. */
const waitsMax = 10;
