import type { Frontier } from '../graph/frontier.ts';
import { byCreation } from '../graph/frontier-order.ts';
import type { GoalRecord, PlanReadTransaction } from '../records/collections.ts';

/**
 * Returns whether a goal waits for a person: its verification was red, it is stale, or its last task is done and the
 * verification has not run.
 */
export function needsPerson(view: PlanReadTransaction, goal: GoalRecord): boolean {
  if (goal.archived_at !== null) return false;
  if (goal.status === 'blocked' || goal.verification_state === 'stale') return true;
  if (goal.status !== 'active' || goal.verification_surface === null) return false;
  const tasks = view.index<Frontier>('frontier').tasksOf(goal.id);
  return tasks.size > 0 && tasks.open === 0;
}

/** The ids of the tasks that came back from an agent: they are to do, and their last run failed. */
export function returnedTasks(view: PlanReadTransaction): ReadonlySet<string> {
  const failed = new Set(view.by('run', 'status', 'failed').flatMap(({ task_id: id }) => id ?? []));
  const hasFailed = (id: string): boolean => view.by('run', 'task', id).sort(byCreation).at(-1)?.status === 'failed';
  return new Set([...failed].filter((id) => view.get('task', id)?.status === 'todo' && hasFailed(id)));
}
