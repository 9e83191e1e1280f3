import { equal, LazyList } from '../../store/index.ts';
import type {
  DerivedIndex,
  Incoming,
  NoteTransition,
  RecordProblem,
  StoredRecord,
  ReadTransaction,
} from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';
import type { GoalRecord, ProjectRecord, TaskRecord } from '../../schema/types.ts';
import { byRank, byUrgency, Standing } from './frontier-order.ts';
import { resolveGoal } from '../records/goal-reference.ts';
import { GoalTasks } from './goal-tasks.ts';
import { shownCycle } from './shown-cycle.ts';
import { OpenCycles } from './open-cycles.ts';
import { PrerequisiteMap } from './prerequisite-map.ts';
import { type Ordering, orderingOf } from './work-order.ts';

/** The orders of the tasks of a project: by hand, and the order of work, in which priority and due date come first. */
const orders = { rank: byRank, work: byUrgency } as const;
export type Order = keyof typeof orders;

/** The key of the default goal's tasks: tasks whose goal is absent or missing. */
const defaultKey = '';

interface Filed {
  readonly standing: Standing;
  goal: string;
}

/**
 * The frontier of a project: for each goal the tasks that can begin now, the blocked ones, and the number of tasks by status. A change
 * takes time proportional to the task's own edges and logarithmic in the goal's size; the next task is found in constant time. Derived
 * index `frontier`; it is updated by changes of records, in any order of loading.
 */
export class Frontier implements DerivedIndex {
  readonly fields = {
    project: ['default_goal_id'],
    goal: ['name', 'aliases', 'created_at'],
    task: ['status', 'goal', 'priority', 'due_date', 'rank', 'created_at'],
  };
  readonly #view: ReadTransaction<PlannerCollections>;
  readonly #touch: (collection: 'task', id: string) => void;
  readonly #transition: NoteTransition;
  readonly #filed = new Map<string, Filed>();
  readonly #order = new PrerequisiteMap();
  /** The cycles of open tasks. */
  readonly cycles = new OpenCycles(this.#order, (id) => {
    const status = this.#filed.get(id)?.standing.status;
    return status !== undefined && status !== 'done';
  });
  readonly #goals = new Map<string, GoalTasks>();
  /** All tasks in the orders that were asked for. */
  readonly #lists = new Map<Order, LazyList<Standing>>();

  constructor(
    view: ReadTransaction<PlannerCollections>,
    touch: (collection: 'task', id: string) => void,
    transition: NoteTransition = () => undefined,
  ) {
    this.#view = view;
    this.#touch = touch;
    this.#transition = transition;
  }

  changed(collection: string, from: StoredRecord | undefined, to: StoredRecord | undefined): void {
    if (collection === 'task') this.#taskChanged(from as TaskRecord | undefined, to as TaskRecord | undefined);
    else if (collection === 'goal') this.#goalChanged(from as GoalRecord | undefined, to as GoalRecord | undefined);
    else if (collection === 'project')
      this.#projectChanged(from as ProjectRecord | undefined, to as ProjectRecord | undefined);
  }

  *problems(): Iterable<RecordProblem> {
    for (const cycle of this.cycles.found) {
      yield {
        id: cycle[0] ?? '',
        kind: 'dependency_cycle',
        reason: `These tasks wait for each other, so that none of them can begin: ${shownCycle(this.#view, cycle)}.`,
        remedy: 'Delete one of the edges between them.',
      };
    }
  }

  /** The tasks of a goal; empty for a goal without tasks. */
  tasksOf(goalId: string): GoalTasks {
    return this.#goals.get(goalId === this.#defaultGoal() ? defaultKey : goalId) ?? noTasks;
  }

  /** All tasks of the project in an order. Sorted when it is first asked for, and kept from then on. */
  inOrder(order: Order): LazyList<Standing> {
    let list = this.#lists.get(order);
    if (list === undefined) {
      this.#lists.set(order, (list = new LazyList<Standing>(orders[order])));
      for (const { standing } of this.#filed.values()) list.add(standing);
    }
    return list;
  }

  /** A task among those in an order. */
  standing(taskId: string): Standing | undefined {
    return this.#filed.get(taskId)?.standing;
  }

  /** The number of open prerequisites of a task. */
  openPrerequisites(taskId: string): number {
    return this.#filed.get(taskId)?.standing.open ?? 0;
  }

  /** Returns whether a task belongs to a goal. */
  belongs(taskId: string, goalId: string): boolean {
    return this.#filed.get(taskId)?.goal === (goalId === this.#defaultGoal() ? defaultKey : goalId);
  }

  /** The goals with a task in `todo`, and the goals of some tasks. */
  goalsToDo(tasks: readonly { readonly id: string }[]): ReadonlySet<string | undefined> {
    const keys = new Set(tasks.map(({ id }) => this.#filed.get(id)?.goal));
    for (const [key, own] of this.#goals) if (own.count('todo') > 0) keys.add(key);
    if (keys.delete(defaultKey)) keys.add(this.#defaultGoal());
    return keys;
  }

  #taskChanged(from: TaskRecord | undefined, to: TaskRecord | undefined): void {
    const id = (to ?? from)?.id ?? '';
    const former = this.#filed.get(id);
    if (former !== undefined) {
      this.#goals.get(former.goal)?.delete(former.standing);
      for (const list of this.#lists.values()) list.delete(former.standing);
    }
    if (to === undefined) this.#filed.delete(id);
    else {
      const open = former?.standing.open ?? this.#countOpen(id);
      this.#filed.set(id, { standing: new Standing(to, open), goal: this.#keyOf(to.goal) });
    }
    const [was, is] = [isOpen(from), isOpen(to)];
    if (was !== is) this.#shiftAll(id, is ? 1 : -1);
    else if (is && from?.created_at !== to?.created_at) this.#shiftAll(id, 0);
    const filed = this.#filed.get(id);
    if (filed !== undefined) {
      this.#tasksUnder(filed.goal).add(filed.standing);
      for (const list of this.#lists.values()) list.add(filed.standing);
    }
    if (was === is) return;
    this.cycles.changed(id, is);
    if (filed !== undefined) this.#noteReady(filed.goal);
  }

  /** The last open task of a goal was done, or another one is open again. */
  #noteReady(key: string): void {
    const goal = this.#view.get('goal', (key === defaultKey ? this.#defaultGoal() : key) ?? '');
    if (goal === undefined || goal.status === 'complete') return;
    const open = this.#tasksUnder(key).open;
    const isRemedyOpen = goal.remediation_task_id !== null && isOpen(this.#view.get('task', goal.remediation_task_id));
    this.#transition('goal.ready', { id: goal.id, label: goal.name ?? '' }, open === Number(isRemedyOpen));
  }

  /** Adds `by` to the open prerequisites of every task that waits for this task. */
  #shiftAll(id: string, by: number): void {
    for (const dependent of this.#order.dependents(id)) this.#shift(dependent, by);
  }

  linked(removed: readonly Incoming[], added: readonly Incoming[]): void {
    // Additions precede removals, so that an order that another edge keeps is never removed in between.
    for (const edge of added) {
      const ordering = orderingBy(edge);
      if (ordering === undefined || !this.#order.add(ordering)) continue;
      this.#shiftOrdered(ordering, 1);
      this.cycles.added(ordering);
    }
    for (const edge of removed) {
      const ordering = orderingBy(edge);
      if (ordering === undefined || !this.#order.remove(ordering)) continue;
      this.#shiftOrdered(ordering, -1);
      this.cycles.removed();
    }
  }

  #shiftOrdered({ first, then }: Ordering, by: number): void {
    const filed = this.#filed.get(first);
    if (filed !== undefined && filed.standing.status !== 'done') this.#shift(then, by);
  }

  #shift(id: string, by: number): void {
    const filed = this.#filed.get(id);
    if (filed === undefined) return;
    const { standing, goal } = filed;
    this.#noteUnblocked(standing, by);
    if (by !== 0) this.#goals.get(goal)?.reopen(standing, standing.open + by);
    this.#touch('task', id);
  }

  /** Its last open prerequisite was done, or no longer is one. */
  #noteUnblocked({ id, status, open }: Standing, by: number): void {
    if (by === 0 || (open !== 0 && open + by !== 0)) return;
    const label = this.#view.get('task', id)?.label ?? '';
    this.#transition('task.unblocked', { id, label }, open > 0 && status === 'todo');
  }

  #countOpen(id: string): number {
    let open = 0;
    for (const prerequisite of this.#order.prerequisites(id)) {
      const filed = this.#filed.get(prerequisite);
      if (filed !== undefined && filed.standing.status !== 'done') open++;
    }
    return open;
  }

  /**
   * Reassigns the tasks that reference a goal by its id, name or former name; a change of status or text moves no task.
   */
  #goalChanged(from: GoalRecord | undefined, to: GoalRecord | undefined): void {
    // A current name precedes a former one, and an older goal a younger one: each of these may move tasks.
    const same = from?.name === to?.name && equal(from?.aliases, to?.aliases) && from?.created_at === to?.created_at;
    if (!same) this.#refile([...referencesTo(from), ...referencesTo(to)]);
  }

  #projectChanged(from: ProjectRecord | undefined, to: ProjectRecord | undefined): void {
    if (from?.default_goal_id === to?.default_goal_id) return;
    const goals = [from, to].map((project) => project && this.#view.get('goal', project.default_goal_id));
    this.#refile(goals.flatMap((goal) => referencesTo(goal)));
    if (from === undefined || to === undefined) return;
    for (const standing of this.#tasksUnder(defaultKey).inOrder()) this.#touch('task', standing.id);
  }

  #refile(references: readonly string[]): void {
    for (const reference of new Set(references)) {
      const key = this.#keyOf(reference);
      for (const { id } of this.#view.by('task', 'goal', reference)) {
        const filed = this.#filed.get(id);
        if (filed === undefined) continue;
        this.#touch('task', id);
        if (filed.goal === key) continue;
        this.#goals.get(filed.goal)?.delete(filed.standing);
        filed.goal = key;
        this.#tasksUnder(key).add(filed.standing);
      }
    }
  }

  #keyOf(reference: string | null): string {
    const goal = reference === null ? undefined : resolveGoal(this.#view, reference)?.id;
    return goal === undefined || goal === this.#defaultGoal() ? defaultKey : goal;
  }

  #defaultGoal(): string | undefined {
    return this.#view.get('project', this.#view.project)?.default_goal_id;
  }

  #tasksUnder(key: string): GoalTasks {
    let tasks = this.#goals.get(key);
    if (tasks === undefined) this.#goals.set(key, (tasks = new GoalTasks()));
    return tasks;
  }
}

const noTasks = new GoalTasks();

function isOpen(task: TaskRecord | undefined): boolean {
  return task !== undefined && task.status !== 'done';
}

function referencesTo(goal: GoalRecord | undefined): string[] {
  if (goal === undefined) return [];
  return [goal.id, ...(goal.name === null ? [] : [goal.name]), ...goal.aliases];
}

function orderingBy({ from, fromType, link }: Incoming): Ordering | undefined {
  return fromType === 'task' ? orderingOf(from, link) : undefined;
}
