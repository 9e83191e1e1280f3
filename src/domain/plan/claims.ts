import { notFound } from '../../base/errors.ts';
import type { Tx } from '../../store/index.ts';
import type { Acting } from '../records/acting.ts';
import type { PlannerCollections } from '../records/collections.ts';
import type { ClaimTaskInput, TaskRecord } from '../../schema/types.ts';
import { grantLease, hasRunOut, leaseOf } from './leases.ts';
import { waitingOn } from '../graph/task-graph.ts';
import type { ClaimElsewhere } from '../records/repository-claims.ts';

/** The result of a claim. A refusal is not an error: another agent was faster, or the task is not ready. */
export type Claim =
  | { readonly claimed: true; readonly task: TaskRecord }
  | ({ readonly claimed: false; readonly reason: 'taken_or_not_actionable'; readonly assignee?: string } & Partial<
      Pick<ClaimElsewhere, 'worktree' | 'branch'>
    >);

/**
 * Claims a task for an agent: the task must be `todo` (or have an expired lease) with every prerequisite done; it becomes `in_progress`
 * with the agent as assignee. The claimer may repeat the claim, which renews its lease. Atomic, because it runs in a transaction. A task
 * that another worktree of the repository holds is rejected, whatever the state of this worktree's plan.
 */
export function claimTask(tx: Tx<PlannerCollections>, input: ClaimTaskInput, by: Acting): Claim {
  const task = tx.get('task', input.task_id);
  if (task === undefined) throw notFound('task', input.task_id);
  const { agent_ref: agentRef, lease_seconds: seconds } = input;
  if (task.status === 'in_progress' && task.assignee === agentRef) {
    const elsewhere = grantLease(tx, task.id, agentRef, seconds ?? leaseOf(tx, task.id)?.lease_seconds, by);
    return elsewhere === undefined ? { claimed: true, task } : heldBy(elsewhere);
  }
  const free = task.status === 'todo' || hasRunOut(tx, task.id);
  if (!free || waitingOn(tx, task).length > 0) {
    const refusal = { claimed: false, reason: 'taken_or_not_actionable' } as const;
    return task.assignee === null ? refusal : { ...refusal, assignee: task.assignee };
  }
  const elsewhere = grantLease(tx, task.id, agentRef, seconds, by);
  if (elsewhere !== undefined) return heldBy(elsewhere);
  return { claimed: true, task: tx.put('task', { ...task, status: 'in_progress', assignee: agentRef }) };
}

function heldBy({ agent_ref: assignee, worktree, branch }: ClaimElsewhere): Claim {
  return { claimed: false, reason: 'taken_or_not_actionable', assignee, worktree, branch };
}
