import { hintFor } from '../domain/plan/after-red.ts';
import { completeGoal } from '../domain/plan/complete-goal.ts';
import { needsPerson } from '../domain/plan/waiting.ts';
import {
  archiveGoal,
  createGoal,
  goalById,
  type GoalWithWarnings,
  pauseGoal,
  reopenGoal,
  resumeGoal,
  showGoal,
  unarchiveGoal,
  updateGoal,
} from '../domain/plan/goals.ts';
import type {
  CompleteGoalAnswer,
  CompleteGoalInput,
  CreateGoalInput,
  GetGoalInput,
  GoalAnswer,
  GoalDetail,
  GoalDetailAnswer,
  GoalInput,
  GoalListAnswer,
  GoalRecord,
  GoalWithWarningsAnswer,
  ListGoalsInput,
  PlannerCollections,
  PlanReadTransaction,
  TaskRecord,
  PauseGoalInput,
  UpdateGoalInput,
} from '../domain/records/collections.ts';
import type { Frontier } from '../domain/graph/frontier.ts';
import { listTasks } from '../domain/plan/list-tasks.ts';
import { showTask, taskRow } from '../domain/plan/task-view.ts';
import { limits } from '../base/limits.ts';
import type { Tx } from '../store/index.ts';
import { currentGoalOperations, locateGoal } from './current-goal.ts';
import { groups } from './groups.ts';
import { ownTag } from './pipeline/entity-tag.ts';
import { changedSince, delta, listTag } from './pipeline/list-tag.ts';
import type { Context, Tag } from './declaration/operation.ts';
import { nextCursor, pageOf, positionAfter, positionOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';

/** Own: the goal's fields. Rest: all tasks, because any of them may belong to the goal. */
function goalTag(view: PlanReadTransaction, { goal_id: id }: { readonly goal_id: string }): Tag {
  return { own: ownTag(goalById(view, id)), rest: listTag(view, 'task').own };
}

function withWarnings(view: PlanReadTransaction, { goal, warnings }: GoalWithWarnings): GoalWithWarningsAnswer {
  return { goal: showGoal(view, goal), warnings };
}

const create: Write<CreateGoalInput, GoalWithWarningsAnswer> = {
  name: 'create_goal',
  summary: 'Create a goal',
  group: groups.goals,
  input: 'CreateGoalInput',
  output: 'GoalWithWarningsAnswer',
  scope: 'project',
  effect: 'write',
  rest: {
    method: 'POST',
    path: '/projects/:project_id/goals',
    bare: 'goal',
    example: {
      name: 'Payments',
      objective: 'Customers can pay.',
      verification_surface: { kind: 'gate_command', command: 'npm test' },
    },
  },
  mcp: {
    title: 'Create goal',
    texts: true,
    description:
      'Creates a goal that groups tasks and is completed on evidence. Returns {goal, warnings}. Then create_task with its goal_id, and invoke_goal to begin.',
  },
  run: (tx, { project_id: _, ...input }) => withWarnings(tx, createGoal(tx, input)),
};

const update: Write<UpdateGoalInput, GoalWithWarningsAnswer> = {
  name: 'update_goal',
  summary: 'Change a goal',
  group: groups.goals,
  input: 'UpdateGoalInput',
  output: 'GoalWithWarningsAnswer',
  scope: 'project',
  effect: 'write',
  locate: locateGoal,
  rest: { method: 'PATCH', path: '/goals/:goal_id', bare: 'goal' },
  mcp: {
    title: 'Update goal',
    texts: true,
    description:
      "Changes a goal's name, objective, verification surface or contract; null clears. Its status changes by pause_goal, resume_goal and complete_goal. Keep the ids of checklist items that remain.",
    idempotent: true,
  },
  tag: goalTag,
  run: (tx, input) => withWarnings(tx, updateGoal(tx, input)),
};

const get: Read<GetGoalInput, GoalDetailAnswer> = {
  name: 'get_goal',
  summary: 'One goal with its tasks',
  group: groups.goals,
  input: 'GetGoalInput',
  output: 'GoalDetailAnswer',
  scope: 'project',
  effect: 'read',
  locate: locateGoal,
  rest: { method: 'GET', path: '/goals/:goal_id', bare: 'goal' },
  mcp: {
    title: 'Get goal',
    texts: true,
    description:
      'One goal with its objective, contract, verification surface with item ids, last verification, and cycle_tasks as light rows (100, then next_cursor).',
  },
  tag: goalTag,
  run: goalDetail,
};

function goalDetail(view: PlanReadTransaction, input: GetGoalInput, context: Context): GoalDetailAnswer {
  const goal = showGoal(view, goalById(view, input.goal_id));
  const row = (task: TaskRecord): GoalDetail['cycle_tasks'][number] => taskRow(view, task);
  const whole = (task: TaskRecord): GoalDetail['cycle_tasks'][number] =>
    showTask(view, task, { verbose: input.verbose ?? context.transport !== 'mcp' });
  const page = pageOf(listTasks(view, { goal_id: goal.id }, positionAfter(input)), input, context, {
    show: context.transport === 'mcp' && input.verbose !== true ? row : whole,
    position: positionOf,
    lighter: row,
    bytesMax: Math.max(limits.agentAnswerBytesMax / 4, limits.agentAnswerBytesMax - JSON.stringify(goal).length),
  });
  const total = view.index<Frontier>('frontier').tasksOf(goal.id).size;
  return { goal: { ...goal, cycle_tasks: page.rows, cycle_tasks_total: total }, ...nextCursor(page) };
}

const goalsTag = (view: PlanReadTransaction, { needs_person: needs }: ListGoalsInput): Tag =>
  needs === true ? listTag(view, 'goal', 'task') : listTag(view, 'goal');

const list: Read<ListGoalsInput, GoalListAnswer> = {
  name: 'list_goals',
  summary: 'Goals of a project',
  group: groups.goals,
  input: 'ListGoalsInput',
  output: 'GoalListAnswer',
  scope: 'project',
  effect: 'read',
  followable: true,
  rest: { method: 'GET', path: '/projects/:project_id/goals' },
  mcp: {
    title: 'List goals',
    description: 'The goals of a project. Then invoke_goal with an active one to work on it.',
  },
  tag: goalsTag,
  run: goalList,
};

function goalList(view: PlanReadTransaction, input: ListGoalsInput, context: Context): GoalListAnswer {
  const show = (goal: GoalRecord): GoalListAnswer['goals'][number] => showGoal(view, goal);
  const chosen = (goal: GoalRecord): boolean =>
    (input.status === undefined || goal.status === input.status) &&
    (input.archived === undefined || (goal.archived_at !== null) === input.archived) &&
    (input.needs_person !== true || needsPerson(view, goal));
  const changed = changedSince(view, 'goal', input, goalsTag(view, input));
  if (changed !== undefined) {
    const find = (id: string): GoalRecord | undefined => {
      const goal = view.get('goal', id);
      return goal !== undefined && chosen(goal) ? goal : undefined;
    };
    const { changed: goals, removed } = delta(changed, find, show);
    return { goals, removed };
  }
  const page = pageOf(goalsAfter(view, input, chosen), input, context, { show, position: positionOf });
  return { goals: page.rows, ...nextCursor(page) };
}

function* goalsAfter(
  view: PlanReadTransaction,
  input: ListGoalsInput,
  chosen: (goal: GoalRecord) => boolean,
): Iterable<GoalRecord> {
  for (const goal of view.list('goal', positionAfter(input))) if (chosen(goal)) yield goal;
}

/** An operation that moves a goal from one status to another. */
function transition(
  verb: 'resume' | 'reopen' | 'archive' | 'unarchive',
  move: (tx: Tx<PlannerCollections>, id: string) => GoalRecord,
  rest: Pick<Write<GoalInput, GoalAnswer>, 'summary' | 'effect' | 'peopleOnly' | 'mcp'>,
): Write<GoalInput, GoalAnswer> {
  return {
    name: `${verb}_goal`,
    group: groups.goals,
    input: 'GoalInput',
    output: 'GoalAnswer',
    scope: 'project',
    locate: locateGoal,
    rest: { method: 'POST', path: `/goals/:goal_id/${verb}`, status: 200, bare: 'goal' },
    ...rest,
    run: (tx, { goal_id: id }) => ({ goal: showGoal(tx, move(tx, id)) }),
  };
}

const pause: Write<PauseGoalInput, GoalAnswer> = {
  name: 'pause_goal',
  summary: 'Pause an active goal',
  group: groups.goals,
  input: 'PauseGoalInput',
  output: 'GoalAnswer',
  scope: 'project',
  effect: 'write',
  locate: locateGoal,
  rest: {
    method: 'POST',
    path: '/goals/:goal_id/pause',
    status: 200,
    bare: 'goal',
    example: { reason: 'Its budget is used up.' },
  },
  mcp: {
    texts: true,
    title: 'Pause goal',
    description: 'Pauses an active goal: get_next_task skips it until resume_goal.',
  },
  run: (tx, { goal_id: id, reason }) => ({ goal: showGoal(tx, pauseGoal(tx, id, reason)) }),
};

const resume = transition('resume', resumeGoal, {
  summary: 'Resume a paused or blocked goal',
  effect: 'write',
  mcp: {
    texts: true,
    title: 'Resume goal',
    description: 'Makes a paused or blocked goal active. Then invoke_goal.',
  },
});

const reopen = transition('reopen', reopenGoal, {
  summary: 'Reopen a complete goal',
  effect: 'write',
  peopleOnly: true,
});

const archive = transition('archive', archiveGoal, {
  summary: 'Archive a goal that is not active',
  effect: 'write',
  peopleOnly: true,
});

const unarchive = transition('unarchive', unarchiveGoal, {
  summary: 'Bring an archived goal back',
  effect: 'write',
  peopleOnly: true,
});

const complete: Write<CompleteGoalInput, CompleteGoalAnswer> = {
  name: 'complete_goal',
  summary: 'Complete a goal on evidence, or block it',
  group: groups.goals,
  input: 'CompleteGoalInput',
  output: 'CompleteGoalAnswer',
  scope: 'project',
  effect: 'write',
  locate: locateGoal,
  rest: {
    method: 'POST',
    path: '/goals/:goal_id/complete',
    status: 200,
    bare: 'goal',
    example: { evidence: { kind: 'gate_command', exit_code: 0, detail: '412 passed' } },
  },
  mcp: {
    title: 'Complete goal',
    texts: true,
    description:
      'Call when every task of the goal is done. Planner runs nothing: run the gate yourself (get_goal shows it) and send the result as evidence. Green: status complete. Red: status blocked and a remediation_task in scope; do it, then call again.',
  },
  run: (tx, { goal_id: id, evidence }) => {
    const { goal, remediation_task: remedy } = completeGoal(tx, id, evidence);
    const red = remedy && { remediation_task: showTask(tx, remedy), hint: hintFor(tx, goal) };
    return { goal: showGoal(tx, goal), ...red };
  },
};

export const goalOperations: readonly PlannerOperation[] = [
  ...[create, get, list, update, ...currentGoalOperations],
  ...[pause, resume, complete, reopen, archive, unarchive],
];
