import { invalid, PlannerError } from '../../base/errors.ts';
import { eachInSteps, mapInSteps, type Steps } from '../../base/slices.ts';
import type { Frontier } from '../graph/frontier.ts';
import { shownCycle } from '../graph/shown-cycle.ts';
import { EdgeSheets } from '../links/edge-sheets.ts';
import type { Acting } from '../records/acting.ts';
import type {
  ChangeTasksInput,
  PlanTransaction,
  ScaffoldEdge,
  TaskChange,
  TaskRecord,
} from '../records/collections.ts';
import { createTask, deleteTask, taskById, taskWarnings, updateTask } from './tasks.ts';

/** What became of a list of changes of tasks. */
export interface ChangedTasks {
  /** In the order of the changes. */
  readonly tasks: readonly TaskRecord[];
  readonly key_to_id: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/**
 * Creates and changes tasks in their order, adds edges between them, and deletes tasks, in slices. All or nothing, like the transaction.
 * Errors have the path of the item: `tasks[3].goal_id`.
 */
export function* changeTasks(
  tx: PlanTransaction,
  { tasks, edges = [], delete: deleted = [] }: Omit<ChangeTasksInput, 'project_id'>,
  by: Acting,
): Steps<ChangedTasks> {
  const ids = new Map<string, string>();
  const warnings = new Set<string>();
  const changed = yield* mapInSteps(tasks.entries(), ([index, change]) =>
    within(`tasks[${index}]`, () => {
      const { key, task_id: id } = change;
      const task = changeOne(tx, change, ids, by);
      if (id === undefined) for (const warning of taskWarnings(tx, change)) warnings.add(warning);
      if (key !== undefined) ids.set(key, task.id);
      return task.id;
    }),
  );
  const joined = yield* join(tx, edges, ids);
  for (const warning of cycleWarnings(tx, joined)) warnings.add(warning);
  const shown = changed.map((id) => taskById(tx, id));
  for (const [index, id] of deleted.entries()) {
    if (tx.get('task', id) === undefined) throw unknownTask(`delete[${index}]`, id);
    yield* deleteTask(tx, id);
  }
  return { tasks: shown, key_to_id: Object.fromEntries(ids), warnings: [...warnings] };
}

function changeOne(
  tx: PlanTransaction,
  { task_id: id, key, above, below, ...fields }: TaskChange,
  ids: ReadonlyMap<string, string>,
  by: Acting,
): TaskRecord {
  const move = { ...placeOf('above', above, ids), ...placeOf('below', below, ids) };
  if (id !== undefined) {
    if (key !== undefined) throw invalid('key', 'key names a task that is created: omit it, or omit task_id.');
    if (tx.get('task', id) === undefined) throw unknownTask('task_id', id);
    return updateTask(tx, { ...fields, ...move, task_id: id }, by);
  }
  const { label, add_tags: add, remove_tags: remove, ...others } = fields;
  if (label === undefined) throw invalid('label', 'label is required to create a task; task_id names one to change.');
  if (add !== undefined || remove !== undefined)
    throw invalid(add === undefined ? 'remove_tags' : 'add_tags', 'A task that is created has the tags of tags.');
  if (key !== undefined && ids.has(key))
    throw invalid('key', `The key ${JSON.stringify(key)} is used twice in this call; keys must be unique.`, { key });
  return createTask(tx, { ...others, ...move, label });
}

function unknownTask(field: string, id: string): PlannerError {
  return invalid(field, `${field} must be the id of a task of this project: ${JSON.stringify(id)}.`);
}

function placeOf(
  name: 'above' | 'below',
  near: string | undefined,
  ids: ReadonlyMap<string, string>,
): { readonly above?: string; readonly below?: string } {
  return near === undefined ? {} : { [name]: ids.get(near) ?? near };
}

/** Adds edges, with all that start at one task together. Returns the ids of the tasks at their ends. */
function* join(
  tx: PlanTransaction,
  edges: readonly ScaffoldEdge[],
  ids: ReadonlyMap<string, string>,
): Steps<ReadonlySet<string>> {
  const sheets = new EdgeSheets(tx);
  const ends = new Set<string>();
  yield* eachInSteps(edges.entries(), ([index, { from, to, label }]) =>
    within(`edges[${index}]`, () => {
      const end = (name: 'from' | 'to', given: string): string => {
        const id = ids.get(given) ?? given;
        if (tx.get('task', id) === undefined)
          throw invalid(
            name,
            `${name} must be the key of an item or the id of a task of this project: ${JSON.stringify(given)}.`,
          );
        return id;
      };
      const [from_id, to_id] = [end('from', from), end('to', to)];
      if (from_id === to_id) throw invalid('to', 'An edge cannot join a task to itself.');
      sheets.create({ from_type: 'task', from_id, to_type: 'task', to_id, label });
      ends.add(from_id).add(to_id);
    }),
  );
  yield* sheets.writeSliced();
  return ends;
}

function cycleWarnings(tx: PlanTransaction, joined: ReadonlySet<string>): string[] {
  if (joined.size === 0) return [];
  const closed = tx.index<Frontier>('frontier').cycles.found.filter((cycle) => cycle.some((id) => joined.has(id)));
  return closed.map(
    (cycle) =>
      `These tasks wait for each other, so that none can begin: ${shownCycle(tx, cycle)}. Delete one of the edges.`,
  );
}

/** Runs the change of one item. Its errors get the path of the item. */
function within<T>(path: string, change: () => T): T {
  try {
    return change();
  } catch (thrown) {
    if (!(thrown instanceof PlannerError)) throw thrown;
    const { code, message, field, details } = thrown;
    throw new PlannerError(code, `${path}: ${message}`, {
      ...details,
      field: field === undefined ? path : `${path}.${field}`,
    });
  }
}
