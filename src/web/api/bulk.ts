import { useQueryClient } from '@tanstack/react-query';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { useMemo } from 'react';
import { toast } from 'sonner';
import { refresh, withDelta } from './cache.ts';
import type { KeptList } from './cache.ts';
import { call, callWithTag, ServiceError } from './client.ts';
import type { Input } from './client.ts';
import { historyOf } from '../undo/history.ts';
import { offerUndo, withErrors } from '../undo/offer-undo.ts';
import { restored } from '../undo/restored.ts';
import type { TaskRow } from './tasks.ts';
import { showError } from '../ui/show-error.ts';

/** The changed fields of a task. */
export type TaskFields = Omit<
  Input<'update_task'>,
  'task_id' | 'project_id' | 'description' | 'agent_ref' | 'add_tags' | 'remove_tags'
>;

/** The number of concurrent changes: enough to be fast, few enough not to block polls. */
const atOnce = 6;
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

/** The fields that a light row shows immediately; tags are names here, and appear with the response. */
function shown(row: TaskRow, { tags: _, ...fields }: TaskFields): TaskRow {
  return { ...row, ...fields };
}

/** The values before a change. */
function formerOf(row: TaskRow, fields: TaskFields): TaskFields {
  const names = Object.keys(fields) as (keyof TaskFields)[];
  const values = names.map((name) => [name, name === 'tags' ? row.tags.map((tag) => tag.name) : row[name]]);
  return Object.fromEntries(values) as TaskFields;
}

const names: Readonly<Record<string, string>> = { goal_id: 'goal', due_date: 'due date' };
const fieldsText = (fields: readonly string[]): string => fields.map((field) => names[field] ?? field).join(', ');
const counted = (count: number): string => (count === 1 ? '1 task' : `${count} tasks`);

interface Work {
  readonly tasks: readonly TaskRow[];
  readonly next: ReadonlyMap<string, TaskRow | undefined>;
  readonly send: (task: TaskRow) => Promise<unknown>;
  readonly underway: string;
  readonly failed: string;
}

/**
 * Applies one change to many tasks, some concurrently. Rejected changes are rolled back, counted and reported; returns the tasks that were
 * changed.
 */
async function each(client: QueryClient, { tasks, next, send, underway, failed }: Work): Promise<readonly TaskRow[]> {
  await Promise.all(shownBy.map((name) => client.cancelQueries({ queryKey: [name] })));
  const putBack = patchTasks(client, next);
  const left = tasks.values();
  const done: TaskRow[] = [];
  const errors: ServiceError[] = [];
  const toastId = tasks.length < manyTasks ? undefined : toast.loading(`${underway} ${counted(tasks.length)}…`);
  const worker = async (): Promise<void> => {
    for (const task of left) {
      try {
        await send(task);
        done.push(task);
      } catch (error) {
        putBack(task.id);
        errors.push(error as ServiceError);
      }
      const count = done.length + errors.length;
      if (toastId !== undefined && count % manyTasks === 0)
        toast.loading(`${underway} ${count} of ${counted(tasks.length)}…`, { id: toastId });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (toastId !== undefined) toast.dismiss(toastId);
  const [first] = errors;
  if (first !== undefined)
    showError(`${counted(errors.length)} of ${tasks.length} could not be ${failed}.`, first.message);
  await refresh(client, ...shownBy);
  return done;
}

export interface BulkChange {
  /** Changes each task by its own fields; the notification afterwards offers to undo it. */
  readonly update: (tasks: readonly TaskRow[], fieldsOf: (task: TaskRow) => TaskFields) => Promise<void>;
  readonly remove: (tasks: readonly TaskRow[]) => Promise<void>;
}

/** Changes many tasks: one change per task for the service, a single action for the user, undone as one. */
export function useBulkChange(projectId: string): BulkChange {
  const client = useQueryClient();
  return useMemo(
    () => ({
      update: (tasks, fieldsOf) => updateAll(client, projectId, tasks, fieldsOf),
      remove: (tasks) => removeAll(client, projectId, tasks),
    }),
    [client, projectId],
  );
}

type Values = ReadonlyMap<string, TaskFields>;

async function updateAll(
  client: QueryClient,
  projectId: string,
  tasks: readonly TaskRow[],
  fieldsOf: (task: TaskRow) => TaskFields,
): Promise<void> {
  const former: Values = new Map(tasks.map((task) => [task.id, formerOf(task, fieldsOf(task))]));
  const [first] = former.values();
  const text = fieldsText(Object.keys(first ?? {}));
  const what = `${text} of ${counted(tasks.length)}`;
  const begun = historyOf(projectId).begin(what);
  const set = async (rows: readonly TaskRow[], values: Values): Promise<Values> => {
    const after = new Map<string, TaskFields>();
    await each(client, {
      tasks: rows,
      next: new Map(rows.map((task) => [task.id, shown(task, values.get(task.id)!)])),
      send: async (task) => {
        const fields = values.get(task.id)!;
        after.set(
          task.id,
          formerOf(await call('update_task', { task_id: task.id, project_id: projectId, ...fields }), fields),
        );
      },
      underway: 'Changing',
      failed: 'changed',
    });
    return after;
  };
  let present = await set(tasks, new Map(tasks.map((task) => [task.id, fieldsOf(task)])));
  if (present.size === 0) return begun.ready(undefined);
  const swap = async (next: Values): Promise<void> => {
    present = await set(await unchangedSince(projectId, present), next);
  };
  const after = present;
  begun.ready(withErrors(client, what, { undo: () => swap(former), redo: () => swap(after) }));
  offerUndo(projectId, begun.step, `${counted(present.size)} changed: ${text}`);
}

/** The tasks that have these values. The others were changed since, and are named. */
async function unchangedSince(projectId: string, expected: Values): Promise<readonly TaskRow[]> {
  const { tasks } = await call('list_tasks', { project_id: projectId, verbose: false });
  const rows = (tasks as readonly TaskRow[]).filter((task) => {
    const fields = expected.get(task.id);
    return fields !== undefined && JSON.stringify(formerOf(task, fields)) === JSON.stringify(fields);
  });
  const left = expected.size - rows.length;
  if (rows.length === 0) throw new ServiceError('precondition_failed', `${counted(left)} changed since.`);
  if (left > 0) toast.warning(`${counted(left)} changed since, and ${left === 1 ? 'stays' : 'stay'} so.`);
  return rows;
}

async function removeAll(client: QueryClient, projectId: string, tasks: readonly TaskRow[]): Promise<void> {
  const what = `deletion of ${counted(tasks.length)}`;
  const begun = historyOf(projectId).begin(what);
  const entries = new Map<string, string>();
  const remove = (): Promise<readonly TaskRow[]> =>
    each(client, {
      tasks,
      next: new Map(tasks.map((task) => [task.id, undefined])),
      send: async (task) => {
        const deleted = await callWithTag('delete_task', { task_id: task.id, project_id: projectId });
        if (deleted !== 'unchanged' && deleted.trash !== undefined) entries.set(task.id, deleted.trash);
      },
      underway: 'Deleting',
      failed: 'deleted',
    });
  const restore = async (): Promise<void> => {
    // The last deletion first: an edge between two of the tasks is in the entry of the one that was deleted first.
    for (const entry of [...entries.values()].sort().reverse()) await restored(projectId, entry);
    entries.clear();
  };
  const done = await remove();
  if (done.length === 0) return begun.ready(undefined);
  begun.ready(withErrors(client, what, { undo: restore, redo: remove }));
  offerUndo(projectId, begun.step, `${counted(done.length)} deleted`);
}
