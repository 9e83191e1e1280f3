import type { Command } from 'commander';
import { systemClock } from '../../../base/clock.ts';
import { dayOf, localDay } from '../../../base/day-words.ts';
import { addPlanCommand, collect, present, textOf, usageError, warningsIn } from '../../call/command-line.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { idOf, idOfOption, inProject, projectAndGoal, recordsNamed, recordToChange } from '../../call/find-record.ts';
import { projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { addRemoval } from '../../records/record-commands.ts';
import { taskRows } from '../../records/show-task.ts';
import type { ShownTask } from '../../records/show-task.ts';
import { letWait } from '../../records/task-graph.ts';

interface Fields {
  readonly label?: string;
  readonly status?: string;
  readonly goal?: string;
  readonly priority?: string;
  readonly tag?: readonly string[];
  readonly due?: string;
  readonly assignee?: string;
  readonly lane?: string;
  readonly gate?: string;
  readonly covers?: readonly string[];
  readonly description?: string;
}

interface Places {
  readonly after?: readonly string[];
  readonly before?: readonly string[];
}

interface TagChanges {
  readonly addTag?: readonly string[];
  readonly removeTag?: readonly string[];
}

/** `task add`, `task set` and `task rm`. */
export function addTaskChanges(deps: ProgramDeps, group: Command): void {
  addTaskAdd(deps, group);
  addTaskSet(deps, group);
  addRemoval(deps, group, 'task', ['task rm 9q3f', 'task rm "Take payments" "Send invoices"']);
}

function addTaskAdd(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'add <label>',
      isChange: true,
      description: 'create a task; - reads its label, and below it the description, from standard input',
      examples: [
        'task add "Take payments" --priority high --tag checkout',
        'task add "Send invoices" --after "Take payments"',
        'task add "Write the guide" --description - < guide.md',
        'task add - < task.md',
      ],
      options: (command) =>
        fieldOptions(projectOption(command), 'a tag; repeat for several')
          .option('--after <task>', 'a task to be done before this one; repeat for several', collect)
          .option('--before <task>', 'a task that waits for this one; repeat for several', collect),
    },
    async ([given], options: Fields & Places & ProjectOption, out, target) => {
      const { label, description } = await textsOf(deps, given, options);
      const { goal, ...fields } = await fieldsOf(deps, present({ ...options, description }));
      const place = present(await projectAndGoal(target, present({ project: options.project, goal })));
      const near = inProject(target, place.project_id!);
      // A name that means nothing is found before the task is made.
      const [after, before] = await Promise.all([idsOf(near, options.after), idsOf(near, options.before)]);
      const namesakes = await tasksCalled(near, label);
      const result = await target.planner.call('create_task', { ...place, ...fields, label });
      const { id, project_id } = result['task'] as ShownTask;
      const pairs = [...after.map((first) => ({ first, then: id })), ...before.map((then) => ({ first: id, then }))];
      const said = [...notes(result), ...namesakes];
      for (const pair of pairs) said.push(...notes(await letWait(target, project_id, pair)));
      const made = pairs.length === 0 ? result : await target.planner.call('get_task', { task_id: id });
      out.print({ ...result, ...made }, [...(await taskRows(target, [made['task'] as ShownTask])), ...said]);
    },
  );
}

function addTaskSet(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'set <task...>',
      isChange: true,
      description: 'change tasks; an empty text clears a field that can be empty',
      examples: [
        'task set 9q3f --status todo --priority urgent',
        'task set "Take payments" "Send invoices" --add-tag checkout --due ""',
      ],
      options: (command) =>
        fieldOptions(command, 'the new tags; repeat for several, "" for none')
          .option('--add-tag <name>', 'a further tag; repeat for several', collect)
          .option('--remove-tag <name>', 'a tag to take away; repeat for several', collect)
          .option('--label <text>', 'the label'),
    },
    async (given, options: Fields & TagChanges, out, target) => {
      const { goal, ...fields } = await fieldsOf(deps, options);
      const tags = present({ add_tags: options.addTag, remove_tags: options.removeTag });
      if (goal === undefined && Object.keys({ ...fields, ...tags }).length === 0)
        throw usageError(
          '--status',
          'Nothing to change: set --status, --label, --priority and so on; planner task set --help lists them.',
        );
      // All names are looked up before anything is changed.
      const found = await Promise.all(
        given.map(async (text) => {
          const { id, near } = await recordToChange(target, 'task', text, [goal]);
          return { task_id: id, goal_id: await idOfOption(near, ['goal'], goal) };
        }),
      );
      const results = [];
      for (const { task_id, goal_id } of found)
        results.push(await target.planner.call('update_task', present({ task_id, ...fields, ...tags, goal_id })));
      const tasks = results.map((result) => result['task'] as ShownTask);
      out.print(results.length === 1 ? results[0] : { tasks }, [
        ...(await taskRows(target, tasks)),
        ...results.flatMap(notes),
      ]);
    },
  );
}

/** The label and the description. Standard input has the label in its first line and the description below it, as messages of commits have. */
async function textsOf(
  deps: ProgramDeps,
  given: string,
  { description }: Fields,
): Promise<{ readonly label: string; readonly description: string | undefined }> {
  if (given !== '-') return { label: given, description };
  if (description !== undefined)
    throw usageError(
      '--description',
      'With - as the label, standard input has the description, too: omit --description.',
    );
  const [label = '', ...lines] = (await deps.input()).trim().split(/\r?\n/);
  const rest = lines.join('\n').trim();
  return { label: label.trim(), description: rest === '' ? undefined : rest };
}

function idsOf(target: CliTarget, given: readonly string[] = []): Promise<readonly string[]> {
  return Promise.all(given.map((text) => idOf(target, ['task'], text)));
}

function fieldOptions(command: Command, tags: string): Command {
  return command
    .option('--status <status>', 'scope, todo, in_progress, done or backlog')
    .option('--goal <id or name>', 'the goal that it belongs to')
    .option('--priority <priority>', 'urgent, high, medium or low')
    .option('--tag <name>', tags, collect)
    .option('--due <day>', 'YYYY-MM-DD, or words: fri, tomorrow, "in 2 weeks", "4 mar"')
    .option('--assignee <name>', 'the assignee')
    .option('--lane <lane>', 'who settles it: auto, approve or full (a person does it)')
    .option('--gate <command>', 'a command that exits with 0 if it is done; planner verify runs it')
    .option('--covers <path>', 'a path or glob that it is about, for its proof; repeat for several', collect)
    .option('--description <markdown>', 'the description; - to read standard input');
}

/** The members of the input. An empty text becomes null if the field can be cleared. */
async function fieldsOf(
  deps: ProgramDeps,
  options: Fields,
): Promise<Readonly<Record<string, unknown>> & { readonly goal?: string }> {
  const { label, status, goal, priority, tag, due, assignee, gate, lane } = options;
  if (goal === '')
    throw usageError('--goal', '--goal is empty, and every task belongs to a goal: name one, such as General.');
  const orNull = (text: string | undefined): string | null | undefined => (text === '' ? null : text);
  const description = await textOf(deps, options.description);
  const tags = tag?.filter((name) => name !== '');
  const cleared = {
    priority: orNull(priority),
    due_date: orNull(due && (dayOf(due, localDay(new Date(systemClock.now()))) ?? due)),
    assignee: orNull(assignee),
    gate: orNull(gate),
    lane: orNull(lane),
  };
  const covers = options.covers?.filter((path) => path !== '');
  return present({ label, status, goal, tags, covers, description, ...cleared });
}

/** A note if there is a task with the same label: a name that means two records is refused later. */
async function tasksCalled(target: CliTarget, name: string): Promise<readonly string[]> {
  const others = await recordsNamed(target, 'task', { project_id: target.config.project_id, name });
  return others.map(({ id }) => `Note: ${id} has the same label: name each of them by its id.`);
}

function notes(result: Readonly<Record<string, unknown>>): readonly string[] {
  return warningsIn(result).map((warning) => `Note: ${warning}`);
}
