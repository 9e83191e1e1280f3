import type {
  BacklinksAnswer,
  ChangeTasksAnswer,
  ChangeTasksInput,
  CreateTaskInput,
  DeletedAnswer,
  ListTasksInput,
  PlanReadTransaction,
  PlanTransaction,
  TaskAnswer,
  TaskInput,
  TaskListAnswer,
  TaskRecord,
  UpdateTaskInput,
} from '../domain/records/collections.ts';
import { backlinksOf } from '../domain/links/edges.ts';
import { goalIdOf } from '../domain/records/goal-reference.ts';
import { type Place, Standing } from '../domain/graph/frontier-order.ts';
import { guestMark } from '../domain/records/guest-texts.ts';
import { leaseOf, leaseTimes } from '../domain/plan/leases.ts';
import { changeTasks } from '../domain/plan/change-tasks.ts';
import { listTasks, listTasksInOrder, taskFilter } from '../domain/plan/list-tasks.ts';
import { tagsOf } from '../domain/plan/tags.ts';
import { createTask, deleteTask, taskById, taskWarnings, updateTask } from '../domain/plan/tasks.ts';
import {
  showSnapshot,
  showTask,
  snapshotRow,
  taskSnapshot,
  taskRow,
  taskSnapshots,
  waitingIds,
} from '../domain/plan/task-view.ts';
import type { TaskSnapshot } from '../domain/plan/task-view.ts';
import { limits } from '../base/limits.ts';
import { PlannerError } from '../base/errors.ts';
import { atOnce, mapInSteps, type Steps } from '../base/slices.ts';
import { audienceOf } from './access/authorise.ts';
import { choosingOperations, graphOperations } from './graph.ts';
import { groups } from './groups.ts';
import { deletion, trashHeader } from './trash-header.ts';
import { deferred } from './pipeline/deferred.ts';
import { answerBytesMax, fittingIds } from './pipeline/fitting-ids.ts';
import { isLarge } from './pipeline/large-input.ts';
import { hashOf, hashOfId, ownTag } from './pipeline/entity-tag.ts';
import { changedSince, delta, listTag } from './pipeline/list-tag.ts';
import type { Context, Tag } from './declaration/operation.ts';
import { decodeCursor, nextCursor, type Page, pageOf, positionAfter, positionOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';
import { Sliced } from './declaration/sliced.ts';

const locate = { member: 'task_id', resource: 'task' } as const;

/** Own: the task's fields. Rest: its goal, and fields of other records in the response. */
function taskTag(view: PlanReadTransaction, { task_id: id }: { readonly task_id: string }): Tag {
  const task = taskById(view, id);
  const goal = goalIdOf(view, task);
  const [waiting, tags, lease] = [waitingIds(view, task), tagsOf(view, task), leaseOf(view, id)?.expires_at ?? []];
  const mark = guestMark(view, task);
  const isPlain = waiting.length === 0 && tags.length === 0 && lease.length === 0 && mark === undefined;
  return { own: ownTag(task), rest: isPlain ? hashOfId(goal) : hashOf([goal, [waiting, tags, lease], mark]) };
}

const create: Write<CreateTaskInput, TaskAnswer> = {
  name: 'create_task',
  summary: 'Create a task',
  group: groups.tasks,
  input: 'CreateTaskInput',
  output: 'TaskAnswer',
  scope: 'project',
  effect: 'write',
  rest: {
    method: 'POST',
    path: '/projects/:project_id/tasks',
    bare: 'task',
    example: { label: 'Take cards', priority: 'high', tags: ['checkout'], due_date: '2030-01-31' },
  },
  mcp: {
    title: 'Create task',
    texts: true,
    description:
      'Adds one cycle-sized task to a goal. Returns {task}; order it among others with create_edge. For a whole plan in one call use scaffold_project_from_plan.',
  },
  run: (tx, input) => {
    const task = createTask(tx, withoutProject(input));
    const warnings = taskWarnings(tx, input);
    return { task: showTask(tx, task), ...(warnings.length === 0 ? undefined : { warnings }) };
  },
};

function withoutProject({ project_id: _, ...input }: CreateTaskInput): Omit<CreateTaskInput, 'project_id'> {
  return input;
}

const update: Write<UpdateTaskInput, TaskAnswer> = {
  name: 'update_task',
  summary: 'Change a task',
  group: groups.tasks,
  input: 'UpdateTaskInput',
  output: 'TaskAnswer',
  scope: 'project',
  effect: 'write',
  locate,
  rest: {
    method: 'PATCH',
    path: '/tasks/:task_id',
    bare: 'task',
    example: { status: 'done', commit_refs: ['4f2c9d1'] },
  },
  mcp: {
    title: 'Update task',
    texts: true,
    description:
      'Changes the given fields of a task; null clears. Set status done when its work is finished, then call get_next_task. Tasks are never deleted by agents: set status backlog, or link what supersedes it.',
    idempotent: true,
  },
  tag: taskTag,
  run: (tx, input, context) => ({ task: showTask(tx, updateTask(tx, input, context)) }),
};

const get: Read<TaskInput, TaskAnswer> = {
  name: 'get_task',
  summary: 'One task',
  group: groups.tasks,
  input: 'TaskInput',
  output: 'TaskAnswer',
  scope: 'project',
  effect: 'read',
  locate,
  rest: { method: 'GET', path: '/tasks/:task_id', bare: 'task' },
  mcp: {
    title: 'Get task',
    texts: true,
    description:
      'One task with its description, tags, whether it is blocked and by what. Read it before you begin the work.',
  },
  tag: taskTag,
  run: (view, { task_id: id }) => ({ task: showTask(view, taskById(view, id)) }),
};

const tasksTag = (view: PlanReadTransaction, { returned }: ListTasksInput): Tag =>
  returned === true ? listTag(view, 'task', 'run') : listTag(view, 'task');

const list: Read<ListTasksInput, TaskListAnswer> = {
  name: 'list_tasks',
  summary: 'Tasks of a project, filtered',
  group: groups.tasks,
  input: 'ListTasksInput',
  output: 'TaskListAnswer',
  scope: 'project',
  effect: 'read',
  followable: true,
  rest: { method: 'GET', path: '/projects/:project_id/tasks', names: { tag: 'tags' } },
  mcp: {
    title: 'List tasks',
    description:
      'Tasks by created_at as light rows, filtered; 100 at most, then next_cursor. To find what to do next use get_next_task instead.',
  },
  tag: tasksTag,
  run: listResponse,
};

function listResponse(
  view: PlanReadTransaction,
  input: ListTasksInput,
  context: Context,
): TaskListAnswer | Sliced<TaskListAnswer> {
  const { verbose = true } = input;
  const detailed = (task: TaskSnapshot): TaskListAnswer['tasks'][number] => showSnapshot(task, { verbose });
  const show = context.transport === 'mcp' && input.verbose !== true ? snapshotRow : detailed;
  const changed = changedSince(view, 'task', input, tasksTag(view, input));
  if (changed !== undefined) {
    const chosen = taskFilter(view, input);
    const find = (id: string): TaskRecord | undefined => {
      const task = view.get('task', id);
      return task !== undefined && chosen(task) ? task : undefined;
    };
    const { changed: tasks, removed } = delta(changed, find, (task) => show(taskSnapshot(view, task)));
    return { tasks, removed };
  }
  const { rows, position } = rowsOf(view, input);
  if (context.streams === true) {
    const whole = { show: (task: TaskRecord): TaskRecord => task, position };
    return streamed(view, pageOf(rows, input, { transport: context.transport }, whole), show);
  }
  const snapshot = taskSnapshots(view, leaseTimes(view));
  const page = pageOf(rows, input, context, {
    show: (task) => show(snapshot(task)),
    position,
    lighter: (task) => snapshotRow(snapshot(task)),
  });
  return { tasks: page.rows, ...nextCursor(page) };
}

interface Rows {
  readonly rows: Iterable<TaskRecord>;
  readonly position: (task: TaskRecord) => readonly string[];
}

/** The tasks of a list after its cursor, in its order. */
function rowsOf(view: PlanReadTransaction, input: ListTasksInput): Rows {
  const { order = 'created', cursor } = input;
  if (order === 'created') return { rows: listTasks(view, input, positionAfter(input)), position: positionOf };
  return {
    rows: listTasksInOrder(view, input, order, cursor === undefined ? undefined : placeIn(cursor)),
    position: (task) => {
      const { priority, due, rank, id } = new Standing(task, 0);
      return [String(priority), due, rank, id];
    },
  };
}

function placeIn(cursor: string): Place {
  const [priority = '', due = '', rank = '', id = ''] = decodeCursor(cursor, 4);
  return { priority: Number(priority), due, rank, id };
}

/** A list that is sent in slices. A long list is captured in slices too. */
function streamed(
  view: PlanReadTransaction,
  { rows, ...next }: Page<TaskRecord>,
  show: (task: TaskSnapshot) => TaskListAnswer['tasks'][number],
): TaskListAnswer | Sliced<TaskListAnswer> {
  const long = rows.length > limits.readAtOnceRecordsMax;
  const captured = mapInSteps(rows, taskSnapshots(long ? view.snapshot() : view, leaseTimes(view)));
  const answer = Sliced.of(captured, (tasks): TaskListAnswer => ({ tasks: deferred(tasks, show), ...next }));
  return long ? answer : atOnce(answer.steps);
}

const remove: Write<TaskInput, DeletedAnswer> = {
  name: 'delete_task',
  summary: 'Delete a task with its edges and comments',
  group: groups.tasks,
  input: 'TaskInput',
  output: 'DeletedAnswer',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  locate,
  rest: { method: 'DELETE', path: '/tasks/:task_id', headers: trashHeader },
  ...deletion(({ task_id: id }) => id, deleteTask),
};

const backlinks: Read<TaskInput, BacklinksAnswer> = {
  name: 'list_task_backlinks',
  summary: 'Tasks and documents that link to a task',
  group: groups.tasks,
  input: 'TaskInput',
  output: 'BacklinksAnswer',
  scope: 'project',
  effect: 'read',
  locate,
  rest: { method: 'GET', path: '/tasks/:task_id/backlinks' },
  tag: (view, { task_id: id }) => ({ own: ownTag(taskById(view, id)), rest: hashOf(backlinksOf(view, id)) }),
  run: (view, { task_id: id }) => ({ backlinks: backlinksOf(view, taskById(view, id).id) }),
};

/** Creates, changes and deletes many tasks; an agent gets as many rows and ids as fit. */
function* runChanges(tx: PlanTransaction, input: ChangeTasksInput, context: Context): Steps<ChangeTasksAnswer> {
  if (input.delete !== undefined && audienceOf(context) !== 'people')
    throw new PlannerError('forbidden', 'delete is reserved for people: an agent sets a status instead.');
  const { tasks, key_to_id: ids, warnings } = yield* changeTasks(tx, input, context);
  const total = { tasks_total: tasks.length };
  if (context.transport === 'mcp') {
    const { kept, bytes: taken, warnings: cut } = fittingIds(ids);
    const { rows } = pageOf(tasks, {}, context, {
      show: (task) => taskRow(tx, task),
      position: () => [],
      bytesMax: answerBytesMax - taken,
    });
    return { tasks: rows, ...total, key_to_id: kept, warnings: [...warnings, ...cut] };
  }
  const shown = yield* mapInSteps(tasks, (task) => showTask(tx, task));
  const rows = context.streams === true ? deferred(shown, (task) => task) : shown;
  return { tasks: rows, ...total, key_to_id: ids, warnings: [...warnings] };
}

const changeMany: Write<ChangeTasksInput, ChangeTasksAnswer> = {
  name: 'change_tasks',
  summary: 'Create, change and delete many tasks at once, all or nothing',
  group: groups.tasks,
  input: 'ChangeTasksInput',
  output: 'ChangeTasksAnswer',
  scope: 'project',
  effect: 'write',
  rest: {
    method: 'POST',
    path: '/projects/:project_id/tasks/batch',
    status: 200,
    example: {
      tasks: [
        { key: 'cards', label: 'Take cards', above: '*' },
        { task_id: 'tsk_4n0c2m8w1x7k9q3f', status: 'done' },
      ],
      edges: [{ from: 'tsk_4n0c2m3p6r9s2e5b', to: 'cards', label: 'depends_on' }],
    },
  },
  mcp: {
    title: 'Change tasks',
    texts: true,
    description:
      'Creates and changes up to 10,000 tasks in one call, in the given order, all or nothing; above and below move one in the order by hand, by which get_next_task chooses among equal priorities and due dates. Returns {tasks, key_to_id}.',
  },
  run: (tx, input, context) => atOnce(runChanges(tx, input, context)),
  sliced: { when: ({ tasks, edges, delete: ids = [] }) => ids.length > 0 || isLarge(tasks, edges), run: runChanges },
};

export const taskOperations: readonly PlannerOperation[] = [
  ...choosingOperations,
  ...[create, update, get, list, remove, backlinks, changeMany],
  ...graphOperations,
];
