import type { Command } from 'commander';
import type { Goal } from '../../../schema/types.ts';
import { allRows, allTasks } from '../../records/all-rows.ts';
import { addPlanCommand } from '../../call/command-line.ts';
import { heading, row, span } from '../../terminal/style.ts';
import type { ShownLine, StyledLine } from '../../terminal/style.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { goalsToDo } from '../../records/show-goal.ts';
import { taskRows } from '../../records/show-task.ts';
import type { ShownTask } from '../../records/show-task.ts';
import { askingRuns, pendingSubmissions, questionLine } from '../../records/waiting.ts';

/** Tasks of a section that are shown; the rest is counted. */
const shownMax = 10;

/** A heading with the command to run next, and the first lines; nothing without any. */
function section(
  title: string,
  of: readonly unknown[],
  next: string | undefined,
  lines: readonly (string | StyledLine)[],
): readonly ShownLine[] {
  if (of.length === 0) return [];
  return [
    row(heading(`${title} (${of.length})`), ...(next === undefined ? [] : [span('dim', `  ${next}`)])),
    ...lines.slice(0, shownMax).map((line) => row('  ', line)),
    ...(of.length > shownMax ? [`  and ${of.length - shownMax} more`] : []),
  ];
}

/** `status` and `inbox`: the current work, and everything that waits for a decision. */
export function addStatusCommands(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'status',
      description:
        'show what waits for a person: questions of agents, goals and tasks that are red, stale or to verify; and tasks in progress, yours and blocked',
      examples: ['status', 'status --json'],
      options: projectOption,
    },
    async (_, options: ProjectOption, out, target) => {
      const { id: project_id } = await chooseProject(target, options);
      const me = await deps.owner();
      const [open, to_review, returned, goals, waiting] = await Promise.all([
        allTasks(target, { project_id }),
        allTasks(target, { project_id, awaiting_review: true }),
        allTasks(target, { project_id, returned: true }),
        allRows<Goal>(target, 'list_goals', 'goals', { project_id, needs_person: true }),
        askingRuns(target, project_id),
      ]);
      const in_progress = open.filter(({ status }) => status === 'in_progress');
      const mine = open.filter(({ status, assignee }) => status !== 'done' && assignee === me);
      const blocked = open.filter((task) => task.status === 'todo' && task.blocked === true);
      const tasks = async (title: string, of: readonly ShownTask[], next?: string): Promise<readonly ShownLine[]> =>
        section(title, of, next, await taskRows(target, of.slice(0, shownMax)));
      const lines: ShownLine[] = [
        ...section('Waiting for an answer', waiting, 'planner answer <run> "…"', waiting.map(questionLine)),
        ...section('Goals that need you', goals, undefined, await goalsToDo(target, goals.slice(0, shownMax))),
        ...(await tasks('Came back from an agent', returned, 'planner task show <task>')),
        ...(await tasks('To review', to_review, 'planner approve <task>')),
        ...(await tasks('In progress', in_progress)),
        ...(await tasks(`Yours, ${me}`, mine)),
        ...(await tasks('Blocked', blocked)),
      ];
      const none = 'Nothing is in progress, blocked, to review or waiting: planner next shows what to begin.';
      const value = { in_progress, mine, blocked, to_review, returned, goals, waiting };
      out.print(value, lines.length === 0 ? none : lines);
    },
  );
  addInbox(deps, program);
}

function addInbox(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'inbox',
      description: 'list open decisions: tasks in scope, and submissions of participants',
      examples: ['inbox', 'inbox --json'],
      options: projectOption,
    },
    async (_, options: ProjectOption, out, target) => {
      const { id: project_id } = await chooseProject(target, options);
      const [tasks, submissions] = await Promise.all([
        allTasks(target, { project_id, status: 'scope' }),
        pendingSubmissions(target, project_id),
      ]);
      const lines = [
        ...(await taskRows(target, tasks)),
        ...submissions.map(({ id, title }) => `${id}  submitted    ${title}`),
        ...(tasks.length > 0 ? ['planner task set <task> --status todo releases a task.'] : []),
        ...(submissions.length > 0 ? ['planner call triage_submission accepts or rejects what was submitted.'] : []),
      ];
      out.print({ tasks, submissions }, lines.length === 0 ? 'Nothing waits for a decision.' : lines);
    },
  );
}
