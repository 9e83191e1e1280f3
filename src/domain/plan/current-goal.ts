import { conflict } from '../../base/errors.ts';
import type { ServiceTx, ServiceReadTransaction, StoredRecord, Tx, ReadTransaction } from '../../store/index.ts';
import type { Acting } from '../records/acting.ts';
import type { PlannerCollections } from '../records/collections.ts';
import type { GoalRecord } from '../../schema/types.ts';
import { goalById, nameOfGoal, offersTasks, stateOfGoal } from './goals.ts';

/** The goal that a session, or a credential without one, works on in a project. */
export interface CurrentGoalRecord extends StoredRecord {
  readonly project: string;
  readonly goal: string;
}

/** The service collection of current goals, as declared to the store. */
export const currentGoalCollection = {
  name: 'current_goals',
  placement: 'project',
  indexes: {
    // `<session or caller>.<project>`: neither contains a dot.
    scope: ({ id }: CurrentGoalRecord) => id.split('.')[0],
    project: ({ project }: CurrentGoalRecord) => project,
  },
} as const;

function currentGoalId(project: string, by: Acting): string {
  return `${by.session ?? by.caller.id}.${project}`;
}

/** The caller's current goal while it is active, also while red evidence blocks it: the caller did not choose another one. */
export function chosenGoal(view: ReadTransaction<PlannerCollections>, by: Acting): GoalRecord | undefined {
  const current = view.service.get<CurrentGoalRecord>(currentGoalCollection.name, currentGoalId(view.project, by));
  const goal = current === undefined ? undefined : view.get('goal', current.goal);
  return goal !== undefined && (offersTasks(goal) || stateOfGoal(goal) === 'blocked') ? goal : undefined;
}

/** Makes a goal the caller's current one, which get_next_task uses if the call names no goal. Only an active goal can be current. */
export function setCurrentGoal(tx: Tx<PlannerCollections>, goalId: string, by: Acting): GoalRecord {
  const goal = goalById(tx, goalId);
  if (!offersTasks(goal)) {
    throw conflict(`Only an active goal can be the current one; ${nameOfGoal(goal)} is ${stateOfGoal(goal)}.`, {
      reason: 'not_active',
      status: goal.status,
    });
  }
  makeCurrent(tx, goal, by);
  return goal;
}

/** Stores an active goal as the caller's current one. */
export function makeCurrent(tx: Tx<PlannerCollections>, goal: GoalRecord, by: Acting): void {
  const id = currentGoalId(tx.project, by);
  const former = tx.service.get<CurrentGoalRecord>(currentGoalCollection.name, id);
  if (former?.goal === goal.id) return;
  tx.service.put<CurrentGoalRecord>(currentGoalCollection.name, {
    id,
    created_at: former?.created_at ?? tx.now,
    updated_at: tx.now,
    project: tx.project,
    goal: goal.id,
  });
}

/** The projects in which a session has a current goal. */
export function projectsWithGoalOf(service: ServiceReadTransaction, session: string): string[] {
  return service.by<CurrentGoalRecord>(currentGoalCollection.name, 'scope', session).map(({ project }) => project);
}

/** Called when a session ends. */
export function forgetGoalOf(tx: Pick<Tx<PlannerCollections>, 'project' | 'service'>, session: string): void {
  for (const { id, project } of tx.service.by<CurrentGoalRecord>(currentGoalCollection.name, 'scope', session))
    if (project === tx.project) tx.service.remove(currentGoalCollection.name, id);
}

/** Called when a project is deleted. */
export function forgetGoalsIn(ofProject: ServiceTx, project: string): void {
  for (const { id } of ofProject.by<CurrentGoalRecord>(currentGoalCollection.name, 'project', project))
    ofProject.remove(currentGoalCollection.name, id);
}
