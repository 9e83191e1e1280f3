import type { ReadTransaction } from '../../store/index.ts';
import type { Acting } from '../records/acting.ts';
import type { PlannerCollections } from '../records/collections.ts';
import type { GetNextTaskInput, GoalRecord, TaskRecord } from '../../schema/types.ts';
import { chosenGoal } from './current-goal.ts';
import type { Frontier } from '../graph/frontier.ts';
import { byObstacles, byUrgency, type Obstructed, Standing } from '../graph/frontier-order.ts';
import { activeGoals, goalById, offersTasks, stateOfGoal } from './goals.ts';
import { abandonedTasks, hasRunOut } from './leases.ts';
import { tasksTagged } from './tags.ts';
import { hintFor, noGoalHint } from './after-red.ts';
import { waitingOn } from '../graph/task-graph.ts';

const nothingHeld: ReadonlySet<string> = new Set();

export type NextReason =
  | 'ok'
  | 'no_tasks'
  | 'no_todo_tasks'
  | 'all_blocked'
  | 'goal_blocked'
  | 'no_active_goal'
  | 'multiple_active_goals';

export interface BlockedTask {
  readonly task: TaskRecord;
  readonly waiting_on: readonly TaskRecord[];
  /** Its position among the blocked tasks. */
  readonly position: Obstructed;
}

/** The next task, or the reason why there is no task. */
export interface NextTask {
  readonly next_task: TaskRecord | null;
  readonly reason: NextReason;
  /** The blocked todo tasks, with the fewest open prerequisites first. Lazy: taking a few costs only their time. */
  readonly blocked: Iterable<BlockedTask>;
  readonly blocked_total: number;
  /** The active goals to choose from, if there are several and the call names no goal. */
  readonly active_goals?: readonly GoalRecord[];
  /** The next step if the goal offers no tasks. */
  readonly hint?: string;
  /** All active goals, if the call names no goal and has no current goal. */
  readonly active?: readonly GoalRecord[];
}

/** The next task of one of several active goals. */
export interface GoalNext {
  readonly goal: GoalRecord;
  readonly next_task: TaskRecord | null;
  readonly reason: NextReason;
}

export interface NextTaskQuery extends Pick<GetNextTaskInput, 'goal_id' | 'tags' | 'any_goal'> {
  /** Only blocked tasks after this position. */
  readonly after?: Obstructed | undefined;
}

/**
 * The next task of a goal: the given one, else the caller's current one, else the only active one. Of several active goals those count that
 * have tasks to choose from: a project is born with a goal that may stay empty. Only an active goal offers tasks: if the given one is not,
 * the reason is `no_active_goal`, or `goal_blocked` after red evidence. With `any_goal` the first task of all goals that count, if there are several. Tasks that other worktrees of
 * the repository hold are skipped. Claims nothing. Takes constant time in a plan of any size; with `tags`, time proportional to the number of tasks with one of them.
 */
export function nextTask(view: ReadTransaction<PlannerCollections>, query: NextTaskQuery, by: Acting): NextTask {
  const goal = query.goal_id === undefined ? chosenGoal(view, by) : goalById(view, query.goal_id);
  const held = by.claims?.heldElsewhere(view.project, view.now) ?? nothingHeld;
  const nothing = { next_task: null, blocked: [], blocked_total: 0 };
  if (goal !== undefined && !offersTasks(goal)) {
    const reason = stateOfGoal(goal) === 'blocked' ? 'goal_blocked' : 'no_active_goal';
    return { ...nothing, reason, hint: hintFor(view, goal) };
  }
  if (goal !== undefined) return nextIn(view, goal, query, held);
  const active = activeGoals(view);
  const [only] = active;
  if (only === undefined) return { ...nothing, reason: 'no_active_goal', hint: noGoalHint };
  const next = active.length === 1 ? nextIn(view, only, query, held) : nextOfSeveral(view, active, query, held);
  return { ...next, active };
}

/** The next task if there are several active goals and no goal is chosen. */
function nextOfSeveral(
  view: ReadTransaction<PlannerCollections>,
  active: readonly GoalRecord[],
  query: NextTaskQuery,
  held: ReadonlySet<string>,
): NextTask {
  const nothing = { next_task: null, blocked: [], blocked_total: 0 };
  const counting = goalsThatCount(view, active);
  const [first] = counting;
  if (first === undefined) return { ...nothing, reason: 'no_todo_tasks' };
  if (counting.length > 1) {
    const choice = { active_goals: counting };
    return query.any_goal === true
      ? { ...firstOf(counting.map((each) => nextIn(view, each, query, held))), ...choice }
      : { ...nothing, reason: 'multiple_active_goals', ...choice };
  }
  return nextIn(view, first, query, held);
}

/** The goals with a task in `todo`, blocked or not, or a claim that ran out. */
function goalsThatCount(
  view: ReadTransaction<PlannerCollections>,
  goals: readonly GoalRecord[],
): readonly GoalRecord[] {
  const counting = view.index<Frontier>('frontier').goalsToDo(abandonedTasks(view));
  return goals.filter(({ id }) => counting.has(id));
}

/** Reasons why a goal has no next task, the one that most is missing to a task last. */
const reasons: readonly NextReason[] = ['ok', 'all_blocked', 'no_todo_tasks', 'no_tasks'];

/** The most urgent of the next tasks of several goals, and the blocked tasks of all. */
function firstOf(nexts: readonly NextTask[]): NextTask {
  const standing = ({ next_task: task }: NextTask): Standing | undefined =>
    task === null ? undefined : new Standing(task, 0);
  const [first] = nexts.toSorted((a, b) => {
    const [left, right] = [standing(a), standing(b)];
    if (left === undefined || right === undefined) return reasons.indexOf(a.reason) - reasons.indexOf(b.reason);
    return byUrgency(left, right);
  });
  return {
    next_task: first?.next_task ?? null,
    reason: first?.reason ?? 'no_tasks',
    blocked: inOneOrder(nexts.map(({ blocked }) => blocked)),
    blocked_total: nexts.reduce((sum, { blocked_total: total }) => sum + total, 0),
  };
}

/** Merges blocked tasks of several goals. */
function* inOneOrder(lists: readonly Iterable<BlockedTask>[]): IterableIterator<BlockedTask> {
  const iterators = lists.map((list) => list[Symbol.iterator]());
  const heads = iterators.map((iterator) => iterator.next());
  for (;;) {
    let least: number | undefined;
    for (const [at, head] of heads.entries()) {
      const best = least === undefined ? undefined : heads[least];
      if (head.done !== true && (best?.done !== false || byObstacles(head.value.position, best.value.position) < 0))
        least = at;
    }
    if (least === undefined) return;
    yield (heads[least] as IteratorYieldResult<BlockedTask>).value;
    heads[least] = iterators[least]!.next();
  }
}

/** The next task of each goal. */
export function nextOfGoals(
  view: ReadTransaction<PlannerCollections>,
  goals: readonly GoalRecord[],
  query: Pick<NextTaskQuery, 'tags'>,
  by: Acting,
): readonly GoalNext[] {
  const held = by.claims?.heldElsewhere(view.project, view.now) ?? nothingHeld;
  return goals.map((goal) => {
    const { next_task, reason } = nextIn(view, goal, query, held);
    return { goal, next_task, reason };
  });
}

/** `held`: tasks that other worktrees of the repository hold. */
function nextIn(
  view: ReadTransaction<PlannerCollections>,
  goal: GoalRecord,
  query: NextTaskQuery,
  held: ReadonlySet<string>,
): NextTask {
  const tags = query.tags ?? [];
  const choice = tags.length > 0 ? tagged(view, goal, tags, held) : untagged(view, goal, held);
  const { first } = choice;
  const blocked = { blocked: blockedRows(view, choice.blocked(query.after)), blocked_total: choice.blockedTotal };
  if (first !== undefined) return { next_task: view.get('task', first.id) ?? null, reason: 'ok', ...blocked };
  const reason = choice.size === 0 ? 'no_tasks' : choice.blockedTotal === 0 ? 'no_todo_tasks' : 'all_blocked';
  return { next_task: null, reason, ...blocked };
}

/** The candidates of a goal. */
interface Choice {
  /** Tasks of any status. */
  readonly size: number;
  readonly first: Standing | undefined;
  readonly blockedTotal: number;
  readonly blocked: (after: Obstructed | undefined) => Iterable<Standing>;
}

function untagged(view: ReadTransaction<PlannerCollections>, goal: GoalRecord, held: ReadonlySet<string>): Choice {
  const frontier = view.index<Frontier>('frontier');
  const tasks = frontier.tasksOf(goal.id);
  const abandoned = abandonedTasks(view).filter(({ id }) => frontier.belongs(id, goal.id));
  const extra = sorted(abandoned.map((task) => new Standing(task, frontier.openPrerequisites(task.id))));
  const ready = firstFree(tasks.ready.values(), held);
  const freed = firstFree(extra.ready, held);
  return {
    size: tasks.size,
    first: freed !== undefined && (ready === undefined || byUrgency(freed, ready) < 0) ? freed : ready,
    blockedTotal: tasks.blocked.size + extra.blocked.length,
    // Only the position determines the order of this list.
    blocked: (after) => merged(tasks.blocked.values(after as Standing | undefined), behind(extra.blocked, after)),
  };
}

function firstFree(standings: Iterable<Standing>, held: ReadonlySet<string>): Standing | undefined {
  for (const standing of standings) if (!held.has(standing.id)) return standing;
  return undefined;
}

function tagged(
  view: ReadTransaction<PlannerCollections>,
  goal: GoalRecord,
  tags: readonly string[],
  held: ReadonlySet<string>,
): Choice {
  const frontier = view.index<Frontier>('frontier');
  const found = new Map<string, TaskRecord>();
  for (const tag of tags) {
    for (const task of tasksTagged(view, tag)) if (frontier.belongs(task.id, goal.id)) found.set(task.id, task);
  }
  const todo = [...found.values()].filter(({ id, status }) => status === 'todo' || hasRunOut(view, id));
  const { ready, blocked } = sorted(todo.map((task) => new Standing(task, frontier.openPrerequisites(task.id))));
  return {
    size: found.size,
    first: firstFree(ready, held),
    blockedTotal: blocked.length,
    blocked: (after) => behind(blocked, after),
  };
}

function sorted(standings: readonly Standing[]): { readonly ready: Standing[]; readonly blocked: Standing[] } {
  return {
    ready: standings.filter(({ open }) => open === 0).sort(byUrgency),
    blocked: standings.filter(({ open }) => open > 0).sort(byObstacles),
  };
}

function behind(standings: readonly Standing[], after: Obstructed | undefined): readonly Standing[] {
  return after === undefined ? standings : standings.filter((standing) => byObstacles(standing, after) > 0);
}

/** Merges two sequences in the order of blocked tasks. */
function* merged(list: Iterator<Standing>, extra: readonly Standing[]): IterableIterator<Standing> {
  let head = list.next();
  for (const standing of extra) {
    for (; head.done !== true && byObstacles(head.value, standing) < 0; head = list.next()) yield head.value;
    yield standing;
  }
  for (; head.done !== true; head = list.next()) yield head.value;
}

function* blockedRows(
  view: ReadTransaction<PlannerCollections>,
  standings: Iterable<Standing>,
): IterableIterator<BlockedTask> {
  for (const standing of standings) {
    const task = view.get('task', standing.id);
    if (task !== undefined) yield { task, waiting_on: waitingOn(view, task), position: standing };
  }
}
