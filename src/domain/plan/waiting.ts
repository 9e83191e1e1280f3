import { needOf } from '../../base/goal-need.ts';
import type { Frontier } from '../graph/frontier.ts';
import { byCreation } from '../graph/frontier-order.ts';
import type { GoalRecord, PlanReadTransaction } from '../records/collections.ts';

/** Returns whether a goal waits for a person. */
export function needsPerson(view: PlanReadTransaction, goal: GoalRecord): boolean {
  const { size: all, open } = view.index<Frontier>('frontier').tasksOf(goal.id);
  return needOf(goal, { all, done: all - open }) !== undefined;
}

/** The ids of the tasks that came back from an agent: they are to do, and their last run failed. */
export function returnedTasks(view: PlanReadTransaction): ReadonlySet<string> {
  const failed = new Set(view.by('run', 'status', 'failed').flatMap(({ task_id: id }) => id ?? []));
  const hasFailed = (id: string): boolean => view.by('run', 'task', id).sort(byCreation).at(-1)?.status === 'failed';
  return new Set([...failed].filter((id) => view.get('task', id)?.status === 'todo' && hasFailed(id)));
}
