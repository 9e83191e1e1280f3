import type { Command } from 'commander';
import { addPlanCommand, collect, numberOf, present, usageError } from '../../call/command-line.ts';
import type { CommandOutput } from '../../call/command-line.ts';
import { allTasks } from '../../records/all-rows.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { projectAndGoal } from '../../call/find-record.ts';
import { requireTags } from '../../records/known-tags.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { taskRows } from '../../records/show-task.ts';
import type { ShownTask } from '../../records/show-task.ts';
import { inOrder, orders } from '../../records/task-order.ts';

export interface ListOptions extends ProjectOption {
  readonly status?: string;
  readonly tag?: readonly string[];
  readonly goal?: string;
  readonly priority?: string;
  readonly assignee?: string;
  readonly mine?: boolean;
  readonly ready?: boolean;
  readonly blocked?: boolean;
  readonly search?: string;
  readonly sort?: string;
  readonly limit?: string;
  readonly all?: boolean;
}

/** Tasks that are listed by default: a terminal and an agent's context are small, and plans are large. */
const rowsMax = 100;

/** Names in a message. */
const assigneesShown = 10;

/** `task list`: filters, orders and lists tasks. */
export function addTaskList(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'list',
      description: 'list tasks',
      examples: ['task list --ready --sort due', 'task list --goal "Cook mode" --mine', 'task list --tag api --json'],
      options: (command) =>
        projectOption(command)
          .option('--status <status>', 'scope, todo, in_progress, done or backlog')
          .option('--tag <name>', 'with this tag; if repeated, with any of the tags', collect)
          .option('--goal <id or name>', 'of this goal')
          .option('--priority <priority>', 'urgent, high, medium or low')
          .option('--assignee <name>', 'of this assignee')
          .option('--mine', 'of the assignee that has your name in git')
          .option('--ready', 'with the status todo, and nothing before them left to do')
          .option('--blocked', 'not done, and waiting for others')
          .option('--search <words>', 'with these words in the label or the description')
          .option('--sort <order>', `by ${Object.keys(orders).join(', ')}; default status`)
          .option('--limit <number>', `maximum number of tasks; default ${rowsMax}`)
          .option('--all', 'all tasks, however many there are'),
    },
    (_, options: ListOptions, out, target) => listTasks(deps, target, options, out),
  );
}

/** Prints the tasks that the options choose. */
export async function listTasks(
  deps: ProgramDeps,
  target: CliTarget,
  options: ListOptions,
  out: CommandOutput,
): Promise<void> {
  const order = orderNamed(options.sort);
  const limit = numberOf(options.limit, '--limit') ?? (options.all === true ? Infinity : rowsMax);
  const found = (await tasksOf(deps, target, options, out.json)).toSorted(order);
  const tasks = found.slice(0, limit);
  const more = found.length - tasks.length;
  out.print({ tasks, ...(more > 0 ? { more } : {}) }, [
    ...(await taskRows(target, tasks)),
    ...(found.length === 0 ? [await noTasks(target, options)] : []),
    ...(more > 0 ? [`${more} more: --limit <number> or --all lists them.`] : []),
  ]);
}

/** An assignee is any text: of a misspelled one the list is empty, and the others are named. */
async function noTasks(target: CliTarget, options: ListOptions): Promise<string> {
  if (options.assignee === undefined) return 'No tasks.';
  const { project_id } = await projectAndGoal(target, options);
  const assignees = new Set((await allTasks(target, { project_id })).flatMap(({ assignee }) => assignee ?? []));
  if (assignees.size === 0 || assignees.has(options.assignee)) return 'No tasks.';
  const names = [...assignees].map((name) => JSON.stringify(name)).sort();
  const shown = names.slice(0, assigneesShown).join(', ');
  return `No tasks. Tasks here are of ${shown}${names.length > assigneesShown ? ', …' : ''}.`;
}

function orderNamed(name = 'status'): (a: ShownTask, b: ShownTask) => number {
  const order = Object.hasOwn(orders, name) ? orders[name] : undefined;
  if (order !== undefined) return inOrder(order);
  throw usageError('--sort', `--sort is ${JSON.stringify(name)}; it must be one of ${Object.keys(orders).join(', ')}.`);
}

/** All tasks that the options choose, by their creation. */
async function tasksOf(
  deps: ProgramDeps,
  target: CliTarget,
  options: ListOptions,
  verbose: boolean,
): Promise<readonly ShownTask[]> {
  const { tag: tags, priority, ready = false, blocked = false, mine = false, search } = options;
  const status = options.status ?? (ready ? 'todo' : undefined);
  const assignee = options.assignee ?? (mine ? await deps.owner() : undefined);
  const place = await projectAndGoal(target, options);
  const input = present({ ...place, status, tags, priority, assignee, verbose });
  const matching = search === undefined ? undefined : await matchingIds(target, place.project_id, search);
  const chosen = (task: ShownTask): boolean =>
    (!ready || (task.status === 'todo' && task.blocked !== true)) &&
    (!blocked || (task.blocked === true && task.status !== 'done')) &&
    (matching?.has(task.id) ?? true);
  const found = await allTasks(target, input);
  if (found.length === 0) await requireTags(target, place.project_id, tags);
  return found.filter(chosen);
}

async function matchingIds(target: CliTarget, project_id: string, query: string): Promise<ReadonlySet<string>> {
  return new Set((await target.planner.call('match_tasks', { project_id, query }))['task_ids'] as readonly string[]);
}
