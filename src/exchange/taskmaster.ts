import { invalid } from '../base/errors.ts';
import type { ImportedPlan, Members } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import { objectOf, shown } from './members.ts';
import { requireObject } from './plan-format.ts';
import type { FileFormat } from './plan-format.ts';
import { priorityOf, statusOf } from './status-synonyms.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Tasks of one of the file's tags (contexts). */
interface Context {
  readonly name: string | undefined;
  readonly tasks: readonly (Fields | null)[];
  readonly metadata: Fields;
}

/** Texts of a task that are parts of its description, under headings. */
const sections = { details: 'Details', testStrategy: 'Test strategy' } as const;

/**
 * Reads the file of Taskmaster (`.taskmaster/tasks/tasks.json`), in the current form (`{<tag>: {tasks, metadata}}`), with plain lists
 * (`{<tag>: [...]}`) and the earlier one (`{tasks}`). A tag becomes a goal, tasks and subtasks become tasks, dependencies and parents become edges that order. Throws
 * `invalid_argument` for any other file.
 */
export function readTaskmaster(document: Fields, name: string): ImportedPlan {
  const plan = new PlanBuilder('Taskmaster', name);
  for (const context of contextsOf(document)) readContext(plan, context);
  return plan.finish();
}

export const taskmaster: FileFormat = {
  kind: 'file',
  name: 'taskmaster',
  places: ['.taskmaster/tasks/tasks.json', 'tasks/tasks.json', 'tasks.json'],
  detects: ({ object = {} }) => {
    const lists = [object, ...Object.values(object)].map(tasksIn).filter((list) => list !== undefined);
    return lists.length > 0 && lists.flat().every(isTask);
  },
  read: (file, { name }) => readTaskmaster(requireObject(file), name),
};

/** The list of tasks of a context, or of the whole file in the earlier form. */
function tasksIn(value: unknown): readonly unknown[] | undefined {
  const list = Array.isArray(value) ? (value as unknown[]) : objectOf(value)?.['tasks'];
  return Array.isArray(list) ? (list as unknown[]) : undefined;
}

function isTask(value: unknown): boolean {
  const { id, title } = objectOf(value) ?? {};
  return value === null || (['string', 'number'].includes(typeof id) && typeof title === 'string');
}

/** The tasks of a list, by their places in it; undefined for a value that is no list. */
function tasksOf(value: unknown, context: string | undefined): Context['tasks'] | undefined {
  const list = tasksIn(value);
  const path = [...(context === undefined ? [] : [context]), ...(Array.isArray(value) ? [] : ['tasks'])].join('.');
  return list?.map((task, at) => {
    const fields = task === null ? null : objectOf(task);
    if (fields !== undefined) return fields;
    throw invalid(`${path}[${at}]`, `${path}[${at}] is not a task: ${JSON.stringify(task)}.`);
  });
}

function contextsOf(document: Fields): Context[] {
  const contextOf = (name: string | undefined, value: unknown): Context | undefined => {
    const tasks = tasksOf(value, name);
    const metadata = objectOf(value)?.['metadata'];
    return tasks && { name, tasks, metadata: (typeof metadata === 'object' ? (metadata ?? {}) : {}) as Fields };
  };
  const whole = contextOf(undefined, document);
  const found =
    whole === undefined
      ? Object.entries(document).map(([name, value]) => (value === null ? undefined : contextOf(name, value)))
      : [whole];
  const contexts = found.filter((context) => context !== undefined);
  if (contexts.length === 0)
    throw invalid('file', 'The file has no tasks: Taskmaster writes {"<tag>": {"tasks": [...]}}.');
  return contexts;
}

function readContext(plan: PlanBuilder, { name, tasks, metadata }: Context): void {
  const { description, created, ...more } = metadata;
  const goal =
    name === undefined
      ? undefined
      : plan.goal({
          ...{ name, objective: typeof description === 'string' ? description : '', kept: more, foreignId: name },
          created: { name: 'created', text: typeof created === 'string' ? created : undefined },
        });
  const ids = new Map<string, string>();
  const joins: (() => void)[] = [];
  const where = (id: string): string => (name === undefined ? id : `${name} ${id}`);
  const register = (id: string, task: string): void => {
    if (ids.has(id)) plan.remarks.add('An id of several tasks: dependencies use the first one.', where(id));
    else ids.set(id, task);
  };
  for (const [at, fields] of tasks.entries()) {
    plan.countSource('task');
    if (fields === null) {
      plan.leftOut({ of: 'task', reason: 'it is empty (null)', where: where(`[${at}]`) });
      continue;
    }
    const members = plan.members(fields, where(shown(fields['id'])));
    const subtasks = members.objects('subtasks');
    const id = members.text('id') ?? '';
    const { task, dependencies } = addTask(plan, members, { id, foreignId: where(id) }, goal);
    register(id, task);
    joins.push(() => join(plan, { task, id: where(id) }, dependencies, (reference) => ids.get(reference)));
    for (const subfields of subtasks) {
      plan.countSource('task');
      const sub = plan.members(subfields, where(`${id}.${shown(subfields['id'])}`));
      const number = sub.text('id') ?? '';
      // Some files number subtasks in full: `6.1` in the task 6.
      const subId = number.startsWith(`${id}.`) ? number : `${id}.${number}`;
      const made = addTask(plan, sub, { id: subId, foreignId: where(subId) }, goal);
      register(subId, made.task);
      plan.part(made.task, task, where(subId));
      // A plain number is a subtask of the same task, else a task.
      const find = (reference: string): string | undefined => ids.get(`${id}.${reference}`) ?? ids.get(reference);
      joins.push(() => join(plan, { task: made.task, id: where(subId) }, made.dependencies, find));
    }
  }
  for (const add of joins) add();
}

function addTask(
  plan: PlanBuilder,
  members: Members,
  { id, foreignId }: { readonly id: string; readonly foreignId: string },
  goal: string | undefined,
): { readonly task: string; readonly dependencies: readonly string[] } {
  const word = members.text('status') ?? 'pending';
  const { status, exact } = statusOf(word);
  const priority = members.text('priority');
  const dependencies = members.texts('dependencies');
  const description = [
    members.text('description') ?? '',
    ...Object.entries(sections).map(([name, heading]) => {
      const text = members.text(name) ?? '';
      return text === '' ? '' : `## ${heading}\n\n${text}`;
    }),
  ];
  const task = plan.task({
    ...{ label: members.text('title') ?? `Task ${id}`, status, goal, priority: priorityOf(priority) ?? null },
    description: description.filter((part) => part !== '').join('\n\n'),
    foreignId,
    kept: {
      id,
      ...(exact ? undefined : { status: word }),
      ...(priority !== undefined && priorityOf(priority) === undefined && { priority }),
      ...members.rest(),
    },
  });
  return { task, dependencies };
}

function join(
  plan: PlanBuilder,
  { task, id }: { readonly task: string; readonly id: string },
  dependencies: readonly string[],
  find: (reference: string) => string | undefined,
): void {
  for (const reference of dependencies) {
    const target = find(reference);
    if (target !== undefined) plan.depends(task, target, `${id} after ${reference}`);
    else {
      plan.keep(task, { dependencies: reference });
      plan.remarks.add(
        'A dependency on a task that is not in the file: it is in the description.',
        `${id} after ${reference}`,
      );
    }
  }
}
