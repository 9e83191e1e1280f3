import { mapInSteps } from '../../base/slices.ts';
import type { Snapshot, ReadTransaction } from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';
import type { TaskRecord } from '../../schema/types.ts';
import type { Frontier } from './frontier.ts';
import { byCreation } from './frontier-order.ts';
import { shapeInSteps, shapeOf } from './graph-shape.ts';
import { type GuestMark, type GuestMarks, guestMarks } from '../records/guest-texts.ts';
import { type Ordering, orderingOf } from './work-order.ts';

/** The existing prerequisites of a task, by created_at, id. Time proportional to the task's own edges. */
function prerequisitesOf(view: Snapshot<PlannerCollections>, task: TaskRecord): TaskRecord[] {
  const ids = new Set<string>();
  const take = (ordering: Ordering | undefined): void => {
    if (ordering?.then === task.id) ids.add(ordering.first);
  };
  for (const { link } of view.outgoing(task.id)) take(orderingOf(task.id, link));
  for (const { from, fromType, link } of view.incoming(task.id)) if (fromType === 'task') take(orderingOf(from, link));
  const found = [...ids].map((id) => view.get('task', id)).filter((one) => one !== undefined);
  return found.length > 1 ? found.sort(byCreation) : found;
}

/** The open prerequisites of a task, by created_at, id. A prerequisite that no longer exists does not block. */
export function waitingOn(view: Snapshot<PlannerCollections>, task: TaskRecord): TaskRecord[] {
  return prerequisitesOf(view, task).filter(({ status }) => status !== 'done');
}

/** A task in the graph, with its prerequisites in any goal. */
export interface GraphNode {
  readonly task: TaskRecord;
  readonly depth: number;
  readonly prerequisites: readonly TaskRecord[];
  /** Present if a guest wrote its texts. */
  readonly mark: GuestMark | undefined;
}

export interface TaskGraph {
  /** The nodes, by created_at, id. */
  readonly nodes: readonly GraphNode[];
  /** Tasks without a prerequisite in the graph. */
  readonly roots: readonly string[];
  readonly cycles: readonly (readonly string[])[];
  /** Tasks in `scope` or `todo` whose prerequisites, in other goals too, are all done. */
  readonly actionable_if_released: readonly string[];
}

/**
 * The graph of a goal's tasks, or of all tasks of the project, as of the call; computed by the returned steps. Depths,
 * roots and cycles refer to the shown tasks.
 */
export function taskGraph(
  view: ReadTransaction<PlannerCollections>,
  goalId: string | undefined,
): Iterator<unknown, TaskGraph> {
  const tasks = goalId === undefined ? [...view.list('task')] : tasksOfGoal(view, goalId);
  return graphOf(tasks, view.snapshot(), guestMarks(view));
}

function* graphOf(
  tasks: readonly TaskRecord[],
  records: Snapshot<PlannerCollections>,
  marks: GuestMarks,
): Generator<undefined, TaskGraph> {
  const found = yield* mapInSteps(tasks, (task) => [task.id, prerequisitesOf(records, task)] as const);
  const prerequisites = new Map(found);
  const graph = new Map<string, string[]>();
  yield* mapInSteps(found, ([id, before]) => {
    graph.set(
      id,
      before.filter((one) => prerequisites.has(one.id)).map((one) => one.id),
    );
  });
  const { cycles, depths } = yield* shapeInSteps(graph);
  const nodes = yield* mapInSteps(tasks, (task) => ({
    task,
    depth: depths.get(task.id) ?? 0,
    prerequisites: prerequisites.get(task.id) ?? [],
    mark: marks(task.id),
  }));
  const isFree = ({ status }: TaskRecord, before: readonly TaskRecord[]): boolean =>
    (status === 'scope' || status === 'todo') && before.every((one) => one.status === 'done');
  return {
    nodes,
    roots: tasks.filter(({ id }) => graph.get(id)?.length === 0).map(({ id }) => id),
    cycles,
    actionable_if_released: nodes
      .filter(({ task, prerequisites: before }) => isFree(task, before))
      .map(({ task }) => task.id),
  };
}

/** The cycles of open tasks that block tasks of a goal permanently, also through other goals. A cycle with a done task blocks nothing. */
export function blockingCycles(
  view: ReadTransaction<PlannerCollections>,
  goalId: string,
): readonly (readonly string[])[] {
  const graph = new Map<string, string[]>();
  const pending = tasksOfGoal(view, goalId).filter(({ status }) => status !== 'done');
  for (let task = pending.pop(); task !== undefined; task = pending.pop()) {
    if (graph.has(task.id)) continue;
    const before = waitingOn(view, task);
    graph.set(
      task.id,
      before.map(({ id }) => id),
    );
    pending.push(...before);
  }
  return shapeOf(graph).cycles;
}

function tasksOfGoal(view: ReadTransaction<PlannerCollections>, goalId: string): TaskRecord[] {
  const standings = view.index<Frontier>('frontier').tasksOf(goalId).inOrder();
  return [...standings].map(({ id }) => view.get('task', id)).filter((task) => task !== undefined);
}
