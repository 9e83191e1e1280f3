import { PlannerError } from '../../base/errors.ts';
import type { Proof, VerificationSurface } from '../../schema/types.ts';
import type { CliTarget } from '../call/cli-target.ts';
import { findRecord } from '../call/find-record.ts';
import { allTasks } from '../records/all-rows.ts';
import { gateOf, goalOf, surfaceOf, titleOfGoal } from '../records/show-goal.ts';
import { taskOf } from '../records/show-task.ts';

/** The goal that a command verifies by its verification surface, or the task that it verifies by its gate. */
export interface Subject {
  readonly kind: 'goal' | 'task';
  readonly id: string;
  readonly project_id: string;
  /** In messages. */
  readonly title: string;
  readonly surface: VerificationSurface;
  /** The proof that it has; its log is written into the same artifact again. */
  readonly proof: Proof | undefined;
  /** Where the plan is: a directory or an address. */
  readonly place: string;
  /** The `.planner` directory, if there is one. */
  readonly root: string | undefined;
  /** The command that prepares a fresh worktree, which config.json names. */
  readonly setup: string | undefined;
}

/** The goal or task that an argument means. Throws if it has nothing to verify. */
export async function subjectOf(target: CliTarget, text: string): Promise<Subject> {
  const found = await findRecord(target, ['goal', 'task'], text);
  const around = { root: target.root, ...aroundOf(target) };
  return found.kind === 'task' ? taskSubject(target, found.id, around) : goalSubject(target, found.id, around);
}

type Around = Pick<Subject, 'root' | 'place' | 'setup'>;

/** Where a plan is, and the command that prepares a fresh worktree. */
export function aroundOf({ root, url, config }: CliTarget): Pick<Subject, 'place' | 'setup'> {
  return { place: root ?? url ?? 'database', setup: config.setup };
}

async function taskSubject(target: CliTarget, id: string, around: Around): Promise<Subject> {
  const { project_id, label, gate, goal_id, proof } = await taskOf(target, id);
  const command = gateOf({ gate }, await goalOf(target, goal_id));
  if (command === undefined)
    throw notRun(
      `Neither ${JSON.stringify(label)} nor its goal has a gate: planner task set ${id} --gate <command> gives it one.`,
    );
  const title = JSON.stringify(label);
  const surface = { kind: 'gate_command', command } as const;
  return { kind: 'task', id, project_id, title, surface, proof: proof ?? undefined, ...around };
}

async function goalSubject(target: CliTarget, id: string, around: Around): Promise<Subject> {
  const goal = await goalOf(target, id);
  const [surface, title] = [surfaceOf(goal), titleOfGoal(goal)];
  if (surface === null)
    throw notRun(`${title} says of nothing how it is verified: planner goal done ${id} completes it.`);
  const proof = goal.last_verification?.proof;
  return { kind: 'goal', id, project_id: goal.project_id, title, surface, proof, ...around };
}

/** Throws if a goal could not be completed, so that nothing runs in vain. */
export async function requireCompletable(target: CliTarget, { kind, id, project_id, title }: Subject): Promise<void> {
  if (kind === 'task') return;
  const goal = await goalOf(target, id);
  const state = goal.archived_at === null ? goal.status : 'archived';
  if (state === 'paused' || state === 'archived')
    throw new PlannerError('conflict', `${title} is ${state}: only another goal can be completed. Nothing was run.`, {
      exit: 3,
    });
  const open = (await allTasks(target, { project_id, goal_id: id })).filter(({ status }) => status !== 'done');
  // A goal that was seen red may have one open task that is about this, and does not keep it from being completed.
  const remedies = goal.last_verification?.green === false ? 1 : 0;
  if (open.length <= remedies) return;
  const [named, more] = [open.slice(0, namedMax).map(({ label }) => JSON.stringify(label)), open.length - namedMax];
  throw new PlannerError(
    'blocked_by_incomplete_tasks',
    `${title} cannot be completed yet: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} ${open.length === 1 ? 'is' : 'are'} not done. Nothing was run.`,
    { incomplete_task_ids: open.map(({ id: task }) => task), exit: 3 },
  );
}

/** Open tasks that a message names. */
const namedMax = 10;

/** A verification that did not take place: exit code 2. */
export function notRun(message: string): PlannerError {
  return new PlannerError('conflict', message, { exit: 2 });
}
