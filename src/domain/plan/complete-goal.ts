import { conflict, PlannerError } from '../../base/errors.ts';
import type { Tx } from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';
import type { Evidence, GoalRecord, LastVerification, Proof, TaskRecord } from '../../schema/types.ts';
import type { Frontier } from '../graph/frontier.ts';
import { judge, type Judgement } from './goal-evidence.ts';
import { goalById, nameOfGoal, requireUnarchived } from './goals.ts';
import { limits } from '../../base/limits.ts';
import { createTask } from './tasks.ts';
import { verificationAfter } from './verified.ts';

export interface Completion {
  readonly goal: GoalRecord;
  /** The remediation task, after red evidence. */
  readonly remediation_task?: TaskRecord;
}

/**
 * Completes a goal on evidence, or blocks it. Red evidence is evaluated first: the goal becomes `blocked` even with
 * open tasks, and one remediation task awaits release in `scope`. With green evidence, or without evidence if the goal
 * has no surface, the goal becomes `complete` if every task except the remediation task is done (else
 * `blocked_by_incomplete_tasks`), and the remediation task becomes done.
 */
export function completeGoal(tx: Tx<PlannerCollections>, id: string, evidence: Evidence | undefined): Completion {
  const goal = goalById(tx, id);
  requireUnarchived(goal);
  // A proof of a commit verifies a complete goal again: the covered files may have changed since.
  const isAgain = goal.status === 'complete' && evidence?.proof?.dirty === false;
  if (goal.status !== 'active' && goal.status !== 'blocked' && !isAgain) {
    const message = `${nameOfGoal(goal)} is ${goal.status}; only an active or blocked goal can be completed.`;
    throw conflict(message, { status: goal.status });
  }
  const proof = evidence?.proof && { proof: evidence.proof };
  const judgement = { ...judge(goal.verification_surface, evidence), ...reporterOf(tx.author), ...proof };
  return judgement.green ? complete(tx, goal, judgement) : block(tx, goal, judgement);
}

/** Planner observes nothing itself: a report of an agent about its own work is named as such. */
function reporterOf(author: string): Pick<LastVerification, 'reported_by'> {
  const [kind, name] = author.split(/:(.*)/s);
  return kind === 'agent' && name !== undefined ? { reported_by: name } : {};
}

function complete(tx: Tx<PlannerCollections>, goal: GoalRecord, judgement: Judgement): Completion {
  const remedy = openRemedy(tx, goal);
  const open = openTasks(tx, goal, remedy?.id);
  if (open.length > 0) {
    const message = `${nameOfGoal(goal)} has ${open.length === 1 ? '1 task that is' : `${open.length} tasks that are`} not done; a goal is completed when all of them are.`;
    throw new PlannerError('blocked_by_incomplete_tasks', message, { incomplete_task_ids: open });
  }
  // The goal first: it is complete, and not ready once more, when its remediation task is done.
  const completed = tx.put('goal', {
    ...goal,
    status: 'complete',
    last_verification: { at: tx.now, ...judgement },
    ...verificationAfter({ proof: null, state: null, behind: null }, { proof: judgement.proof }),
  });
  if (remedy !== undefined) tx.put('task', { ...remedy, status: 'done', ...verifiedBy(tx, judgement) });
  return { goal: completed };
}

/** A remediation task is about the verification alone: the evidence that is green verifies it, too. */
function verifiedBy(
  tx: Tx<PlannerCollections>,
  { kind, proof }: Judgement & { readonly proof?: Proof | undefined },
): Partial<TaskRecord> {
  if (kind === null) return {};
  const at = proof === undefined ? '' : ` at ${proof.commit.slice(0, 10)}`;
  return { verified_at: tx.now, verified_ref: `goal green${at}` };
}

function block(tx: Tx<PlannerCollections>, goal: GoalRecord, judgement: Judgement): Completion {
  const remedy = openRemedy(tx, goal) ?? fileRemedy(tx, goal, judgement);
  const blocked = tx.put('goal', {
    ...goal,
    status: 'blocked',
    last_verification: { at: tx.now, ...judgement },
    verification_state: null,
    verification_behind: null,
    remediation_task_id: remedy.id,
  });
  return { goal: blocked, remediation_task: remedy };
}

/** The goal's own remediation task while it is open. */
function openRemedy(tx: Tx<PlannerCollections>, goal: GoalRecord): TaskRecord | undefined {
  const task = goal.remediation_task_id === null ? undefined : tx.get('task', goal.remediation_task_id);
  return task === undefined || task.status === 'done' ? undefined : task;
}

function fileRemedy(tx: Tx<PlannerCollections>, goal: GoalRecord, judgement: Judgement): TaskRecord {
  const title = goal.name ?? goal.objective.trim().split('\n', 1)[0] ?? goal.id;
  return createTask(tx, {
    label: `Make the verification green: ${title}`.slice(0, limits.nameCharactersMax),
    status: 'scope',
    goal_id: goal.id,
    description:
      `The verification of ${nameOfGoal(goal).replace('The', 'the')} (${goal.id}) was red.\n\n${judgement.detail ?? ''}`.trim(),
  });
}

function openTasks(tx: Tx<PlannerCollections>, goal: GoalRecord, except: string | undefined): string[] {
  const ids: string[] = [];
  for (const { id } of tx
    .index<Frontier>('frontier')
    .tasksOf(goal.id)
    .inOrder((status) => status !== 'done')) {
    if (id !== except) ids.push(id);
  }
  return ids;
}
