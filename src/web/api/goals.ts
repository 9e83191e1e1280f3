import { useMemo } from 'react';
import type { QueryClient, UseQueryResult } from '@tanstack/react-query';
import type { GoalStatus, VerificationSurface } from '../rest/types.ts';
import { patchRow, useResponse, useRows } from './cache.ts';
import { useTasks } from './tasks.ts';
import type { TaskRow } from './tasks.ts';
import type { WatchOptions } from './cache.ts';
import { useChange } from './change.ts';
import type { Change } from './change.ts';
import type { Answer, Input, ServiceError } from '../rest/client.ts';

export type GoalRow = Answer<'list_goals'>['goals'][number];
export type GoalDetail = Answer<'get_goal'>;
export type { GoalStatus, VerificationSurface };

/** How a goal is verified. It is JSON text on the wire. */
export function surfaceIn({
  verification_surface: text,
}: Pick<GoalRow, 'verification_surface'>): VerificationSurface | null {
  return text === null ? null : (JSON.parse(text) as VerificationSurface);
}

export const goalStatusNames: Readonly<Record<GoalStatus, string>> = {
  active: 'Active',
  paused: 'Paused',
  complete: 'Complete',
  blocked: 'Blocked',
};

/** The fields of the contract besides the objective, in display order. */
export const contractFields = [
  { field: 'constraints', name: 'Constraints', about: 'What must hold while working.' },
  { field: 'boundaries', name: 'Boundaries', about: 'What is out of bounds.' },
  { field: 'iteration_policy', name: 'Iteration policy', about: 'How to continue from one task to the next.' },
  { field: 'stop_condition', name: 'Stop condition', about: 'When to stop and ask.' },
  { field: 'budget', name: 'Budget', about: 'What the work may cost.' },
] as const;

export type ContractField = (typeof contractFields)[number]['field'];

export function useGoals(projectId: string, options?: WatchOptions): UseQueryResult<readonly GoalRow[], ServiceError> {
  return useRows('list_goals', 'goals', { project_id: projectId }, options);
}

/** The goals to choose from: the chosen ones and all that are not archived. */
export function choosableGoals(goals: readonly GoalRow[], ...chosen: readonly string[]): readonly GoalRow[] {
  return goals.filter(({ id, archived_at: archivedAt }) => archivedAt === null || chosen.includes(id));
}

/** The number of a goal's tasks. */
export interface TaskCounts {
  readonly all: number;
  readonly done: number;
  readonly underway: number;
}

export const noTaskCounts: TaskCounts = { all: 0, done: 0, underway: 0 };

/** The numbers of tasks by goal. */
export function countsByGoal(tasks: readonly Pick<TaskRow, 'goal_id' | 'status'>[]): ReadonlyMap<string, TaskCounts> {
  const counts = new Map<string, { all: number; done: number; underway: number }>();
  for (const { goal_id: goal, status } of tasks) {
    const of = counts.get(goal) ?? { ...noTaskCounts };
    of.all++;
    if (status === 'done') of.done++;
    if (status === 'in_progress') of.underway++;
    counts.set(goal, of);
  }
  return counts;
}

/** The numbers of tasks of a goal, by its id; undefined until the tasks of the project are known. */
export function useTaskCounts(projectId: string): (goalId: string) => TaskCounts | undefined {
  const { data: tasks } = useTasks(projectId);
  const counts = useMemo(() => tasks && countsByGoal(tasks), [tasks]);
  return (goalId) => counts && (counts.get(goalId) ?? noTaskCounts);
}

/** The command that lets coding agents work a goal. A name that a shell or the command could read otherwise is no argument. */
export function runCommandOf({ id, name }: Pick<GoalRow, 'id' | 'name'>): string {
  return name !== null && /^[\p{L}\p{N}][\p{L}\p{N} .,'-]*$/u.test(name)
    ? `planner run "${name}"`
    : `planner run ${id}`;
}

/** A goal without its tasks, which are in the cached list of tasks. */
export function useGoal(projectId: string, goalId: string): UseQueryResult<GoalDetail, ServiceError> {
  return useResponse('get_goal', { project_id: projectId, goal_id: goalId, limit: 1 });
}

/** The operations whose results show a goal, its state, or its remediation task. */
const shownBy = [
  'list_goals',
  'get_goal',
  'get_project',
  'get_next_task',
  'list_tasks',
  'list_revisions',
  'list_projects',
] as const;

type GoalChange = 'pause_goal' | 'resume_goal' | 'reopen_goal';

function useStatusChange<N extends GoalChange>(name: N, status: GoalStatus, failed: string): Change<N> {
  return useChange(name, {
    show: (client: QueryClient, { goal_id: id }: Input<N>) =>
      patchRow<GoalRow>(client, 'list_goals', id, (row) => ({ ...row, status })),
    shownBy,
    failed,
  });
}

export function usePauseGoal(): Change<'pause_goal'> {
  return useStatusChange('pause_goal', 'paused', 'The goal could not be paused');
}

export function useResumeGoal(): Change<'resume_goal'> {
  return useStatusChange('resume_goal', 'active', 'The goal could not be resumed');
}

export function useReopenGoal(): Change<'reopen_goal'> {
  return useStatusChange('reopen_goal', 'active', 'The goal could not be reopened');
}

type GoalArchiving = 'archive_goal' | 'unarchive_goal';

function useArchiving<N extends GoalArchiving>(name: N, archivedAt: () => string | null, failed: string): Change<N> {
  return useChange(name, {
    show: (client: QueryClient, { goal_id: id }: Input<N>) =>
      patchRow<GoalRow>(client, 'list_goals', id, (row) => ({ ...row, archived_at: archivedAt() })),
    shownBy,
    failed,
  });
}

export function useArchiveGoal(): Change<'archive_goal'> {
  return useArchiving('archive_goal', () => new Date().toISOString(), 'The goal could not be archived');
}

export function useUnarchiveGoal(): Change<'unarchive_goal'> {
  return useArchiving('unarchive_goal', () => null, 'The goal could not be brought back');
}

export function useCompleteGoal(): Change<'complete_goal'> {
  return useChange('complete_goal', { shownBy, failed: 'The goal could not be completed' });
}

export function useInvokeGoal(): Change<'invoke_goal'> {
  return useChange('invoke_goal', { shownBy: ['get_next_task'], failed: 'The goal cannot be worked on now' });
}

export function useCreateGoal(): Change<'create_goal'> {
  return useChange('create_goal', { shownBy, failed: 'The goal could not be created' });
}

export function useUpdateGoal(): Change<'update_goal'> {
  return useChange('update_goal', { shownBy, failed: 'The goal could not be changed' });
}
