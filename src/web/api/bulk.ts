import { useQueryClient } from '@tanstack/react-query';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { toast } from 'sonner';
import { refresh, withDelta } from './cache.ts';
import type { KeptList } from './cache.ts';
import { changesOf, send } from './change.ts';
import type { Input, ServiceError } from '../rest/client.ts';
import { fieldName } from '../rest/field-names.ts';
import { historyOf } from '../undo/histories.ts';
import { offerUndo } from '../undo/offer-undo.ts';
import { shownAtOnce, useUpdateTask } from './tasks.ts';
import { shownRank } from './place.ts';
import type { Place } from './place.ts';
import type { TaskRow } from './tasks.ts';
import { showError } from '../rest/show-error.ts';

/** The changed fields of a task. */
export type TaskFields = Omit<Input<'update_task'>, 'task_id' | 'project_id' | 'description' | 'agent_ref'>;

/** The most tasks of one request. */
const batchMax = 10_000;
/** The number of tasks from which the progress is shown. */
const manyTasks = 25;

const shownBy = [
  'list_tasks',
  'get_task',
  'get_project',
  'get_goal',
  'get_canvas',
  'get_task_graph',
  'list_revisions',
] as const;

/** Replaces rows immediately in the cached lists of tasks; returns a function that restores one. */
function patchTasks(client: QueryClient, next: ReadonlyMap<string, TaskRow | undefined>): (id: string) => void {
  const former: [QueryKey, Map<string, TaskRow>][] = [];
  for (const [key, kept] of client.getQueriesData<KeptList<TaskRow>>({ queryKey: ['list_tasks'] })) {
    if (kept?.rows === undefined) continue;
    former.push([key, new Map(kept.rows.filter(({ id }) => next.has(id)).map((row) => [row.id, row]))]);
    const rows = kept.rows.map((row) => (next.has(row.id) ? next.get(row.id) : row)).filter((row) => row !== undefined);
    client.setQueryData<KeptList<TaskRow>>(key, { ...kept, rows });
  }
  return (id) => {
    for (const [key, rows] of former) {
      const row = rows.get(id);
      if (row === undefined) continue;
      client.setQueryData<KeptList<TaskRow>>(key, (kept) => kept && { ...kept, rows: withDelta(kept.rows, [row]) });
    }
  };
}

const counted = (count: number): string => (count === 1 ? '1 task' : `${count} tasks`);

interface Work {
  readonly tasks: readonly TaskRow[];
  readonly next: ReadonlyMap<string, TaskRow | undefined>;
  /** The input of the request that changes a batch of tasks, all or nothing. */
  readonly inputOf: (batch: readonly TaskRow[]) => Omit<Input<'change_tasks'>, 'project_id'>;
  readonly underway: string;
  readonly failed: string;
  /** The text for `Undone: …`. */
  readonly what: string;
  readonly notice: (done: number) => string;
}

/**
 * Applies one change to many tasks as one step that can be undone. Rejected changes are rolled back, counted and reported.
 */
async function each(client: QueryClient, project_id: string, work: Work): Promise<void> {
  const { tasks, next, inputOf, underway, failed, what, notice } = work;
  const begun = historyOf(project_id).begin(what, client);
  await Promise.all(shownBy.map((name) => client.cancelQueries({ queryKey: [name] })));
  const putBack = patchTasks(client, next);
  const changes: string[] = [];
  let done = 0;
  const toastId = tasks.length < manyTasks ? undefined : toast.loading(`${underway} ${counted(tasks.length)}…`);
  for (let at = 0; at < tasks.length; at += batchMax) {
    const batch = tasks.slice(at, at + batchMax);
    const input = { project_id, ...inputOf(batch) };
    try {
      await send('change_tasks', input);
      changes.push(...changesOf(input));
      done += batch.length;
    } catch (error) {
      for (const { id } of batch) putBack(id);
      showError(`${counted(batch.length)} of ${tasks.length} could not be ${failed}.`, (error as ServiceError).message);
    }
  }
  if (toastId !== undefined) toast.dismiss(toastId);
  begun.ready(changes);
  if (changes.length > 0) offerUndo(project_id, begun.step, notice(done));
  await refresh(client, ...shownBy);
}

export interface BulkChange {
  /** Changes each task by its own fields; the notification afterwards offers to undo it. */
  readonly update: (tasks: readonly TaskRow[], fieldsOf: (task: TaskRow) => TaskFields) => Promise<void>;
  /** Moves tasks, one below the other, to a place among all `rows`, and changes their fields. */
  readonly move: (
    tasks: readonly TaskRow[],
    fields: TaskFields,
    place: Place,
    rows: readonly TaskRow[],
  ) => Promise<void>;
  readonly remove: (tasks: readonly TaskRow[]) => Promise<void>;
}

/** Changes or deletes many tasks by one request; a single action for the user, undone as one. */
export function useBulkChange(projectId: string): BulkChange {
  const client = useQueryClient();
  return useMemo(
    () => ({
      update: (tasks, fieldsOf) => updateAll(client, projectId, tasks, fieldsOf),
      move: async (tasks, fields, place, rows) => {
        const isMoved = place.above !== undefined || place.below !== undefined;
        const indexes = new Map(tasks.map((task, at) => [task.id, at]));
        const fieldsOf = (task: TaskRow): TaskFields => {
          const at = indexes.get(task.id)!;
          return { ...fields, ...(isMoved && (at === 0 ? place : { below: tasks[at - 1]!.id })) };
        };
        const { rank } = shownRank(rows, place, tasks[0]?.id ?? '');
        await updateAll(client, projectId, tasks, fieldsOf, (task) =>
          rank === undefined ? {} : { rank: rank + '\0'.repeat(indexes.get(task.id)!) },
        );
      },
      remove: (tasks) => removeAll(client, projectId, tasks),
    }),
    [client, projectId],
  );
}

/** Changes one task as any other change of it, which shows a rejection itself. */
function useChangeOne(projectId: string): (task: TaskRow | undefined, fields: TaskFields & Place) => Promise<void> {
  const { mutateAsync } = useUpdateTask();
  return useCallback(
    async (task, fields) => {
      if (task !== undefined)
        await mutateAsync({ task_id: task.id, project_id: projectId, ...fields }).catch(() => undefined);
    },
    [mutateAsync, projectId],
  );
}

/** Moves one task as any other change of it, several by one request. */
export function useMoveTasks(projectId: string): BulkChange['move'] {
  const changeOne = useChangeOne(projectId);
  const { move } = useBulkChange(projectId);
  return useCallback(
    (tasks, fields, place, rows) =>
      tasks.length > 1 ? move(tasks, fields, place, rows) : changeOne(tasks[0], { ...fields, ...place }),
    [changeOne, move],
  );
}

/** Changes one task as any other change of it, several as one bulk change. */
export function useChangeTasks(projectId: string): BulkChange['update'] {
  const changeOne = useChangeOne(projectId);
  const { update } = useBulkChange(projectId);
  return async (tasks, fieldsOf) => {
    const [first] = tasks;
    if (first === undefined || tasks.length > 1) await update(tasks, fieldsOf);
    else await changeOne(first, fieldsOf(first));
  };
}

async function updateAll(
  client: QueryClient,
  project_id: string,
  tasks: readonly TaskRow[],
  fieldsOf: (task: TaskRow) => TaskFields,
  placeOf: (task: TaskRow) => Pick<TaskRow, 'rank'> | object = () => ({}),
): Promise<void> {
  const [first] = tasks;
  if (first === undefined) return;
  const text = Object.keys(fieldsOf(first)).map(fieldName).join(', ');
  await each(client, project_id, {
    tasks,
    next: new Map(tasks.map((task) => [task.id, { ...shownAtOnce(task, fieldsOf(task)), ...placeOf(task) }])),
    inputOf: (batch) => ({ tasks: batch.map((task) => ({ task_id: task.id, ...fieldsOf(task) })) }),
    underway: 'Changing',
    failed: 'changed',
    what: `${text} of ${counted(tasks.length)}`,
    notice: (done) => `${counted(done)} changed: ${text}`,
  });
}

async function removeAll(client: QueryClient, project_id: string, tasks: readonly TaskRow[]): Promise<void> {
  await each(client, project_id, {
    tasks,
    next: new Map(tasks.map((task) => [task.id, undefined])),
    inputOf: (batch) => ({ tasks: [], delete: batch.map(({ id }) => id) }),
    underway: 'Deleting',
    failed: 'deleted',
    what: `deletion of ${counted(tasks.length)}`,
    notice: (done) => `${counted(done)} deleted`,
  });
}
