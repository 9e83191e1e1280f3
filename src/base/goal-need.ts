/** The reason why a goal waits for a person: a red verification, a stale one, or the verification itself, since all tasks are done. */
export type GoalNeed = 'red' | 'stale' | 'ready';

/** The state of a goal, as far as it decides. */
interface GoalState {
  readonly archived_at: string | null;
  readonly status: string;
  readonly verification_state: string | null;
  /** Null if nothing is agreed on that could be verified. */
  readonly verification_surface: unknown;
}

/** Why a goal waits for a person; undefined if it does not. The service and the page say the same by it. */
export function needOf(goal: GoalState, tasks: { readonly all: number; readonly done: number }): GoalNeed | undefined {
  if (goal.archived_at !== null) return undefined;
  if (goal.status === 'blocked') return 'red';
  if (goal.verification_state === 'stale') return 'stale';
  const isVerifiable = goal.status === 'active' && goal.verification_surface !== null;
  return isVerifiable && tasks.all > 0 && tasks.done === tasks.all ? 'ready' : undefined;
}
