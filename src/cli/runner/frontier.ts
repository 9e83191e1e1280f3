import type { Goal, GraphNode } from '../../schema/types.ts';
import type { CliTarget } from '../call/cli-target.ts';
import { allRows, allTasks } from '../records/all-rows.ts';
import type { ShownTask } from '../records/show-task.ts';
import { inOrder, urgency } from '../records/task-order.ts';
import { readGraph } from '../records/task-graph.ts';
import { isBefore } from './worktree.ts';

/** A task, and why the runner does not take it now; undefined if it does. */
export interface Candidate {
  readonly task: ShownTask;
  readonly goal: Goal;
  readonly whyNot: string | undefined;
}

/** Where the runner looks for tasks. */
export interface Field {
  readonly project_id: string;
  readonly goal_id: string | undefined;
  /** The repository, and the commit from which branches begin. */
  readonly top: string;
  readonly base: string;
}

/** The tasks in `todo` of active goals in the order in which they would be taken, each with why it is not. */
export async function candidates(target: CliTarget, { project_id, goal_id, top, base }: Field): Promise<Candidate[]> {
  const goals = await allRows<Goal>(target, 'list_goals', 'goals', { project_id, status: 'active', archived: false });
  const byId = new Map(
    goals.filter(({ id }) => goal_id === undefined || id === goal_id).map((goal) => [goal.id, goal]),
  );
  const tasks = await allTasks(target, { project_id, status: 'todo', ...(goal_id === undefined ? {} : { goal_id }) });
  const { nodes } = await readGraph(target, project_id);
  const found: Candidate[] = [];
  for (const task of tasks.toSorted(inOrder(urgency))) {
    const goal = byId.get(task.goal_id);
    if (goal === undefined) continue;
    const before = (nodes.get(task.id)?.prerequisites ?? []).flatMap((id) => nodes.get(id) ?? []);
    found.push({ task, goal, whyNot: whyNever(task) ?? (await unmerged(target, before, top, base)) });
  }
  return found;
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
async function unmerged(
  { planner }: CliTarget,
  prerequisites: readonly GraphNode[],
  top: string,
  base: string,
): Promise<string | undefined> {
  for (const { id: task_id, label } of prerequisites) {
    const { commit_refs: commits } = (await planner.call('get_task', { task_id }))['task'] as ShownTask;
    for (const commit of commits)
      if (!(await isBefore(top, commit, base))) return `the commits of ${JSON.stringify(label)} are not merged yet`;
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
