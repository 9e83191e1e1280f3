import { byCreation } from '../../store/index.ts';
import type { ListTasksInput, PlanReadTransaction, TaskRecord } from '../records/collections.ts';
import type { Frontier, Order } from '../graph/frontier.ts';
import type { Place, Standing } from '../graph/frontier-order.ts';
import { goalById } from './goals.ts';
import { tagNamed, tasksTagged } from './tags.ts';
import { returnedTasks } from './waiting.ts';

/** The filter of a list of tasks: all members must match, and any of the tags. */
export type TaskFilter = Pick<
  ListTasksInput,
  | 'status'
  | 'kind'
  | 'priority'
  | 'lane'
  | 'severity'
  | 'goal_id'
  | 'assignee'
  | 'tags'
  | 'awaiting_review'
  | 'returned'
  | 'to_merge'
>;

interface Position {
  readonly created_at: string;
  readonly id: string;
}

/** The tasks that match a filter, in another order than by creation, after `after`. Lazy once the project has been sorted. */
export function* listTasksInOrder(
  view: PlanReadTransaction,
  filter: TaskFilter,
  order: Order,
  after?: Place,
): IterableIterator<TaskRecord> {
  const chosen = taskFilter(view, filter);
  // The fields of a place alone determine the position in these lists.
  for (const { id } of view
    .index<Frontier>('frontier')
    .inOrder(order)
    .values(after as Standing | undefined)) {
    const task = view.get('task', id);
    if (task !== undefined && chosen(task)) yield task;
  }
}

/** The tasks that match a filter, by created_at, id, after `after`. Lazy: a page costs no more than its own tasks. */
export function* listTasks(
  view: PlanReadTransaction,
  filter: TaskFilter,
  after?: Position,
): IterableIterator<TaskRecord> {
  const chosen = taskFilter(view, filter);
  for (const task of candidates(view, filter, after)) if (chosen(task)) yield task;
}

/** Returns the predicate of a filter. Throws `not_found` for an unknown goal. */
export function taskFilter(view: PlanReadTransaction, filter: TaskFilter): (task: TaskRecord) => boolean {
  const { goal_id: goal, tags, status, kind, priority, lane, severity, assignee } = filter;
  if (goal !== undefined) goalById(view, goal);
  const tagIds = tags === undefined ? undefined : new Set(tags.map((name) => tagNamed(view, name).id));
  const frontier = view.index<Frontier>('frontier');
  const waiting = waitingFor(view, filter);
  return (task) =>
    waiting.every((ids) => ids.has(task.id)) &&
    (status === undefined || task.status === status) &&
    (kind === undefined || task.kind === kind) &&
    (priority === undefined || task.priority === priority) &&
    (lane === undefined || task.lane === lane) &&
    (severity === undefined || task.severity === severity) &&
    (assignee === undefined || task.assignee === assignee) &&
    (goal === undefined || frontier.belongs(task.id, goal)) &&
    (tagIds === undefined || task.tags.some((name) => tagIds.has(tagNamed(view, name).id)));
}

/** The tasks that wait for a person or a merge, of each kind that a filter asks for. */
function waitingFor(
  view: PlanReadTransaction,
  { awaiting_review: isReview, returned: isReturn, to_merge: isMerge }: TaskFilter,
): readonly ReadonlySet<string>[] {
  const reviewed = (value: 'yes' | 'approved'): ReadonlySet<string> =>
    new Set(view.by('task', 'review', value).map(({ id }) => id));
  return [
    ...(isReview === true ? [reviewed('yes')] : []),
    ...(isReturn === true ? [returnedTasks(view)] : []),
    ...(isMerge === true ? [reviewed('approved')] : []),
  ];
}

/** A superset of the matching tasks in their order, from the most selective index of the filter. */
function candidates(view: PlanReadTransaction, filter: TaskFilter, after: Position | undefined): Iterable<TaskRecord> {
  const { tags, assignee, goal_id: goal, status } = filter;
  if (filter.awaiting_review === true) return inOrder(view.by('task', 'review', 'yes'), after);
  if (filter.to_merge === true) return inOrder(view.by('task', 'review', 'approved'), after);
  if (tags !== undefined) {
    const found = new Map(tags.flatMap((name) => tasksTagged(view, name)).map((task) => [task.id, task]));
    return inOrder([...found.values()], after);
  }
  if (assignee !== undefined) return inOrder(view.by('task', 'assignee', assignee), after);
  if (goal !== undefined) return ofGoal(view, goal, status, after);
  if (status !== undefined && isRare(view, status)) return inOrder(view.by('task', 'status', status), after);
  return view.list('task', after);
}

/** Below this share of all tasks, collecting and sorting them costs less than iterating over the others. */
const rareShare = 1 / 16;

function isRare(view: PlanReadTransaction, status: string): boolean {
  return view.countBy('task', 'status', status) < view.count('task') * rareShare;
}

function* ofGoal(
  view: PlanReadTransaction,
  goal: string,
  status: string | undefined,
  after: Position | undefined,
): Iterable<TaskRecord> {
  const has = status === undefined ? undefined : (one: string): boolean => one === status;
  for (const { id } of view.index<Frontier>('frontier').tasksOf(goal).inOrder(has, after)) {
    const task = view.get('task', id);
    if (task !== undefined) yield task;
  }
}

function inOrder(tasks: TaskRecord[], after: Position | undefined): TaskRecord[] {
  const behind = after === undefined ? tasks : tasks.filter((task) => byCreation(task, after) > 0);
  return behind.sort(byCreation);
}
