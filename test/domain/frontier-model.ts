import type { PlannerCollections } from '../../src/domain/records/collections.ts';
import type { GoalRecord, TaskRecord } from '../../src/schema/types.ts';
import type { ReadTransaction } from '../../src/store/record/read-transaction.ts';

/** The frontier computed from every record, by the rules. */
export interface FrontierModel {
  readonly [goalId: string]: {
    readonly ready: readonly string[];
    readonly blocked: readonly string[];
    readonly counts: Readonly<Record<string, number>>;
    readonly all: readonly string[];
  };
}

const relations = ['relates', 'relates_to', 'references', 'duplicates', 'supersedes', 'clarifies', 'supports'];
const priorities: readonly (string | null)[] = ['urgent', 'high', 'medium', 'low', null];

const inOrder = (a: TaskRecord | GoalRecord, b: TaskRecord | GoalRecord): number =>
  a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id < b.id ? -1 : 1;

/** The place by hand: equal ranks by id, and a task without a rank by its age. */
const handKey = ({ rank, created_at, id }: TaskRecord): string =>
  `${rank ?? created_at.replaceAll(/\D/g, '') + id} ${id}`;

const workKey = (task: TaskRecord): string =>
  `${priorities.indexOf(task.priority)} ${task.due_date ?? '~'} ${handKey(task)}`;

function byKey(keyOf: (task: TaskRecord) => string): (a: TaskRecord, b: TaskRecord) => number {
  return (a, b) => (keyOf(a) < keyOf(b) ? -1 : 1);
}

/** The tasks of a project in each order. */
export function ordersModel(view: ReadTransaction<PlannerCollections>): Readonly<Record<'rank' | 'work', string[]>> {
  const tasks = [...view.list('task')];
  const ids = (keyOf: (task: TaskRecord) => string): string[] => tasks.toSorted(byKey(keyOf)).map(({ id }) => id);
  return { rank: ids(handKey), work: ids(workKey) };
}

function openPrerequisites(tasks: readonly TaskRecord[], task: TaskRecord): TaskRecord[] {
  return tasks.filter((other) => {
    if (other.id === task.id || other.status === 'done') return false;
    const label = (text: string | undefined): string => (text ?? '').toLowerCase().replaceAll(/[ -]/g, '_');
    const waits = task.links.some(
      (link) => link.to === other.id && link.type === 'task' && label(link.label) === 'depends_on',
    );
    const leads = other.links.some(
      (link) =>
        link.to === task.id &&
        link.type === 'task' &&
        label(link.label) !== 'depends_on' &&
        !relations.includes(label(link.label)),
    );
    return waits || leads;
  });
}

/** A goal's id takes precedence, then its name, then a former name; of several goals the older one, then the smaller id. */
function goalNamed(goals: readonly GoalRecord[], reference: string | null): GoalRecord | undefined {
  return (
    goals.find(({ id }) => id === reference) ??
    goals.find(({ name }) => name !== null && name === reference) ??
    goals.find(({ aliases }) => reference !== null && aliases.includes(reference))
  );
}

export function frontierModel(view: ReadTransaction<PlannerCollections>): FrontierModel {
  const tasks = [...view.list('task')];
  const goals = [...view.list('goal')].sort(inOrder);
  const defaultGoal = view.get('project', view.project)?.default_goal_id ?? '';
  const waiting = new Map(tasks.map((task) => [task.id, openPrerequisites(tasks, task).length]));
  const model: Record<string, FrontierModel[string]> = {};
  for (const goal of goals) {
    const own = tasks.filter((task) => (goalNamed(goals, task.goal)?.id ?? defaultGoal) === goal.id);
    const todo = own.filter(({ status }) => status === 'todo');
    const ready = todo.filter(({ id }) => waiting.get(id) === 0);
    const blocked = todo.filter(({ id }) => waiting.get(id) !== 0);
    ready.sort(byKey(workKey));
    blocked.sort((a, b) => (waiting.get(a.id) ?? 0) - (waiting.get(b.id) ?? 0) || inOrder(a, b));
    const counts: Record<string, number> = {};
    for (const { status } of own) counts[status] = (counts[status] ?? 0) + 1;
    const ids = (list: readonly TaskRecord[]): string[] => list.map(({ id }) => id);
    model[goal.id] = { ready: ids(ready), blocked: ids(blocked), counts, all: ids([...own].sort(inOrder)) };
  }
  return model;
}
