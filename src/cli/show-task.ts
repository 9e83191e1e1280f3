import type { CliTarget } from './cli-target.ts';
import type { ShownLine } from './command-line.ts';
import { shownIds } from './short-ids.ts';

/** The members of a task that are printed. */
export interface ShownTask {
  readonly id: string;
  readonly project_id: string;
  readonly goal_id: string;
  readonly label: string;
  readonly status: string;
  readonly priority?: string | null;
  readonly assignee?: string | null;
  readonly due_date?: string | null;
  readonly description?: string;
  readonly blocked?: boolean;
  readonly waiting_on?: readonly string[];
  readonly tags?: readonly { readonly name: string }[];
  readonly commit_refs: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly lease_expires_at?: string | null;
  readonly verified_at?: string | null;
  readonly verified_ref?: string | null;
  readonly untrusted?: boolean;
}

export async function taskOf({ planner }: Pick<CliTarget, 'planner'>, task_id: string): Promise<ShownTask> {
  return (await planner.call('get_task', { task_id }))['task'] as ShownTask;
}

/** A line for each task, with the short id that commands take. */
export async function taskRows(target: CliTarget, tasks: readonly ShownTask[]): Promise<readonly string[]> {
  const [first] = tasks;
  if (first === undefined) return [];
  const ids = tasks.map(({ id }) => id);
  const shown = await shownIds(target, first.project_id, ids);
  const width = Math.max(...ids.map((id) => shown(id).length));
  return tasks.map((task) => taskRow(task, shown(task.id).padEnd(width)));
}

function taskRow(task: ShownTask, id: string): string {
  const { label, status, priority, assignee, due_date: due, tags = [] } = task;
  const beside = [
    priority ?? '',
    ...tags.map(({ name }) => `#${name}`),
    typeof assignee === 'string' ? `@${assignee}` : '',
    typeof due === 'string' ? `due ${due}` : '',
    task.blocked === true ? 'blocked' : '',
    task.untrusted === true ? 'untrusted' : '',
  ].filter((text) => text !== '');
  return `${id}  ${status.padEnd(11)}  ${label}${beside.length === 0 ? '' : `  (${beside.join(' ')})`}`;
}

/** A task to begin with: its line, and its description. */
export async function taskToDo(target: CliTarget, task: ShownTask): Promise<readonly ShownLine[]> {
  const { description = '' } = task;
  return [...(await taskRows(target, [task])), ...(description === '' ? [] : ['', { block: description }])];
}
