import type { Snapshot } from '../../store/index.ts';
import type {
  PlannerCollections,
  PlanReadTransaction,
  TagReference,
  Task,
  TaskRecord,
  TaskRow,
} from '../records/collections.ts';
import type { Frontier } from '../graph/frontier.ts';
import { goalIdOf } from '../records/goal-reference.ts';
import { guestMark } from '../records/guest-texts.ts';
import type { GuestMark } from '../records/guest-texts.ts';
import { shown } from '../records/shown.ts';
import { leaseOf } from './leases.ts';
import { tagsOf } from './tags.ts';
import { waitingOn } from '../graph/task-graph.ts';

const nothing: readonly string[] = [];
const untagged: readonly TagReference[] = [];
const origin = { x: 0, y: 0 } as const;

/** Ids of a task's open prerequisites; empty for a done task. Constant time for a task without open prerequisites. */
export function waitingIds(view: PlanReadTransaction, task: TaskRecord): readonly string[] {
  if (task.status === 'done' || view.index<Frontier>('frontier').openPrerequisites(task.id) === 0) return nothing;
  return waitingOn(view, task).map(({ id }) => id);
}

/** A snapshot of a task and of the values of other records in its view, which may be shown later. */
export interface TaskSnapshot {
  readonly task: TaskRecord;
  readonly project_id: string;
  readonly goal_id: string;
  readonly lease_expires_at: string | null;
  readonly tags: readonly TagReference[];
  readonly waiting_on: readonly string[];
  /** Present if a guest wrote its texts. */
  readonly mark: GuestMark | undefined;
}

export function taskSnapshot(view: PlanReadTransaction, task: TaskRecord): TaskSnapshot {
  return {
    task,
    project_id: view.project,
    goal_id: goalIdOf(view, task),
    lease_expires_at: leaseOf(view, task.id)?.expires_at ?? null,
    tags: tagsOf(view, task),
    waiting_on: waitingIds(view, task),
    mark: guestMark(view, task),
  };
}

/**
 * Snapshots of many tasks at one moment, which may be used later. Goals and tags that several tasks share are looked up
 * once. `leases` are the `leaseTimes` of that moment.
 */
export function taskSnapshots(
  records: Snapshot<PlannerCollections>,
  leases: ReadonlyMap<string, string>,
): (task: TaskRecord) => TaskSnapshot {
  const { project: project_id } = records;
  const goals = new Map<string | null, string>();
  const tags = new Map<string, readonly TagReference[]>();
  return (task) => ({
    task,
    project_id,
    goal_id: once(goals, task.goal, () => goalIdOf(records, task)),
    lease_expires_at: leases.get(task.id) ?? null,
    tags: task.tags.length === 0 ? untagged : once(tags, task.tags.join('\0'), () => tagsOf(records, task)),
    waiting_on: task.status === 'done' ? nothing : idsOf(waitingOn(records, task)),
    mark: guestMark(records, task),
  });
}

function idsOf(tasks: readonly TaskRecord[]): readonly string[] {
  return tasks.length === 0 ? nothing : tasks.map(({ id }) => id);
}

function once<K, T>(known: Map<K, T>, key: K, find: () => T): T {
  let value = known.get(key);
  if (value === undefined) known.set(key, (value = find()));
  return value;
}

/** A task in the form for callers; `verbose: false` omits the description. */
export function showTask(view: PlanReadTransaction, task: TaskRecord, options?: { readonly verbose?: boolean }): Task {
  return showSnapshot(taskSnapshot(view, task), options);
}

/** Shows a snapshot of a task. */
export function showSnapshot(snapshot: TaskSnapshot, { verbose = true } = {}): Task {
  const { task, waiting_on, mark } = snapshot;
  const added = {
    project_id: snapshot.project_id,
    goal_id: snapshot.goal_id,
    position: task.position ?? origin,
    lease_expires_at: snapshot.lease_expires_at,
    tags: snapshot.tags,
    blocked: waiting_on.length > 0,
    waiting_on,
    untrusted: mark?.untrusted,
  };
  return verbose ? shown.task.details(task, added) : shown.task.head(task, added);
}

/** A task in an agent's list: the members needed to choose, without null ones. */
export function taskRow(view: PlanReadTransaction, task: TaskRecord): TaskRow {
  return snapshotRow(taskSnapshot(view, task));
}

/** Shows a snapshot of a task. */
export function snapshotRow({ task, goal_id, tags, waiting_on, mark }: TaskSnapshot): TaskRow {
  return shown.task.row(task, {
    goal_id,
    blocked: waiting_on.length > 0,
    tags: tags.length === 0 ? undefined : tags.map(({ name }) => name),
    untrusted: mark?.untrusted,
  });
}
