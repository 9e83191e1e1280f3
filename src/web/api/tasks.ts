import type { QueryClient, UseQueryResult } from '@tanstack/react-query';
import type { Task, TaskStatus } from '../rest/types.ts';
import { keyOf, patchRow, useResponse, useRows } from './cache.ts';
import type { KeptList, WatchOptions } from './cache.ts';
import { useChange } from './change.ts';
import type { Change, Undoable } from './change.ts';
import { shownRank } from './place.ts';
import type { Answer, Input, ServiceError } from '../rest/client.ts';

/** A task in a list: without its description. */
export type TaskRow = Task;
export type TaskDetail = Answer<'get_task'>;

/** The five columns, in the order of work. */
export const statuses = ['scope', 'todo', 'in_progress', 'done', 'backlog'] as const satisfies readonly TaskStatus[];

export { statusNames } from './status-names.ts';

export const priorities = ['urgent', 'high', 'medium', 'low'] as const;
export const severities = ['high', 'medium', 'low'] as const;
export const kinds = ['build', 'decision'] as const;
export const lanes = ['auto', 'approve', 'full'] as const;

/** The assignees of tasks, each once, by name. */
export function assigneesOf(tasks: readonly Pick<TaskRow, 'assignee'>[]): readonly string[] {
  return [...new Set(tasks.flatMap(({ assignee }) => assignee ?? []))].sort();
}

/** Every task of a project, light, by created_at. */
export function useTasks(projectId: string, options?: WatchOptions): UseQueryResult<readonly TaskRow[], ServiceError> {
  return useRows('list_tasks', 'tasks', { project_id: projectId, verbose: false }, options);
}

export function useTask(
  projectId: string,
  taskId: string,
  options?: WatchOptions,
): UseQueryResult<TaskDetail, ServiceError> {
  return useResponse('get_task', { task_id: taskId, project_id: projectId }, options);
}

/** Other operations whose results show a change of a task. */
const alsoShown = [
  'get_task',
  'get_project',
  'list_projects',
  'get_goal',
  'get_canvas',
  'get_task_graph',
  'list_revisions',
] as const;

/** The fields of an input that a light row shows too; tags are names and are shown with the response. */
export function shownAtOnce(
  row: TaskRow,
  {
    task_id: _,
    project_id: __,
    tags: ___,
    description: ____,
    agent_ref: _____,
    ...more
  }: Partial<Input<'update_task'>>,
): TaskRow {
  const { add_tags: ______, remove_tags: _______, ...fields } = more;
  return { ...row, ...fields };
}

function knownTasks(client: QueryClient, project_id: string): readonly TaskRow[] {
  return client.getQueryData<KeptList<TaskRow>>(keyOf('list_tasks', { project_id, verbose: false }))?.rows ?? [];
}

export function useUpdateTask(): Change<'update_task'> {
  return useChange('update_task', {
    show: (client, input) =>
      patchRow<TaskRow>(client, 'list_tasks', input.task_id, (row) => ({
        ...shownAtOnce(row, input),
        ...shownRank(knownTasks(client, row.project_id), input, row.id),
      })),
    take: takeTask,
    shownBy: ['list_tasks', ...alsoShown],
    failed: 'The task could not be changed',
  });
}

function takeTask(client: QueryClient, { description: _, ...row }: TaskDetail): void {
  patchRow<TaskRow>(client, 'list_tasks', row.id, () => row);
}

export function useCreateTask(): Change<'create_task'> {
  return useChange('create_task', { shownBy: ['list_tasks', ...alsoShown], failed: 'The task could not be created' });
}

export function useDeleteTask({ undo }: Undoable = {}): Change<'delete_task'> {
  return useChange('delete_task', {
    undo,
    show: (client, { task_id }) => patchRow<TaskRow>(client, 'list_tasks', task_id, () => undefined),
    shownBy: ['list_tasks', ...alsoShown.filter((name) => name !== 'get_task')],
    failed: 'The task could not be deleted',
  });
}
