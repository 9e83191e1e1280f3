import { claimTask } from '../domain/plan/claims.ts';
import type {
  ClaimTaskAnswer,
  ClaimTaskInput,
  GetNextTaskInput,
  GetTaskGraphInput,
  GoalRecord,
  NextTask,
  NextTaskAnswer,
  PlanReadTransaction,
  TaskGraphAnswer,
  TaskRecord,
  TaskReference,
} from '../domain/records/collections.ts';
import { chosenGoal } from '../domain/plan/current-goal.ts';
import type { Obstructed } from '../domain/graph/frontier-order.ts';
import { activeGoals, goalById } from '../domain/plan/goals.ts';
import { guestMark } from '../domain/records/guest-texts.ts';
import { abandonedTasks } from '../domain/plan/leases.ts';
import { type BlockedTask, nextOfGoals, nextTask } from '../domain/plan/next-task.ts';
import { type GraphNode, type TaskGraph, taskGraph } from '../domain/graph/task-graph.ts';
import { showTask } from '../domain/plan/task-view.ts';
import { limits } from '../base/limits.ts';
import { groups } from './groups.ts';
import { hashOf } from './pipeline/entity-tag.ts';
import { versionsTag } from './pipeline/list-tag.ts';
import type { Context } from './declaration/operation.ts';
import { decodeCursor, nextCursor, pageOf, type Position, positionAfter, positionOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';
import { Sliced } from './declaration/sliced.ts';

/** The budget of a result for an agent: bytes for rows, in addition to the task or the lists of ids. */
const rowBytes = 20_000;
/** The maximum number of names or ids of a kind in a result for an agent. */
const named = limits.agentListRows;
/** Characters of an objective: enough to distinguish goals. */
const objectiveCharacters = 300;

const next: Read<GetNextTaskInput, NextTaskAnswer> = {
  name: 'get_next_task',
  summary: 'The next task to work on',
  group: groups.tasks,
  input: 'GetNextTaskInput',
  output: 'NextTaskAnswer',
  scope: 'project',
  effect: 'read',
  rest: { method: 'GET', path: '/projects/:project_id/next-task', bare: 'next', names: { tag: 'tags' } },
  mcp: {
    title: 'Get next task',
    texts: true,
    description:
      'The first todo task, by priority, due date and rank, whose prerequisites are done. Claims nothing: claim_task is next. If there is none, reason is no_tasks, no_todo_tasks (then complete_goal), all_blocked, goal_blocked, no_active_goal (see hint), multiple_active_goals (pass goal_id).',
  },
  // The next task changes when a lease expires or the current goal changes.
  tag: (view, _, context) => ({
    own: versionsTag(view, 'project', 'goal', 'task', 'tag').own,
    rest: hashOf([
      chosenGoal(view, context)?.id,
      abandonedTasks(view).map(({ id }) => id),
      [...(context.claims?.heldElsewhere(view.project, view.now) ?? [])],
    ]),
  }),
  run: nextAnswer,
};

function nextAnswer(view: PlanReadTransaction, input: GetNextTaskInput, context: Context): NextTaskAnswer {
  const found = nextTask(view, { ...input, after: blockedAfter(input) }, context);
  const agent = context.transport === 'mcp';
  const page = pageOf(found.blocked, { limit: input.limit ?? (agent ? limits.blockedRowsMax : undefined) }, context, {
    show: (row) => blockedRow(view, row, input.verbose === true, Infinity),
    position: ({ position: { open, created_at, id } }) => [String(open), created_at, id],
    lighter: (row) => blockedRow(view, row, false, named),
    bytesMax: rowBytes,
  });
  const goals = agent
    ? found.active_goals?.slice(0, named).map(({ id, name, objective }) => ({
        ...{ id, name },
        objective: objective.slice(0, objectiveCharacters),
      }))
    : goalsToChoose(view, input, found.active, context);
  return {
    next: {
      next_task: found.next_task && showTask(view, found.next_task),
      reason: found.reason,
      blocked: page.rows,
      blocked_total: found.blocked_total,
      ...(goals === undefined ? undefined : { active_goals: goals }),
      ...(found.hint === undefined ? undefined : { hint: found.hint }),
      ...nextCursor(page),
    },
  };
}

/**
 * Each of several active goals with its own next task; the tasks only of the first hundred, so that the response stays
 * small.
 */
function goalsToChoose(
  view: PlanReadTransaction,
  input: GetNextTaskInput,
  active: readonly GoalRecord[] | undefined,
  context: Context,
): NextTask['active_goals'] {
  if (input.goal_id !== undefined) return undefined;
  const goals = active ?? activeGoals(view);
  if (goals.length < 2) return undefined;
  const nexts = new Map(nextOfGoals(view, goals.slice(0, named), input, context).map((each) => [each.goal.id, each]));
  return goals.map(({ id, name, objective }) => {
    const of = nexts.get(id);
    return {
      ...{ id, name, objective },
      ...(of && { next_task: of.next_task && referenceTo(view, of.next_task), reason: of.reason }),
    };
  });
}

function referenceTo(view: PlanReadTransaction, task: TaskRecord): TaskReference {
  const { id, label, status } = task;
  return { id, label, status, ...guestMark(view, task) };
}

function blockedAfter({ cursor }: GetNextTaskInput): Obstructed | undefined {
  if (cursor === undefined) return undefined;
  const [open = '', created_at = '', id = ''] = decodeCursor(cursor, 3);
  return { open: Number(open), created_at, id };
}

function blockedRow(
  view: PlanReadTransaction,
  row: BlockedTask,
  whole: boolean,
  most: number,
): NextTask['blocked'][number] {
  return {
    task: whole ? showTask(view, row.task) : referenceTo(view, row.task),
    waiting_on: row.waiting_on.slice(0, most).map((task) => referenceTo(view, task)),
  };
}

const claim: Write<ClaimTaskInput, ClaimTaskAnswer> = {
  name: 'claim_task',
  summary: 'Claim a task',
  group: groups.tasks,
  input: 'ClaimTaskInput',
  output: 'ClaimTaskAnswer',
  scope: 'project',
  effect: 'write',
  locate: { member: 'task_id', resource: 'task' },
  rest: {
    method: 'POST',
    path: '/tasks/:task_id/claim',
    status: ({ claimed }: ClaimTaskAnswer) => (claimed ? 200 : 409),
    example: { agent_ref: 'worker-1', lease_seconds: 900 },
  },
  mcp: {
    title: 'Claim task',
    texts: true,
    description:
      'Claims a todo task for you before you begin: it becomes in_progress with you as assignee. claimed false is no error: call get_next_task for another. With lease_seconds, renew it by the same call or update_task before it expires.',
    idempotent: true,
  },
  run: (tx, input, context) => {
    const answer = claimTask(tx, input, context);
    return answer.claimed ? { claimed: true, task: showTask(tx, answer.task) } : answer;
  },
};

const graph: Read<GetTaskGraphInput, TaskGraphAnswer> = {
  name: 'get_task_graph',
  summary: 'Dependencies between tasks',
  group: groups.tasks,
  input: 'GetTaskGraphInput',
  output: 'TaskGraphAnswer',
  scope: 'project',
  effect: 'read',
  rest: { method: 'GET', path: '/projects/:project_id/task-graph' },
  mcp: {
    title: 'Get task graph',
    description:
      'How tasks depend on each other: prerequisites, depth, roots, cycles to break with delete_edge, and actionable_if_released: tasks that could begin if scope tasks were todo. Lists are cut at 100, with totals.',
  },
  tag: (view) => versionsTag(view, 'task', 'goal', 'project'),
  run: graphAnswer,
};

function graphAnswer(view: PlanReadTransaction, input: GetTaskGraphInput, context: Context): Sliced<TaskGraphAnswer> {
  if (input.goal_id !== undefined) goalById(view, input.goal_id);
  const after = positionAfter(input);
  const steps = taskGraph(view, input.goal_id);
  return Sliced.of(steps, (found) => showGraph(found, after, input, context));
}

function showGraph(
  { nodes, roots, cycles, actionable_if_released: actionable }: TaskGraph,
  after: Position | undefined,
  input: GetTaskGraphInput,
  context: Context,
): TaskGraphAnswer {
  const agent = context.transport === 'mcp';
  const first = after === undefined ? 0 : nodes.findIndex(({ task }) => isBehind(task, after));
  const page = pageOf(first === -1 ? [] : nodes.slice(first), input, context, {
    show: (node) => nodeRow(node, Infinity),
    snapshots: true,
    position: ({ task }) => positionOf(task),
    lighter: (node) => nodeRow(node, named),
    bytesMax: rowBytes,
  });
  return {
    nodes: page.rows,
    nodes_total: nodes.length,
    roots: agent ? roots.slice(0, named) : roots,
    roots_total: roots.length,
    cycles: agent ? cutCycles(cycles) : cycles,
    cycles_total: cycles.length,
    actionable_if_released: agent ? actionable.slice(0, named) : actionable,
    actionable_if_released_total: actionable.length,
    ...nextCursor(page),
  };
}

function isBehind(one: { readonly created_at: string; readonly id: string }, after: typeof one): boolean {
  return one.created_at === after.created_at ? one.id > after.id : one.created_at > after.created_at;
}

function nodeRow({ task, depth, prerequisites, mark }: GraphNode, most: number): TaskGraphAnswer['nodes'][number] {
  const { id, label, status } = task;
  return { id, label, status, depth, prerequisites: prerequisites.slice(0, most).map((one) => one.id), ...mark };
}

/** Whole cycles up to a total number of ids; the beginning of a longer one, since deleting any edge breaks it. */
function cutCycles(cycles: readonly (readonly string[])[]): (readonly string[])[] {
  const cut: (readonly string[])[] = [];
  let left = 2 * named;
  for (const cycle of cycles) {
    if (left <= 0) break;
    cut.push(cycle.slice(0, left));
    left -= cycle.length;
  }
  return cut;
}

/** The operations that choose work before a task is read. */
export const choosingOperations: readonly PlannerOperation[] = [next, claim];
export const graphOperations: readonly PlannerOperation[] = [graph];
