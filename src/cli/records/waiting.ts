import type { Run, Submission } from '../../schema/types.ts';
import { allRows } from './all-rows.ts';
import type { CliTarget } from '../call/cli-target.ts';
import { taskOf } from './show-task.ts';
import type { ShownTask } from './show-task.ts';

/** The runs whose agent waits for an answer. */
export async function askingRuns(target: CliTarget, project_id: string): Promise<readonly Run[]> {
  const runs = await allRows<Run>(target, 'list_agent_runs', 'runs', { project_id, status: 'running' });
  return runs.filter(({ asks }) => asks);
}

/** The submissions of participants that await a decision. */
export function pendingSubmissions(target: CliTarget, project_id: string): Promise<readonly Submission[]> {
  return allRows<Submission>(target, 'list_submissions', 'submissions', { project_id, status: 'pending' });
}

/** A run that asks: its id, its name, the question and the answers to choose from. */
export function questionLine({ id, label, agent_ref: agent, awaiting }: Run): string {
  const { question = '', choices = [] } = awaiting ?? {};
  const chosen = choices.length === 0 ? '' : ` (${choices.join(' / ')})`;
  return `${id}  ${label ?? agent ?? 'A run'}: ${question}${chosen}`;
}

/** The tasks that a task waits for, one line each. */
export function waitsFor(target: CliTarget, { waiting_on: ids = [] }: ShownTask): Promise<readonly string[]> {
  return Promise.all(
    ids.slice(0, waitsMax).map(async (task_id) => {
      const { label, status, assignee } = await taskOf(target, task_id);
      return `${label} (${[status, ...(typeof assignee === 'string' ? [`@${assignee}`] : [])].join(', ')})`;
    }),
  );
}

/** Tasks that a message names. */
const waitsMax = 10;
