import type { GoalInput, InvokeGoalAnswer, SetCurrentGoalAnswer } from '../domain/records/collections.ts';
import { setCurrentGoal } from '../domain/plan/current-goal.ts';
import { showGoal } from '../domain/plan/goals.ts';
import { invokeGoal } from '../domain/plan/invoke-goal.ts';
import { showTask } from '../domain/plan/task-view.ts';
import { groups } from './groups.ts';
import type { PlannerOperation, Write } from './declaration/planner-operation.ts';

export const locateGoal = { member: 'goal_id', resource: 'goal' } as const;

const invoke: Write<GoalInput, InvokeGoalAnswer> = {
  name: 'invoke_goal',
  summary: 'Start work on a goal',
  group: groups.goals,
  input: 'GoalInput',
  output: 'InvokeGoalAnswer',
  scope: 'project',
  effect: 'write',
  locate: locateGoal,
  rest: { method: 'POST', path: '/goals/:goal_id/invoke', status: 200 },
  mcp: {
    title: 'Invoke goal',
    texts: true,
    description:
      'Starts work on an active goal: makes it your current goal, checks its tasks for cycles and returns the first_task. Then claim_task, do it, update_task to done, get_next_task, until complete_goal. Refused with a reason: not_active, has_cycle, no_todo_tasks.',
    idempotent: true,
  },
  run: (tx, { goal_id: id }, context) => {
    const { goal, first_task: first, warnings } = invokeGoal(tx, id, context);
    return { ok: true, goal: showGoal(tx, goal), first_task: first && showTask(tx, first), warnings };
  },
};

const setCurrent: Write<GoalInput, SetCurrentGoalAnswer> = {
  name: 'set_current_goal',
  summary: 'Choose the goal of get_next_task',
  group: groups.projects,
  input: 'GoalInput',
  output: 'SetCurrentGoalAnswer',
  scope: 'project',
  effect: 'write',
  locate: locateGoal,
  rest: { method: 'PUT', path: '/projects/:project_id/current-goal' },
  mcp: {
    title: 'Set current goal',
    texts: true,
    description:
      'Makes an active goal the one that get_next_task uses without goal_id, in this session. invoke_goal also checks the plan.',
    idempotent: true,
  },
  run: (tx, { goal_id: id }, context) => {
    const goal = setCurrentGoal(tx, id, context);
    return { project_id: tx.project, current_goal_id: goal.id, goal: showGoal(tx, goal) };
  },
};

export const currentGoalOperations: readonly PlannerOperation[] = [invoke, setCurrent];
