import type { StoredRecord, Tx, ReadTransaction } from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';
import type { TaskRecord } from '../../schema/types.ts';
import type { Acting } from '../records/acting.ts';
import { isoTime } from '../../base/clock.ts';
import type { ClaimElsewhere, HeldTask } from '../records/repository-claims.ts';

/** A claim that expires. Stored by the service outside the plan, because it is meaningless on another machine. */
export interface LeaseRecord extends StoredRecord {
  readonly project: string;
  readonly task: string;
  readonly agent_ref: string;
  readonly lease_seconds: number;
  readonly expires_at: string;
  /** The MCP session that claimed; its updates renew the lease without naming the agent. */
  readonly session: string | null;
  /** Present once the feed has the event that it expired. */
  readonly released?: { readonly at: string; readonly label: string };
}

/** The service collection of leases, as declared to the store. */
export const leaseCollection = {
  name: 'leases',
  placement: 'project',
  hasEvents: true,
  indexes: { project: ({ project }: LeaseRecord) => project },
} as const;

/** Task ids are unique only within a project. */
function leaseId(project: string, taskId: string): string {
  return `${project}.${taskId}`;
}

/** The lease on a task, expired or not; undefined if the task has another assignee since or is no longer `in_progress`. */
export function leaseOf(view: ReadTransaction<PlannerCollections>, taskId: string): LeaseRecord | undefined {
  const lease = view.service.get<LeaseRecord>(leaseCollection.name, leaseId(view.project, taskId));
  return lease !== undefined && holds(lease, view.get('task', taskId)) ? lease : undefined;
}

/** The expiry of each lease, by task id. Time proportional to the number of leases in the project. */
export function leaseTimes(view: ReadTransaction<PlannerCollections>): ReadonlyMap<string, string> {
  const times = new Map<string, string>();
  for (const { task } of view.service.by<LeaseRecord>(leaseCollection.name, 'project', view.project)) {
    const lease = leaseOf(view, task);
    if (lease !== undefined) times.set(task, lease.expires_at);
  }
  return times;
}

/** Returns whether a task's lease expired: any agent may claim it. */
export function hasRunOut(view: ReadTransaction<PlannerCollections>, taskId: string): boolean {
  const lease = leaseOf(view, taskId);
  return lease !== undefined && lease.expires_at <= view.now;
}

/** The tasks whose lease expired, in no order. Time proportional to the number of leases in the project. */
export function abandonedTasks(view: ReadTransaction<PlannerCollections>): TaskRecord[] {
  const found: TaskRecord[] = [];
  for (const lease of view.service.by<LeaseRecord>(leaseCollection.name, 'project', view.project)) {
    const task = view.get('task', lease.task);
    if (lease.expires_at <= view.now && holds(lease, task)) found.push(task);
  }
  return found;
}

/** The tasks of a project with a lease that has not expired. */
export function heldLeases(view: ReadTransaction<PlannerCollections>): HeldTask[] {
  return view.service
    .by<LeaseRecord>(leaseCollection.name, 'project', view.project)
    .filter((lease) => lease.expires_at > view.now && holds(lease, view.get('task', lease.task)))
    .map(({ project, task, agent_ref, expires_at }) => ({ project, task, agent_ref, expires_at }));
}

/** Returns whether a task is in progress for an agent. */
export function isHeldBy(view: ReadTransaction<PlannerCollections>, taskId: string, agentRef: string): boolean {
  return holds({ agent_ref: agentRef }, view.get('task', taskId));
}

/**
 * Claims the task for an agent, for a time; without a time the claim does not expire. Returns the claim of another worktree of the
 * repository if there is one; then nothing is claimed.
 */
export function grantLease(
  tx: Tx<PlannerCollections>,
  taskId: string,
  agentRef: string,
  seconds: number | undefined,
  by: Acting,
): ClaimElsewhere | undefined {
  const expiry = seconds === undefined ? null : isoTime(Date.parse(tx.now) + seconds * 1000);
  const held = { project: tx.project, task: taskId, agent_ref: agentRef, expires_at: expiry };
  const elsewhere = by.claims?.hold(held, tx.now);
  if (elsewhere !== undefined) return elsewhere;
  if (seconds === undefined || expiry === null) {
    endLease(tx, taskId);
    return undefined;
  }
  const id = leaseId(tx.project, taskId);
  const former = tx.service.get<LeaseRecord>(leaseCollection.name, id);
  tx.service.put<LeaseRecord>(leaseCollection.name, {
    id,
    created_at: former?.created_at ?? tx.now,
    updated_at: tx.now,
    project: tx.project,
    task: taskId,
    agent_ref: agentRef,
    lease_seconds: seconds,
    expires_at: expiry,
    session: by.session ?? null,
  });
  tx.touch('task', taskId);
  return undefined;
}

/**
 * Notes that a lease expired: the feed derives `task.released` from it. The task stays as it is until an agent claims it. Does nothing if
 * the lease was renewed or ended, or is noted.
 */
export function releaseExpired(tx: Tx<PlannerCollections>, taskId: string, now: string): void {
  const lease = leaseOf(tx, taskId);
  if (lease === undefined || lease.released !== undefined || lease.expires_at > now) return;
  const { label } = tx.get('task', taskId)!;
  tx.service.put<LeaseRecord>(leaseCollection.name, { ...lease, updated_at: tx.now, released: { at: tx.now, label } });
  tx.touch('task', taskId);
}

/** Called when a task is removed. */
export function endLease(tx: Tx<PlannerCollections>, taskId: string): void {
  const id = leaseId(tx.project, taskId);
  if (tx.service.get(leaseCollection.name, id) === undefined) return;
  tx.service.remove(leaseCollection.name, id);
  tx.touch('task', taskId);
}

/**
 * Called after an update of a task: renews its claimer's lease. The claimer is `agentRef` or, without it, the session that made the claim.
 * A lease ends if its task is no longer in progress or has another assignee, or if it had expired and another worktree claimed the task.
 */
export function renewLease(
  tx: Tx<PlannerCollections>,
  task: TaskRecord,
  agentRef: string | undefined,
  by: Acting,
): void {
  const lease = tx.service.get<LeaseRecord>(leaseCollection.name, leaseId(tx.project, task.id));
  if (lease === undefined) return;
  if (!holds(lease, tx.get('task', task.id))) return endLease(tx, task.id);
  if (!isOwn(lease, agentRef, by)) return;
  const owner = { ...by, session: lease.session ?? by.session };
  const elsewhere = grantLease(tx, task.id, lease.agent_ref, lease.lease_seconds, owner);
  if (elsewhere !== undefined) endLease(tx, task.id);
}

/** Renews the leases of an agent or, without `agentRef`, of the calling session. Returns the tasks. */
export function renewLeases(tx: Tx<PlannerCollections>, agentRef: string | undefined, by: Acting): string[] {
  const renewed: string[] = [];
  for (const lease of tx.service.by<LeaseRecord>(leaseCollection.name, 'project', tx.project)) {
    const task = tx.get('task', lease.task);
    if (!isOwn(lease, agentRef, by) || !holds(lease, task)) continue;
    renewLease(tx, task, agentRef, by);
    if (leaseOf(tx, task.id) !== undefined) renewed.push(task.id);
  }
  return renewed.sort();
}

function isOwn(lease: LeaseRecord, agentRef: string | undefined, { session }: Acting): boolean {
  return agentRef === undefined ? session !== undefined && lease.session === session : lease.agent_ref === agentRef;
}

function holds(lease: Pick<LeaseRecord, 'agent_ref'>, task: TaskRecord | undefined): task is TaskRecord {
  return task?.status === 'in_progress' && task.assignee === lease.agent_ref;
}
