import type { Command } from 'commander';
import { addPlanCommand, collect, present, numberOf, textOf, usageError } from '../command-line.ts';
import type { ProgramDeps } from '../program-deps.ts';
import { idOf, idOfOption, projectAndGoal, recordToChange } from '../find-record.ts';
import { projectOption } from '../project-choice.ts';
import type { ProjectOption } from '../project-choice.ts';
import { taskLines, taskRow } from '../show-task.ts';
import type { ShownTask } from '../show-task.ts';

interface Fields {
  readonly label?: string;
  readonly status?: string;
  readonly goal?: string;
  readonly priority?: string;
  readonly tag?: readonly string[];
  readonly due?: string;
  readonly assignee?: string;
  readonly description?: string;
}

interface ListOptions extends ProjectOption {
  readonly status?: string;
  readonly tag?: readonly string[];
  readonly goal?: string;
  readonly assignee?: string;
  readonly limit?: string;
  readonly all?: boolean;
}

/** Tasks that are listed by default: a terminal and an agent's context are small, and plans are large. */
const rowsMax = 100;

/** `task`: lists, shows, creates and changes tasks. */
export function addTaskCommands(deps: ProgramDeps, program: Command): void {
  const group = program.command('task').description('tasks: list, show, add, set');
  addReadingCommands(deps, group);
  addWritingCommands(deps, group);
}

function addReadingCommands(deps: ProgramDeps, group: Command): void {
  addPlanCommand<ListOptions>(
    deps,
    group,
    {
      usage: 'list',
      description: 'list tasks',
      examples: ['task list --status todo', 'task list --tag api --tag web --json'],
      options: (command) =>
        projectOption(command)
          .option('--status <status>', 'scope, todo, in_progress, done or backlog')
          .option('--tag <name>', 'with this tag; if repeated, with any of the tags', collect)
          .option('--goal <id or name>', 'of this goal')
          .option('--assignee <name>', 'of this assignee')
          .option('--limit <number>', `maximum number of tasks; default ${rowsMax}`)
          .option('--all', 'all tasks, however many there are'),
    },
    async (_, options, out, target) => {
      const { status, tag: tags, assignee, all = false } = options;
      const limit = numberOf(options.limit, '--limit') ?? (all ? undefined : rowsMax);
      const input = present({ ...(await projectAndGoal(target, options)), status, tags, assignee, limit });
      const result = await target.planner.call('list_tasks', input);
      out.print(result, rows(result));
    },
  );
  addPlanCommand(
    deps,
    group,
    {
      usage: 'show <task>',
      isDefault: true,
      description: 'show all of a task; also planner task <task>',
      examples: ['task show "Take payments"', 'task tsk_4n0c2m8w --json'],
    },
    async ([task], _, out, target) => {
      const result = await target.planner.call('get_task', { task_id: await idOf(target, ['task'], task!) });
      out.print(result, taskLines(result['task'] as ShownTask));
    },
  );
}

function addWritingCommands(deps: ProgramDeps, group: Command): void {
  addPlanCommand<Fields & ProjectOption>(
    deps,
    group,
    {
      usage: 'add <label>',
      description: 'create a task',
      examples: [
        'task add "Take payments" --priority high --tag checkout',
        'task add "Write the guide" --description -',
      ],
      options: (command) => fieldOptions(projectOption(command), 'a tag; repeat for several'),
    },
    async ([label], options, out, target) => {
      const { goal, ...fields } = await fieldsOf(deps, options);
      const place = present(await projectAndGoal(target, present({ project: options.project, goal })));
      const result = await target.planner.call('create_task', { ...place, label, ...fields });
      out.print(result, [taskRow(result['task'] as ShownTask), ...warnings(result)]);
    },
  );
  addPlanCommand<Fields>(
    deps,
    group,
    {
      usage: 'set <task>',
      description: 'change a task; an empty text clears a field that can be empty',
      examples: [
        'task set tsk_4n0c2m8w1x7k9q3f --status todo --priority urgent',
        'task set tsk_4n0c2m8w1x7k9q3f --due ""',
      ],
      options: (command) =>
        fieldOptions(command, 'the new tags; repeat for several, "" for none').option('--label <text>', 'the label'),
    },
    async ([task], options, out, target) => {
      const { goal, ...fields } = await fieldsOf(deps, options);
      if (goal === undefined && Object.keys(fields).length === 0)
        throw usageError(
          '--status',
          'Nothing to change: set --status, --label, --priority and so on; planner task set --help lists them.',
        );
      const { id: task_id, near } = await recordToChange(target, 'task', task!, [goal]);
      const goal_id = await idOfOption(near, ['goal'], goal);
      const result = await target.planner.call('update_task', present({ task_id, ...fields, goal_id }));
      out.print(result, taskRow(result['task'] as ShownTask));
    },
  );
}

function fieldOptions(command: Command, tags: string): Command {
  return command
    .option('--status <status>', 'scope, todo, in_progress, done or backlog')
    .option('--goal <id or name>', 'the goal that it belongs to')
    .option('--priority <priority>', 'urgent, high, medium or low')
    .option('--tag <name>', tags, collect)
    .option('--due <date>', 'YYYY-MM-DD')
    .option('--assignee <name>', 'the assignee')
    .option('--description <markdown>', 'the description; - to read standard input');
}

/** The members of the input. An empty text becomes null if the field can be cleared. */
async function fieldsOf(
  deps: ProgramDeps,
  options: Fields,
): Promise<Readonly<Record<string, unknown>> & { readonly goal?: string }> {
  const { label, status, goal, priority, tag, due, assignee } = options;
  const orNull = (text: string | undefined): string | null | undefined => (text === '' ? null : text);
  const description = await textOf(deps, options.description);
  const tags = tag?.filter((name) => name !== '');
  const cleared = { priority: orNull(priority), due_date: orNull(due), assignee: orNull(assignee) };
  return present({ label, status, goal, tags, description, ...cleared });
}

function rows(result: Readonly<Record<string, unknown>>): readonly string[] {
  const tasks = result['tasks'] as readonly ShownTask[];
  if (tasks.length === 0) return ['No tasks.'];
  const more =
    result['next_cursor'] === undefined ? [] : ['There are more tasks: --limit <number> or --all lists them.'];
  return [...tasks.map(taskRow), ...more];
}

export function warnings(result: Readonly<Record<string, unknown>>): readonly string[] {
  const list = result['warnings'];
  return Array.isArray(list) ? list.map((warning) => `Note: ${String(warning)}`) : [];
}
