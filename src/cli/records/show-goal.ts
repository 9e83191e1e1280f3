import { behindText } from '../../base/behind-text.ts';
import type { Goal, VerificationSurface } from '../../schema/types.ts';
import type { CliTarget } from '../call/cli-target.ts';
import { shownIds } from '../call/short-ids.ts';
import { row, span } from '../terminal/style.ts';
import type { Style, StyledLine } from '../terminal/style.ts';
import type { ShownTask } from './show-task.ts';

/** A goal with its tasks. */
export interface GoalTasks {
  readonly goal: Goal;
  readonly tasks: readonly ShownTask[];
}

/** A goal by its id; its tasks are pages of their own. */
export async function goalOf({ planner }: Pick<CliTarget, 'planner'>, goal_id: string): Promise<Goal> {
  return (await planner.call('get_goal', { goal_id, limit: 1 }))['goal'] as Goal;
}

/** How a goal is verified. It is JSON text in answers. */
export function surfaceOf({ verification_surface: text }: Goal): VerificationSurface | null {
  return text === null ? null : (JSON.parse(text) as VerificationSurface);
}

/** The command that decides whether a task is done: its own, else the gate of its goal. */
export function gateOf({ gate }: Pick<ShownTask, 'gate'>, goal: Goal): string | undefined {
  const surface = surfaceOf(goal);
  return gate ?? (surface?.kind === 'gate_command' ? surface.command : undefined);
}

/** A goal as messages name it. */
export function titleOfGoal({ name, id }: Pick<Goal, 'id' | 'name'>): string {
  return name === null ? id : JSON.stringify(name);
}

const stateStyles: Readonly<Record<string, Style>> = {
  complete: 'green',
  blocked: 'red',
  paused: 'dim',
  archived: 'dim',
};

function nameInList({ name, objective }: Goal): string {
  return name ?? objective.trim().split('\n', 1)[0]!;
}

/** A line for each goal, with the short id that commands take. */
export async function goalRows(target: CliTarget, goals: readonly GoalTasks[]): Promise<readonly StyledLine[]> {
  const [first] = goals;
  if (first === undefined) return [];
  const ids = goals.map(({ goal }) => goal.id);
  const shown = await shownIds(target, first.goal.project_id, ids);
  const width = Math.max(...ids.map((id) => shown(id).length));
  return goals.map(({ goal, tasks }) => {
    const { id, status, archived_at: archivedAt } = goal;
    const state = archivedAt === null ? status : 'archived';
    const styled = span(stateStyles[state], state.padEnd(8));
    return row(span('dim', shown(id).padEnd(width)), '  ', styled, `  ${nameInList(goal)}  (${progressOf(tasks)})`);
  });
}

/** A line for each goal that waits for a person: why, and the command to run next. */
export async function goalsToDo(target: CliTarget, goals: readonly Goal[]): Promise<readonly StyledLine[]> {
  const [first] = goals;
  if (first === undefined) return [];
  const ids = goals.map(({ id }) => id);
  const shown = await shownIds(target, first.project_id, ids);
  const width = Math.max(...ids.map((id) => shown(id).length));
  return goals.map((goal) => {
    const id = shown(goal.id);
    const [style, state, next] = toDo(goal, id);
    const styled = span(style, state.padEnd(8));
    return row(span('dim', id.padEnd(width)), '  ', styled, `  ${nameInList(goal)}  `, span('dim', next));
  });
}

/** The end of a line about a proof, if it is stale. */
export function staleText({
  verification_state: state,
  verification_behind: behind,
}: Pick<ShownTask, 'verification_state' | 'verification_behind'>): string {
  if (state !== 'stale') return '';
  return `, stale${behind === undefined ? '' : `: ${behindText(behind)}`}`;
}

function toDo(
  { status, verification_state: state, verification_behind: behind }: Goal,
  id: string,
): readonly [Style, string, string] {
  if (status === 'blocked')
    return ['red', 'red', `planner goal show ${id}; planner goal resume ${id} lets its tasks go on`];
  if (state !== 'stale') return ['green', 'ready', `planner verify ${id}`];
  return ['yellow', 'stale', `${behind === undefined ? '' : `${behindText(behind)}: `}planner verify ${id}`];
}

/** How far the tasks of a goal are: `2 of 5 done, 1 in progress`. */
export function progressOf(tasks: readonly ShownTask[]): string {
  if (tasks.length === 0) return 'no tasks';
  const count = (chosen: (task: ShownTask) => boolean, what: string): readonly string[] => {
    const number = tasks.filter(chosen).length;
    return number === 0 ? [] : [`${number} ${what}`];
  };
  return [
    `${tasks.filter(({ status }) => status === 'done').length} of ${tasks.length} done`,
    ...count(({ status }) => status === 'in_progress', 'in progress'),
    ...count(({ status, blocked }) => status === 'todo' && blocked === true, 'blocked'),
    ...count(({ status }) => status === 'scope', 'in scope'),
  ].join(', ');
}
