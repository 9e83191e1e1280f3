import { conflict } from '../../base/errors.ts';
import type { Tx } from '../../store/index.ts';
import type { Acting } from '../records/acting.ts';
import type { PlannerCollections } from '../records/collections.ts';
import type { GoalRecord, TaskRecord } from '../../schema/types.ts';
import { makeCurrent } from './current-goal.ts';
import type { Frontier } from '../graph/frontier.ts';
import { goalById, nameOfGoal, offersTasks, stateOfGoal } from './goals.ts';
import { guestMark, type GuestMark } from '../records/guest-texts.ts';
import { nextTask } from './next-task.ts';
import { shownCycle } from '../graph/shown-cycle.ts';
import { blockingCycles } from '../graph/task-graph.ts';

export interface Invocation {
  readonly goal: GoalRecord;
  /** Null if every todo task is blocked by work in progress. */
  readonly first_task: TaskRecord | null;
  readonly warnings: readonly string[];
}

/** The number of cycles that a refusal shows. */
const cyclesShownMax = 3;
/** The number of `scope` tasks that a refusal names. */
const scopeNamedMax = 20;

/**
 * Starts work on a goal: makes it the current one and returns its first task. Throws `conflict` with `ok: false` and a `reason` if the goal
 * is not active, tasks form a cycle, or there is nothing to do; the current goal is then unchanged.
 */
export function invokeGoal(tx: Tx<PlannerCollections>, goalId: string, by: Acting): Invocation {
  const goal = goalById(tx, goalId);
  const name = nameOfGoal(goal);
  if (!offersTasks(goal)) {
    throw refusal('not_active', `${name} is ${stateOfGoal(goal)}; only an active goal can be invoked.`, {
      status: goal.status,
    });
  }
  const cycles = blockingCycles(tx, goal.id);
  if (cycles.length > 0) {
    const shown = cycles.slice(0, cyclesShownMax).map((cycle) => shownCycle(tx, cycle));
    const message = `${name} has tasks that wait for each other, so that none of them can begin: ${shown.join('; ')}. Delete one edge of each cycle.`;
    throw refusal('has_cycle', message, { cycles });
  }
  const next = nextTask(tx, { goal_id: goal.id }, by);
  if (next.reason === 'no_tasks' || next.reason === 'no_todo_tasks') throw nothingToDo(tx, goal, name);
  makeCurrent(tx, goal, by);
  const { blocked_total: blocked } = next;
  const warnings = next.next_task === null ? [`Each of the ${blocked} todo tasks is blocked by another task.`] : [];
  return { goal, first_task: next.next_task, warnings };
}

function nothingToDo(tx: Tx<PlannerCollections>, goal: GoalRecord, name: string): Error {
  const tasks = tx.index<Frontier>('frontier').tasksOf(goal.id);
  const scope = tasks.count('scope');
  if (scope === 0)
    return refusal('no_todo_tasks', `${name} has no task in todo. Create tasks, or complete the goal.`, {});
  const awaiting: ({ id: string; label: string } & Partial<GuestMark>)[] = [];
  for (const { id } of tasks.inOrder((status) => status === 'scope')) {
    const task = tx.get('task', id);
    awaiting.push({ id, label: task?.label ?? '', ...(task && guestMark(tx, task)) });
    if (awaiting.length === scopeNamedMax) break;
  }
  const message = `${name} has no task in todo; ${scope} in scope await release: a person, or you if permitted, sets them to todo.`;
  return refusal('no_todo_tasks', message, { scope_awaiting_release: awaiting });
}

function refusal(reason: string, message: string, details: Record<string, unknown>): Error {
  return conflict(message, { ok: false, reason, ...details });
}
