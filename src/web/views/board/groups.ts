import { useMemo } from 'react';
import { compare } from '../../api/cache.ts';
import { useGoals } from '../../api/goals.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { goalName } from '../../ui/target.tsx';

/** The groupings of cards. */
export const groupings = {
  none: 'No groups',
  goal: 'By goal',
  priority: 'By priority',
  assignee: 'By assignee',
} as const;
export type Grouping = keyof typeof groupings;

/** A line of a column: a card, or a heading. */
export type Entry =
  | { readonly kind: 'task'; readonly task: TaskRow }
  | { readonly kind: 'group'; readonly name: string; readonly count: number };

export type GroupNames = (value: string) => string;

function valueOf(task: TaskRow, by: Exclude<Grouping, 'none'>): string {
  if (by === 'goal') return task.goal_id;
  return (by === 'priority' ? task.priority : task.assignee) ?? '';
}

/** The lines of a column. Groups have the same order in every column: by urgency, or by name with unassigned tasks at the end. */
export function grouped(tasks: readonly TaskRow[], by: Grouping, nameOf: GroupNames): readonly Entry[] {
  const line = (task: TaskRow): Entry => ({ kind: 'task', task });
  if (by === 'none') return tasks.map(line);
  const groups = [...Map.groupBy(tasks, (task) => valueOf(task, by))].map(([value, rows]) => ({
    value,
    name: nameOf(value),
    rows,
  }));
  if (by !== 'priority')
    groups.sort((a, b) => Number(a.value === '') - Number(b.value === '') || compare(a.name, b.name));
  return groups.flatMap(({ name, rows }) => [{ kind: 'group' as const, name, count: rows.length }, ...rows.map(line)]);
}

const priorityNames: Readonly<Record<string, string>> = {
  urgent: 'Urgent',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
};

/** The names of a grouping's values. */
export function useGroupNames(projectId: string, by: Grouping): GroupNames {
  const { data: goals } = useGoals(projectId, { enabled: by === 'goal' });
  return useMemo(() => {
    if (by === 'goal') {
      const names = new Map(goals?.map((goal) => [goal.id, goalName(goal)]));
      return (id) => names.get(id) ?? 'A deleted goal';
    }
    if (by === 'priority') return (value) => priorityNames[value] ?? 'No priority';
    return (value) => (value === '' ? 'Nobody' : value);
  }, [by, goals]);
}
