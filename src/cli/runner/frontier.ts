import { isoTime, systemClock } from '../../base/clock.ts';
import { budgetOf, usedUp } from './budget.ts';
import type { Spending } from './budget.ts';
import type { Goal, GraphNode, Run } from '../../schema/types.ts';
import type { CliTarget } from '../call/cli-target.ts';
import { allRows, allTasks } from '../records/all-rows.ts';
import type { ShownTask } from '../records/show-task.ts';
import { inOrder, urgency } from '../records/task-order.ts';
import { readNodes } from '../records/task-graph.ts';
import { commitNamed } from '../verify/repository.ts';
import type { Repository } from '../verify/repository.ts';
import { areBefore } from './worktree.ts';

/** A task, and why the runner does not take it now; undefined if it does. */
export interface Candidate {
  readonly task: ShownTask;
  readonly goal: Goal;
  readonly whyNot: string | undefined;
  /** The limit that its goal has reached, as the end of a sentence about the goal. */
  readonly usedUp?: string | undefined;
}

/** Which tasks a runner takes. */
export interface Chosen {
  readonly project_id: string;
  /** Undefined: all active goals. */
  readonly goal_id: string | undefined;
}

/** Where tasks are looked for. Branches begin at the present commit of the repository. */
export interface Field {
  readonly target: CliTarget;
  readonly repository: Repository;
  /** Tasks that are at work: their runs may not have started. */
  readonly atWork?: readonly ShownTask[];
}

/**
 * The tasks in `todo` of active goals in the order in which they would be taken, each with why it is not, as the plan and the base are now. A
 * caller that takes the first one causes no further calls.
 */
export async function* candidates(field: Field, { project_id, goal_id }: Chosen): AsyncGenerator<Candidate> {
  const { target, repository } = field;
  const base = (await commitNamed(repository, 'HEAD')).commit;
  const goals = await allRows<Goal>(target, 'list_goals', 'goals', { project_id, status: 'active', archived: false });
  const byId = new Map(
    goals.filter(({ id }) => goal_id === undefined || id === goal_id).map((goal) => [goal.id, goal]),
  );
  const tasks = await allTasks(target, { project_id, goal_id, status: 'todo' });
  const { nodes } = await readNodes(target, project_id);
  const limits = new Map<string, string | undefined>();
  for (const task of tasks.toSorted(inOrder(urgency))) {
    const goal = byId.get(task.goal_id);
    if (goal === undefined) continue;
    const before = (nodes.get(task.id)?.prerequisites ?? []).flatMap((id) => nodes.get(id) ?? []);
    if (!limits.has(goal.id)) limits.set(goal.id, await limitOf(field, goal));
    const limit = limits.get(goal.id);
    const whyNot = whyNever(task) ?? (await unmerged(target, before, repository.top, base));
    yield { task, goal, whyNot: whyNot ?? (limit && `its goal's ${limit}`), usedUp: limit };
  }
}

/** The limit that a goal has reached by all its runs, of whatever runner; undefined if there is none. */
async function limitOf({ target, atWork = [] }: Field, { id, project_id, budget }: Goal): Promise<string | undefined> {
  const limits = budgetOf(budget);
  if (Object.keys(limits).length === 0) return undefined;
  const own = new Set((await allTasks(target, { project_id, goal_id: id })).map((task) => task.id));
  const runs = await allRows<Run>(target, 'list_agent_runs', 'runs', { project_id });
  const begun = atWork.map(({ id: task_id }) => ({ ...notStarted, task_id }));
  const counted = [...runs, ...begun].filter(({ task_id }) => task_id !== null && own.has(task_id));
  return usedUp(limits, counted, systemClock.now());
}

const notStarted: Omit<Spending, 'task_id'> = {
  ...{ status: 'completed', started_at: isoTime(0), events: [], awaiting: null, tokens: null, cost_usd: null },
};

/** All candidates, in their order. */
export async function allCandidates(field: Field, chosen: Chosen): Promise<readonly Candidate[]> {
  const all: Candidate[] = [];
  for await (const one of candidates(field, chosen)) all.push(one);
  return all;
}

function whyNever(task: ShownTask): string | undefined {
  if (task.blocked === true) {
    const open = task.waiting_on?.length ?? 0;
    return `it waits for ${open} open ${open === 1 ? 'task' : 'tasks'}`;
  }
  if (task.kind === 'decision') return 'it is a decision, which a person makes';
  if (task.lane === 'full') return 'its lane is full: a person does it';
  if (task.untrusted === true) return 'a guest wrote it: a person has to look at it first';
  return undefined;
}

/** A task builds on its prerequisites: it waits until their commits are in the base. */
export async function unmerged(
  { planner }: CliTarget,
  prerequisites: readonly GraphNode[],
  top: string,
  base: string,
): Promise<string | undefined> {
  for (const { id: task_id, label } of prerequisites) {
    const { commit_refs: commits } = (await planner.call('get_task', { task_id }))['task'] as ShownTask;
    if (!(await areBefore(top, commits, base))) return `the commits of ${JSON.stringify(label)} are not merged yet`;
  }
  return undefined;
}

/** Returns whether two tasks may change the same files: tasks whose covered files overlap. */
export function overlap(one: ShownTask, other: ShownTask): boolean {
  const fixed = (glob: string): string => glob.split(/[*?[]/, 1)[0]!.replace(/\/$/, '');
  const isWithin = (path: string, above: string): boolean =>
    above === '' || path === above || path.startsWith(`${above}/`);
  return (one.covers ?? []).some((a) =>
    (other.covers ?? []).some((b) => isWithin(fixed(a), fixed(b)) || isWithin(fixed(b), fixed(a))),
  );
}
