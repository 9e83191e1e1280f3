import { useMemo } from 'react';
import { compare } from '../../api/cache.ts';
import type { TaskFields } from '../../api/bulk.ts';
import { useGoals } from '../../api/goals.ts';
import { lanes, priorities } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { capitalised } from '../../rest/field-names.ts';
import { goalName } from '../../ui/target.tsx';

/** The groupings of cards. */
export const groupings = {
  none: 'No groups',
  goal: 'By goal',
  priority: 'By priority',
  lane: 'By lane',
  assignee: 'By assignee',
} as const;
export type Grouping = keyof typeof groupings;
type Grouped = Exclude<Grouping, 'none'>;

/** The heading of a group in a column. */
export interface GroupEntry {
  readonly kind: 'group';
  readonly name: string;
  readonly count: number;
  /** The fields of a task that is moved into the group. */
  readonly fields: TaskFields;
}

/** A line of a column: a card, or a heading. */
export type Entry = { readonly kind: 'task'; readonly task: TaskRow } | GroupEntry;

export type GroupNames = (value: string) => string;

/** The values of a grouping in their order; others are ordered by name, those without one are last. */
const orders: Readonly<Partial<Record<Grouping, readonly string[]>>> = {
  priority: priorities,
  lane: lanes,
};

function valueOf(task: TaskRow, by: Grouped): string {
  return (by === 'goal' ? task.goal_id : task[by]) ?? '';
}

function fieldsOf(by: Grouped, value: string): TaskFields {
  if (by === 'goal') return { goal_id: value };
  return { [by]: value === '' ? null : value };
}

/**
 * The lines of the columns. Every column has every group of the board in the same order, so that a card can be moved into each.
 */
export function grouped(
  columns: readonly (readonly TaskRow[])[],
  by: Grouping,
  nameOf: GroupNames,
): readonly (readonly Entry[])[] {
  const line = (task: TaskRow): Entry => ({ kind: 'task', task });
  if (by === 'none') return columns.map((tasks) => tasks.map(line));
  const order = (value: string): number => (value === '' ? Infinity : (orders[by]?.indexOf(value) ?? 0));
  const groups = [...new Set(columns.flat().map((task) => valueOf(task, by)))]
    .map((value) => ({ value, name: nameOf(value) }))
    .sort((a, b) => Math.sign(order(a.value) - order(b.value)) || compare(a.name, b.name));
  return columns.map((tasks) => {
    const rows = Map.groupBy(tasks, (task) => valueOf(task, by));
    return groups.flatMap(({ value, name }): Entry[] => {
      const members = rows.get(value) ?? [];
      return [{ kind: 'group', name, count: members.length, fields: fieldsOf(by, value) }, ...members.map(line)];
    });
  });
}

/** The names of a grouping's values. */
export function useGroupNames(projectId: string, by: Grouping): GroupNames {
  const { data: goals } = useGoals(projectId, { enabled: by === 'goal' });
  return useMemo(() => {
    if (by === 'goal') {
      const names = new Map(goals?.map((goal) => [goal.id, goalName(goal)]));
      return (id) => names.get(id) ?? (goals === undefined ? '…' : 'A deleted goal');
    }
    if (by === 'assignee') return (value) => (value === '' ? 'Nobody' : value);
    return (value) => (value === '' ? `No ${by}` : capitalised(value));
  }, [by, goals]);
}
