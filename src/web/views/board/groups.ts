import { useMemo } from 'react';
import { compare } from '../../api/cache.ts';
import { useGoals } from '../../api/goals.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { goalName } from '../../ui/target.tsx';

/** By what the cards of a column stand together. */
export const groupings = {
  none: 'No groups',
  goal: 'By goal',
  priority: 'By priority',
  assignee: 'By assignee',
} as const;
export type Grouping = keyof typeof groupings;

/** A line of a column: a card, or the heading of those that follow. */
export type Entry =
  | { readonly kind: 'task'; readonly task: TaskRow }
  | { readonly kind: 'group'; readonly name: string; readonly count: number };

export type GroupNames = (value: string) => string;

function valueOf(task: TaskRow, by: Exclude<Grouping, 'none'>): string {
  if (by === 'goal') return task.goal_id;
  return (by === 'priority' ? task.priority : task.assignee) ?? '';
}

/** The tasks of a column as its lines. Groups stand alike in every column: by urgency, or by name with nobody at the end. */
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

/** What the values of a grouping are called. */
export function useGroupNames(projectId: string, by: Grouping): GroupNames {
  const { data: goals } = useGoals(projectId, { enabled: by === 'goal' });
  return useMemo(() => {
    if (by === 'goal') {
      const names = new Map(goals?.map((goal) => [goal.id, goalName(goal)]));
      return (id) => names.get(id) ?? 'A goal that is gone';
    }
    if (by === 'priority') return (value) => priorityNames[value] ?? 'No priority';
    return (value) => (value === '' ? 'Nobody' : value);
  }, [by, goals]);
}
