import type { ShownLine } from './command-line.ts';

/** The members of a task that are printed. */
export interface ShownTask {
  readonly id: string;
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
  readonly untrusted?: boolean;
}

/** One line of a list. */
export function taskRow(task: ShownTask): string {
  const { id, label, status, priority, assignee, tags = [] } = task;
  const beside = [
    priority ?? '',
    ...tags.map(({ name }) => `#${name}`),
    typeof assignee === 'string' ? `@${assignee}` : '',
    task.blocked === true ? 'blocked' : '',
    task.untrusted === true ? 'untrusted' : '',
  ].filter((text) => text !== '');
  return `${id}  ${status.padEnd(11)}  ${label}${beside.length === 0 ? '' : `  (${beside.join(' ')})`}`;
}

/** All lines of one task. */
export function taskLines(task: ShownTask): readonly ShownLine[] {
  const { waiting_on: waiting = [], due_date: due, description = '' } = task;
  return [
    taskRow(task),
    ...(typeof due === 'string' ? [`Due ${due}`] : []),
    ...(waiting.length === 0 ? [] : [`Waits for ${waiting.join(', ')}`]),
    ...(task.commit_refs.length === 0 ? [] : [`Commits ${task.commit_refs.join(', ')}`]),
    ...(description === '' ? [] : ['', { block: description }]),
  ];
}
