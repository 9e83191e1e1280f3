import type { View } from '../store/view.ts';
import type { PlannerCollections, Task, TaskRecord, TaskRow } from './collections.ts';
import type { Frontier } from './frontier.ts';
import { goalIdOf } from './goal-reference.ts';
import { leaseOf } from './leases.ts';
import { tagsOf } from './tags.ts';
import { waitingOn } from './task-graph.ts';

type V = View<PlannerCollections>;

const nothing: readonly string[] = [];
const origin = { x: 0, y: 0 } as const;

/** Ids of what a task waits for; a done task waits for nothing. Costs nothing for a task without open prerequisites. */
export function waitingIds(view: V, task: TaskRecord): readonly string[] {
  if (task.status === 'done' || view.index<Frontier>('frontier').openPrerequisites(task.id) === 0) return nothing;
  return waitingOn(view, task).map(({ id }) => id);
}

/** A task as callers see it; `verbose: false` leaves the description out. */
export function showTask(view: V, task: TaskRecord, { verbose = true } = {}): Task {
  const waiting = waitingIds(view, task);
  return {
    id: task.id,
    project_id: view.project,
    goal_id: goalIdOf(view, task),
    label: task.label,
    status: task.status,
    kind: task.kind,
    priority: task.priority,
    lane: task.lane,
    severity: task.severity,
    ...(verbose ? { description: task.description } : undefined),
    position: task.position ?? origin,
    assignee: task.assignee,
    lease_expires_at: leaseOf(view, task.id)?.expires_at ?? null,
    due_date: task.due_date,
    commit_refs: task.commit_refs,
    verified_at: task.verified_at,
    verified_ref: task.verified_ref,
    tags: tagsOf(view, task),
    created_at: task.created_at,
    updated_at: task.updated_at,
    blocked: waiting.length > 0,
    waiting_on: waiting,
  };
}

/** A task in an agent's list: what is needed to choose, and nothing that is null. */
export function taskRow(view: V, task: TaskRecord): TaskRow {
  const { id, label, status, priority, assignee, tags } = task;
  return {
    id,
    label,
    status,
    ...(priority === null ? undefined : { priority }),
    goal_id: goalIdOf(view, task),
    blocked: waitingIds(view, task).length > 0,
    ...(tags.length === 0 ? undefined : { tags: tagsOf(view, task).map(({ name }) => name) }),
    ...(assignee === null ? undefined : { assignee }),
  };
}
