import type { ReadTransaction } from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';
import type { GoalRecord } from '../../schema/types.ts';
import { nameOfGoal, stateOfGoal } from './goals.ts';

/** How work goes on in a goal that offers no tasks: the calls to make, in order. Nothing leaves scope without a person. */
export function hintFor(view: ReadTransaction<PlannerCollections>, goal: GoalRecord): string {
  const name = nameOfGoal(goal);
  const state = stateOfGoal(goal);
  if (state === 'archived') return `${name} is archived: a person can unarchive it.`;
  if (state === 'paused') return `${name} is paused: call resume_goal.`;
  if (state !== 'blocked') return `${name} is ${state}: choose another goal.`;
  const remedy = goal.remediation_task_id === null ? undefined : view.get('task', goal.remediation_task_id);
  const evidence = 'then call complete_goal with the new evidence.';
  if (remedy === undefined || remedy.status === 'done')
    return `${name} is blocked since its verification was red: verify it again, ${evidence}`;
  const task = `the task ${JSON.stringify(remedy.label)} (${remedy.id})`;
  return remedy.status === 'scope'
    ? `${name} is blocked since its verification was red: a person has to release ${task} from scope. After that call resume_goal and do it, ${evidence}`
    : `${name} is blocked since its verification was red: call resume_goal and do ${task}, ${evidence}`;
}

/** The hint where no goal is active. */
export const noGoalHint =
  'No goal is active: create_goal makes one, and resume_goal continues one that is paused or blocked.';
