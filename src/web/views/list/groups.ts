import { kinds, lanes, priorities, severities, statuses, statusNames } from '../../api/tasks.ts';
import { kindNames, laneNames, priorityNames, severityNames } from './columns.ts';
import type { ListRow } from './columns.ts';
import type { Grouping } from './list-state.ts';

/** A line of the list: a task, or a heading. */
export type Line =
  | { readonly kind: 'task'; readonly key: string; readonly row: ListRow }
  | {
      readonly kind: 'group';
      readonly key: string;
      readonly name: string;
      readonly rows: readonly ListRow[];
      readonly open: boolean;
    };

export const groupingNames: Readonly<Record<Grouping, string>> = {
  none: 'No groups',
  status: 'Status',
  priority: 'Priority',
  goal: 'Goal',
  assignee: 'Assignee',
  tag: 'Tag',
  kind: 'Kind',
  lane: 'Lane',
  severity: 'Severity',
};

/** The groups of a task: one for each of its tags. */
function valuesOf({ task, goal }: ListRow, by: Exclude<Grouping, 'none'>): readonly string[] {
  if (by === 'goal') return [goal];
  if (by === 'tag') return task.tags.length === 0 ? [''] : task.tags.map(({ name }) => name);
  return [task[by] ?? ''];
}

const orders: Readonly<Partial<Record<Grouping, readonly string[]>>> = {
  status: statuses,
  priority: priorities,
  kind: kinds,
  lane: lanes,
  severity: severities,
};
const names: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  status: statusNames,
  priority: { ...priorityNames, '': 'No priority' },
  kind: kindNames,
  lane: { ...laneNames, '': 'No lane' },
  severity: { ...severityNames, '': 'No severity' },
  assignee: { '': 'Nobody' },
  tag: { '': 'No tags' },
};

/** The rows as lines, optionally grouped, without the rows of closed groups. */
export function linesOf(rows: readonly ListRow[], by: Grouping, closed: ReadonlySet<string>): readonly Line[] {
  if (by === 'none') return rows.map((row) => ({ kind: 'task', key: row.task.id, row }));
  const groups = new Map<string, ListRow[]>();
  for (const row of rows)
    for (const value of valuesOf(row, by)) {
      const group = groups.get(value);
      if (group === undefined) groups.set(value, [row]);
      else group.push(row);
    }
  return inOrder([...groups], orders[by]).flatMap(([value, members]): Line[] => {
    const key = `${by}:${value}`;
    const open = !closed.has(key);
    const head: Line = { kind: 'group', key, name: names[by]?.[value] ?? value, rows: members, open };
    if (!open) return [head];
    // A task with two tags has two lines.
    return [head, ...members.map((row): Line => ({ kind: 'task', key: `${key}/${row.task.id}`, row }))];
  });
}

/** Groups in the order of their values, else by name; tasks without a value are last. */
function inOrder(
  groups: readonly (readonly [string, readonly ListRow[]])[],
  order: readonly string[] | undefined,
): readonly (readonly [string, readonly ListRow[]])[] {
  const rank = (value: string): number => (value === '' ? Infinity : (order?.indexOf(value) ?? 0));
  return groups.toSorted(([a], [b]) => {
    const [first, second] = [rank(a), rank(b)];
    return first === second ? a.localeCompare(b, 'en', { numeric: true }) : first - second;
  });
}
