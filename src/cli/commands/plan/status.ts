import type { Command } from 'commander';
import { allTasks } from '../../records/all-rows.ts';
import { addPlanCommand } from '../../call/command-line.ts';
import { heading, row } from '../../terminal/style.ts';
import type { ShownLine } from '../../terminal/style.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { taskRows } from '../../records/show-task.ts';
import type { ShownTask } from '../../records/show-task.ts';
import { askingRuns, pendingSubmissions, questionLine } from '../../records/waiting.ts';

/** Tasks of a section that are shown; the rest is counted. */
const shownMax = 10;

/** `status` and `inbox`: the current work, and everything that waits for a decision. */
export function addStatusCommands(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'status',
      description: 'show tasks in progress, yours, blocked and to review, and agents that wait for an answer',
      examples: ['status', 'status --json'],
      options: projectOption,
    },
    async (_, options: ProjectOption, out, target) => {
      const { id: project_id } = await chooseProject(target, options);
      const me = await deps.owner();
      const [open, to_review, waiting] = await Promise.all([
        allTasks(target, { project_id }),
        allTasks(target, { project_id, awaiting_review: true }),
        askingRuns(target, project_id),
      ]);
      const in_progress = open.filter(({ status }) => status === 'in_progress');
      const mine = open.filter(({ status, assignee }) => status !== 'done' && assignee === me);
      const blocked = open.filter((task) => task.status === 'todo' && task.blocked === true);
      const section = async (title: string, tasks: readonly ShownTask[]): Promise<readonly ShownLine[]> =>
        tasks.length === 0
          ? []
          : [
              heading(`${title} (${tasks.length})`),
              ...(await taskRows(target, tasks.slice(0, shownMax))).map((line) => row('  ', line)),
              ...(tasks.length > shownMax ? [`  and ${tasks.length - shownMax} more`] : []),
            ];
      const lines: ShownLine[] = [
        ...(await section('In progress', in_progress)),
        ...(await section(`Yours, ${me}`, mine)),
        ...(await section('Blocked', blocked)),
        ...(await section('To review', to_review)),
        ...(waiting.length === 0 ? [] : [heading(`Waiting for an answer (${waiting.length})`)]),
        ...waiting.map((run) => `  ${questionLine(run)}`),
      ];
      const none = 'Nothing is in progress, blocked, to review or waiting: planner next shows what to begin.';
      out.print({ in_progress, mine, blocked, to_review, waiting }, lines.length === 0 ? none : lines);
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
