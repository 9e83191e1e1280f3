import type { Proof, VerificationBehind } from '../../schema/types.ts';
import type { CliTarget } from '../call/cli-target.ts';
import { row, span } from '../terminal/style.ts';
import type { ShownLine, Style, StyledLine } from '../terminal/style.ts';
import { shownIds } from '../call/short-ids.ts';

/** The members of a task that are printed. */
export interface ShownTask {
  readonly id: string;
  readonly project_id: string;
  readonly goal_id: string;
  readonly label: string;
  readonly status: string;
  readonly priority?: string | null;
  /** Absent if it was never moved. */
  readonly rank?: string;
  readonly kind?: string;
  readonly lane?: string | null;
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
  readonly covers?: readonly string[];
  readonly gate?: string | null;
  readonly proof?: Proof | null;
  readonly verification_state?: 'current' | 'stale' | null;
  readonly verification_behind?: VerificationBehind;
  readonly branch?: string | null;
  readonly untrusted?: boolean;
}

export async function taskOf({ planner }: Pick<CliTarget, 'planner'>, task_id: string): Promise<ShownTask> {
  return (await planner.call('get_task', { task_id }))['task'] as ShownTask;
}

/** A line for each task, with the short id that commands take. */
export async function taskRows(target: CliTarget, tasks: readonly ShownTask[]): Promise<readonly StyledLine[]> {
  const [first] = tasks;
  if (first === undefined) return [];
  const ids = tasks.map(({ id }) => id);
  const shown = await shownIds(target, first.project_id, ids);
  const width = Math.max(...ids.map((id) => shown(id).length));
  return tasks.map((task) => taskRow(task, shown(task.id).padEnd(width)));
}

/** Statuses that differ from the one of most listed tasks. */
const statusStyles: Readonly<Record<string, Style>> = {
  ...{ backlog: 'dim', scope: 'dim', in_progress: 'yellow', done: 'green' },
};
const priorityStyles: Readonly<Record<string, Style>> = { urgent: 'red', high: 'yellow' };

function taskRow(task: ShownTask, id: string): StyledLine {
  const { label, status, assignee, due_date: due, tags = [] } = task;
  const priority = task.priority ?? '';
  const beside = [
    span(priorityStyles[priority], priority),
    ...tags.map(({ name }) => `#${name}`),
    typeof assignee === 'string' ? `@${assignee}` : '',
    typeof due === 'string' ? `due ${due}` : '',
    span('red', task.blocked === true ? 'blocked' : ''),
    task.untrusted === true ? 'untrusted' : '',
  ].filter((one) => (typeof one === 'string' ? one : one.text) !== '');
  const listed = beside.flatMap((one, at) => (at === 0 ? [one] : [' ', one]));
  return row(
    ...[span('dim', id), '  ', span(statusStyles[status], status.padEnd(11)), `  ${label}`],
    ...(listed.length === 0 ? [] : ['  (', ...listed, ')']),
  );
}

/** A task to begin with: its line, and its description. */
export async function taskToDo(target: CliTarget, task: ShownTask): Promise<readonly ShownLine[]> {
  const { description = '' } = task;
  return [...(await taskRows(target, [task])), ...(description === '' ? [] : ['', { block: description }])];
}
