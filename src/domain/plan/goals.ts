import { conflict, notFound } from '../../base/errors.ts';
import type { Tx, ReadTransaction } from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { shown } from '../records/shown.ts';
import type { CreateGoalInput, Goal, GoalRecord, UpdateGoalInput } from '../../schema/types.ts';
import { byCreation } from '../graph/frontier-order.ts';
import { defaultGoalId, resolveGoal } from '../records/goal-reference.ts';
import { itemsOf, parseSurface } from './verification-surface.ts';
import { requireCovers, verificationAfter } from './verified.ts';

export function goalById(view: ReadTransaction<PlannerCollections>, id: string): GoalRecord {
  const goal = view.get('goal', id);
  if (goal === undefined) throw notFound('goal', id);
  return goal;
}

/** The name of a goal in messages. */
export function nameOfGoal(goal: GoalRecord): string {
  return goal.name === null ? `The goal ${goal.id}` : `The goal ${JSON.stringify(goal.name)}`;
}

/** Returns whether a goal offers its tasks: get_next_task, invoke_goal and set_current_goal agree on it. */
export function offersTasks({ status, archived_at: archivedAt }: GoalRecord): boolean {
  return status === 'active' && archivedAt === null;
}

/** The state of a goal in messages: `archived`, or its status. */
export function stateOfGoal({ status, archived_at: archivedAt }: GoalRecord): string {
  return archivedAt === null ? status : 'archived';
}

/** The active goals by created_at, id. Time proportional to their number. */
export function activeGoals(view: ReadTransaction<PlannerCollections>): GoalRecord[] {
  return view.by('goal', 'status', 'active').filter(offersTasks).sort(byCreation);
}

/** A goal in the form for callers: its verification surface is JSON text. */
export function showGoal(view: ReadTransaction<PlannerCollections>, goal: GoalRecord): Goal {
  const { verification_surface: surface } = goal;
  const checklist = surface?.kind === 'acceptance_checklist' ? { ...surface, items: itemsOf(surface.items) } : surface;
  return shown.goal.details(goal, {
    project_id: view.project,
    verification_surface: checklist && JSON.stringify(checklist),
  });
}

/** A goal and the warnings for the caller. */
export interface GoalWithWarnings {
  readonly goal: GoalRecord;
  readonly warnings: readonly string[];
}

function withWarnings(goal: GoalRecord): GoalWithWarnings {
  const warnings: string[] = [];
  if (goal.verification_surface === null) {
    warnings.push(
      'The goal has no verification_surface: complete_goal will not require evidence. Add one with update_goal.',
    );
  }
  return { goal, warnings };
}

/** Creates a goal. Its name must be unique in the project. */
export function createGoal(tx: Tx<PlannerCollections>, input: Omit<CreateGoalInput, 'project_id'>): GoalWithWarnings {
  const { name = null, verification_surface: surface = null, ...fields } = input;
  requireCovers(fields.covers);
  if (name !== null) takeName(tx, name, undefined);
  const parsed = { name, verification_surface: parseSurface(surface, null) };
  const goal = tx.put('goal', newRecord('goal', { id: tx.newId('goal'), created_at: tx.now, ...fields, ...parsed }));
  return withWarnings(goal);
}

/** The default goal that every project is created with: tasks without a goal belong to it. */
export function createDefaultGoal(tx: Tx<PlannerCollections>): GoalRecord {
  return createGoal(tx, { name: 'General', objective: 'Tasks of this project that belong to no other goal.' }).goal;
}

/** Updates the fields of a goal; its status has its own operations. A former name still refers to this goal in files. */
export function updateGoal(tx: Tx<PlannerCollections>, input: UpdateGoalInput): GoalWithWarnings {
  const {
    goal_id: id,
    project_id: _,
    verification_surface: surface,
    verification_state: state,
    verification_behind: behind,
    name,
    ...fields
  } = input;
  const former = goalById(tx, id);
  requireCovers(fields.covers);
  if (name !== undefined && name !== null && name !== former.name) takeName(tx, name, former);
  const goal = tx.put('goal', {
    ...former,
    ...fields,
    ...(state === undefined && behind === undefined ? {} : verificationAfter(proven(former), { state, behind })),
    ...(name === undefined ? {} : { name, aliases: aliasesAfter(former, name) }),
    ...(surface === undefined ? {} : { verification_surface: parseSurface(surface, former.verification_surface) }),
  });
  return withWarnings(goal);
}

/** The proof of a goal counts while its verification is green. */
function proven({
  last_verification: last,
  verification_state: state,
  verification_behind: behind,
}: GoalRecord): Parameters<typeof verificationAfter>[0] {
  return { proof: last?.green === true ? last.proof : null, state, behind };
}

function aliasesAfter(goal: GoalRecord, name: string | null): string[] {
  const names = new Set([...goal.aliases, ...(goal.name === null ? [] : [goal.name])]);
  if (name !== null) names.delete(name);
  return [...names].sort();
}

/** Throws if another goal has the name. A former name of another goal is released: tasks that use it get that goal's id first. */
function takeName(tx: Tx<PlannerCollections>, name: string, taker: GoalRecord | undefined): void {
  const existing = resolveGoal(tx, name);
  const others = tx.by('goal', 'name', name).filter(({ id }) => id !== taker?.id);
  const owner = others.find((goal) => goal.name === name);
  if (owner !== undefined) {
    const message = `A goal named ${JSON.stringify(name)} already exists (${owner.id}). Choose another name.`;
    throw conflict(message, { field: 'name', id: owner.id });
  }
  if (existing !== undefined && existing.id !== taker?.id) {
    for (const task of tx.by('task', 'goal', name)) tx.put('task', { ...task, goal: existing.id });
  }
  for (const goal of others) tx.put('goal', { ...goal, aliases: goal.aliases.filter((alias) => alias !== name) });
}

type Status = GoalRecord['status'];

function move(tx: Tx<PlannerCollections>, id: string, from: readonly Status[], to: Status, verb: string): GoalRecord {
  const goal = goalById(tx, id);
  requireUnarchived(goal);
  if (!from.includes(goal.status)) {
    const message = `${nameOfGoal(goal)} is ${goal.status}; only one that is ${from.join(' or ')} can be ${verb}.`;
    throw conflict(message, { status: goal.status });
  }
  return tx.put('goal', { ...goal, status: to, pause_reason: null });
}

/** Throws `conflict` for an archived goal: its status changes only after it is unarchived. */
export function requireUnarchived(goal: GoalRecord): void {
  if (goal.archived_at === null) return;
  throw conflict(`${nameOfGoal(goal)} is archived; unarchive it first.`, {
    status: goal.status,
    archived_at: goal.archived_at,
  });
}

/** Pauses an active goal. The reason is shown until the goal is resumed. */
export function pauseGoal(tx: Tx<PlannerCollections>, id: string, reason: string | null = null): GoalRecord {
  const goal = move(tx, id, ['active'], 'paused', 'paused');
  return reason === null ? goal : tx.put('goal', { ...goal, pause_reason: reason });
}

/** Resumes a paused goal, or one that red evidence blocked: it is worked on again, and its remediation task stays as it is. */
export function resumeGoal(tx: Tx<PlannerCollections>, id: string): GoalRecord {
  return move(tx, id, ['paused', 'blocked'], 'active', 'resumed');
}

/** Reopens a complete goal. */
export function reopenGoal(tx: Tx<PlannerCollections>, id: string): GoalRecord {
  return move(tx, id, ['complete'], 'active', 'reopened');
}

/**
 * Archives a goal that is not worked on: lists may leave it out. Its status, tasks and evidence stay. Throws `conflict`
 * for an active goal, because agents would silently get no more of its tasks, and for the default goal, to which new
 * tasks belong.
 */
export function archiveGoal(tx: Tx<PlannerCollections>, id: string): GoalRecord {
  const goal = goalById(tx, id);
  requireUnarchived(goal);
  if (goal.id === defaultGoalId(tx)) {
    const message = `${nameOfGoal(goal)} is the default goal: tasks without a goal belong to it, so it is never archived.`;
    throw conflict(message, { status: goal.status });
  }
  if (goal.status === 'active') {
    const message = `${nameOfGoal(goal)} is active; only one that is paused, blocked or complete can be archived.`;
    throw conflict(message, { status: goal.status });
  }
  return tx.put('goal', { ...goal, archived_at: tx.now });
}

/** Brings an archived goal back with the status that it had. */
export function unarchiveGoal(tx: Tx<PlannerCollections>, id: string): GoalRecord {
  const goal = goalById(tx, id);
  if (goal.archived_at === null) {
    throw conflict(`${nameOfGoal(goal)} is not archived.`, { status: goal.status });
  }
  return tx.put('goal', { ...goal, archived_at: null });
}
