import { PlannerError } from '../../base/errors.ts';
import { plainLine } from '../../base/printable.ts';
import type { ShownTask } from './show-task.ts';

/** The fields of a task that a person edits, as texts; an empty one is not set. */
export interface TaskFields {
  readonly label: string;
  readonly status: string;
  readonly goal: string;
  readonly priority: string;
  readonly tags: string;
  readonly due: string;
  readonly assignee: string;
}

const hints: Readonly<Record<keyof TaskFields, string>> = {
  label: '',
  status: 'scope, todo, in_progress, done or backlog',
  goal: 'its name or id',
  priority: 'urgent, high, medium or low',
  tags: 'names, separated by commas',
  due: 'YYYY-MM-DD',
  assignee: '',
};
const names = Object.keys(hints) as readonly (keyof TaskFields)[];

/** A task as it is edited: its fields, one a line, followed by its text. */
export interface Sheet {
  readonly fields: TaskFields;
  readonly text: string;
  /** The line of each field, from 1. */
  readonly lines: Readonly<Partial<Record<string, number>>>;
}

export function sheetOf(task: ShownTask, goal: string): string {
  const { label, status, priority, tags = [], due_date: due, assignee, description = '' } = task;
  const fields: TaskFields = {
    ...{ label: plainLine(label), status, goal, priority: priority ?? '' },
    ...{ tags: tags.map(({ name }) => name).join(', '), due: due ?? '', assignee: assignee ?? '' },
  };
  const rows = names.map((name) => `${name}: ${fields[name]}`.trimEnd());
  const help = names.filter((name) => hints[name] !== '').map((name) => `# ${name}: ${hints[name]}`);
  return ['---', ...rows, ...help, '---', description, ''].join('\n');
}

/** Reads a sheet. Throws `invalid_argument` with the line of the problem. */
export function readSheet(sheet: string): Sheet {
  const rows = sheet.replaceAll('\r\n', '\n').split('\n');
  const end = rows.indexOf('---', 1);
  if (rows[0] !== '---' || end === -1)
    throw wrongLine(1, 'The fields have to be between two lines ---, before the text.');
  const found = new Map<string, string>();
  const lines: Record<string, number> = {};
  for (const [at, row] of rows.slice(1, end).entries()) {
    if (row.trim() === '' || row.startsWith('#')) continue;
    const [, name = '', value = ''] = /^(\w+):(.*)$/.exec(row) ?? [];
    if (!names.some((one) => one === name))
      throw wrongLine(at + 2, `${JSON.stringify(row)} is no field; there are ${names.join(', ')}.`);
    lines[name] = at + 2;
    found.set(name, value.trim());
  }
  const fields = Object.fromEntries(names.map((name) => [name, found.get(name) ?? ''])) as unknown as TaskFields;
  const text = rows
    .slice(end + 1)
    .join('\n')
    .replace(/\n+$/, '');
  return { fields, text, lines };
}

/** The members of the input whose values differ. An empty one becomes null if it can be. `goal` is a name still. */
export function changesOf(before: Sheet, after: Sheet): Readonly<Record<string, unknown>> {
  const orNull = (text: string): string | null => (text === '' ? null : text);
  const values: Readonly<Record<keyof TaskFields, (text: string) => object>> = {
    label: (label) => ({ label }),
    status: (status) => ({ status }),
    goal: (goal) => ({ goal }),
    priority: (text) => ({ priority: orNull(text) }),
    tags: (text) => ({
      tags: text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    }),
    due: (text) => ({ due_date: orNull(text) }),
    assignee: (text) => ({ assignee: orNull(text) }),
  };
  const changed = names.filter((name) => before.fields[name] !== after.fields[name]);
  const fields = Object.assign({}, ...changed.map((name) => values[name](after.fields[name]))) as object;
  return { ...fields, ...(before.text === after.text ? {} : { description: after.text }) };
}

/** The line of the field that an error is about; undefined for an error about no field. */
export function lineOf({ lines }: Sheet, field: string | undefined): number | undefined {
  const member = /^\w+/.exec(field ?? '')?.[0] ?? '';
  const name = { due_date: 'due', goal_id: 'goal', text: 'goal' }[member] ?? member;
  return lines[name];
}

function wrongLine(line: number, message: string): PlannerError {
  return new PlannerError('invalid_argument', `Line ${line}: ${message}`, { line });
}
