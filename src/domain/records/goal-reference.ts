import type { Snapshot } from '../../store/index.ts';
import type { GoalRecord, PlannerCollections, TaskRecord } from './collections.ts';

/**
 * Resolves a file's reference to a goal: by id, else by name, else by former name. The oldest of several goals counts,
 * then the smaller id. Undefined without a match.
 */
export function resolveGoal(view: Snapshot<PlannerCollections>, reference: string): GoalRecord | undefined {
  const goal = view.get('goal', reference);
  if (goal !== undefined) return goal;
  const named = view.by('goal', 'name', reference);
  const bearing = named.filter(({ name }) => name === reference);
  return eldest(bearing.length > 0 ? bearing : named);
}

/**
 * The goal that a task belongs to: the goal that it names, else the project's default goal. Undefined only while that
 * goal's file is missing.
 */
export function goalOf(view: Snapshot<PlannerCollections>, task: Pick<TaskRecord, 'goal'>): GoalRecord | undefined {
  const named = task.goal === null ? undefined : resolveGoal(view, task.goal);
  if (named !== undefined) return named;
  const id = defaultGoalId(view);
  return view.get('goal', id);
}

/** The id of that goal; the default goal's id also while its file is missing. */
export function goalIdOf(view: Snapshot<PlannerCollections>, task: Pick<TaskRecord, 'goal'>): string {
  const named = task.goal === null ? undefined : resolveGoal(view, task.goal);
  return named?.id ?? defaultGoalId(view);
}

/** The goal of tasks that name no goal. */
export function defaultGoalId(view: Snapshot<PlannerCollections>): string {
  return view.get('project', view.project)?.default_goal_id ?? '';
}

function eldest(goals: readonly GoalRecord[]): GoalRecord | undefined {
  return goals.reduce<GoalRecord | undefined>((first, goal) => {
    if (first === undefined) return goal;
    const earlier = goal.created_at === first.created_at ? goal.id < first.id : goal.created_at < first.created_at;
    return earlier ? goal : first;
  }, undefined);
}
