import { invalid, notFound } from '../../base/errors.ts';
import type { Steps } from '../../base/slices.ts';
import { normalTime } from '../../base/clock.ts';
import type { Tx, ReadTransaction } from '../../store/index.ts';
import type { Acting } from '../records/acting.ts';
import type { CreateTaskInput, PlannerCollections, TaskRecord, UpdateTaskInput } from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { removeWithComments } from '../links/comments.ts';
import { rankAt } from './move-task.ts';
import { defaultGoalId } from '../records/goal-reference.ts';
import { endLease, renewLease } from './leases.ts';
import { revokeSharesOf } from '../sharing/shares.ts';
import { changedTags, takeTags } from './tags.ts';
import { discard } from '../records/trash.ts';
import { requireCovers, verificationAfter } from './verified.ts';
import type { VerificationFields } from './verified.ts';

/** Throws `not_found`. */
export function taskById(view: ReadTransaction<PlannerCollections>, id: string): TaskRecord {
  const task = view.get('task', id);
  if (task === undefined) throw notFound('task', id);
  return task;
}

type Fields = Omit<CreateTaskInput, 'project_id' | 'label'> &
  Pick<UpdateTaskInput, 'proof' | 'verification_state' | 'verification_behind'> & { readonly label?: string };

/** Creates a task. Without a goal it belongs to the project's default goal, whatever its status. */
export function createTask(tx: Tx<PlannerCollections>, input: Omit<CreateTaskInput, 'project_id'>): TaskRecord {
  return putNewTask(tx, tx.newId('task'), input);
}

/** Creates a task under an unused id that the caller chose. */
export function putNewTask(
  tx: Tx<PlannerCollections>,
  id: string,
  input: Omit<CreateTaskInput, 'project_id'>,
): TaskRecord {
  const { label } = input;
  const fields = { goal: defaultGoalId(tx), ...settled(tx, input, null), label };
  return tx.put('task', newRecord('task', { id, created_at: tx.now, ...fields }));
}

/** Warnings for the caller that creates a task, such as an inactive goal. */
export function taskWarnings(
  view: ReadTransaction<PlannerCollections>,
  input: Pick<CreateTaskInput, 'goal_id'>,
): string[] {
  if (input.goal_id !== undefined) return [];
  const goal = view.get('goal', defaultGoalId(view));
  if (goal === undefined || goal.status === 'active') return [];
  const name = goal.name ?? goal.id;
  return [
    `The task belongs to the default goal ${JSON.stringify(name)}, which is ${goal.status}: get_next_task skips it.`,
  ];
}

/** Updates a task. Any status may follow any other. An update by the claimer renews its lease. */
export function updateTask(tx: Tx<PlannerCollections>, input: UpdateTaskInput, by: Acting): TaskRecord {
  const { task_id: id, project_id: _, agent_ref: agentRef, add_tags: add, remove_tags: remove, ...fields } = input;
  const former = taskById(tx, id);
  const isPart = add !== undefined || remove !== undefined;
  if (isPart && fields.tags !== undefined)
    throw invalid('tags', 'tags replaces all tags: give it without add_tags and remove_tags.');
  const tags = isPart ? { tags: changedTags(tx, former.tags, { add, remove }) } : undefined;
  const task = tx.put('task', { ...former, ...settled(tx, fields, former), ...tags });
  renewLease(tx, task, agentRef, by);
  return task;
}

/** Deletes a task with its edges, its comments and its lease. Returns the id of its entry in the trash. */
export function* deleteTask(tx: Tx<PlannerCollections>, id: string): Steps<string> {
  const task = taskById(tx, id);
  return yield* discard(tx, { type: 'task', id: task.id, label: task.label }, function* () {
    endLease(tx, task.id);
    revokeSharesOf(tx, task.id);
    yield* removeWithComments(tx, 'task', task.id);
  });
}

/** The given fields in the form of a record, without absent ones. */
function settled(tx: Tx<PlannerCollections>, input: Fields, former: TaskRecord | null): Partial<TaskRecord> {
  const { goal_id: goal, tags, commit_refs: refs, verified_at: verifiedAt, above, below, ...plain } = input;
  if (goal !== undefined && tx.get('goal', goal) === undefined) throw unknownGoal(goal);
  requireCovers(plain.covers);
  const rank = above === undefined && below === undefined ? undefined : rankAt(tx, { above, below }, former?.id);
  const fields = {
    ...(plain as Partial<TaskRecord>),
    ...(rank === undefined ? undefined : { rank }),
    ...verified(plain, former),
    ...(goal === undefined ? undefined : { goal }),
    ...(tags === undefined ? undefined : { tags: takeTags(tx, tags) }),
    ...(refs === undefined ? undefined : { commit_refs: commitRefs(refs) }),
    ...(verifiedAt === undefined ? undefined : { verified_at: verifiedAt && normalTime(verifiedAt)! }),
  };
  const { verified_at: at, verified_ref: ref } = { verified_at: null, verified_ref: null, ...former, ...fields };
  if (ref !== null && at === null) {
    throw invalid('verified_ref', 'verified_ref requires verified_at: give both, or null for both.');
  }
  return fields;
}

/** The state of a task's proof; nothing if the input says nothing of it. */
function verified(
  { proof, verification_state: state, verification_behind: behind }: Fields,
  former: TaskRecord | null,
): Partial<VerificationFields> {
  if (proof === undefined && state === undefined && behind === undefined) return {};
  const before = {
    proof: former?.proof,
    state: former?.verification_state ?? null,
    behind: former?.verification_behind,
  };
  return verificationAfter(before, { proof, state, behind });
}

/** Hashes of commits as records have them: in one form, and once each. */
export function commitRefs(hashes: readonly string[]): readonly string[] {
  return [...new Set(hashes.map((hash) => hash.toLowerCase()))];
}

function unknownGoal(id: string): Error {
  return invalid(
    'goal_id',
    `goal_id must be the id of a goal of this project: ${JSON.stringify(id)}. list_goals returns them.`,
  );
}
