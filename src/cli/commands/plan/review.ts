import type { Command } from 'commander';
import { isoTime, systemClock } from '../../../base/clock.ts';
import { PlannerError } from '../../../base/errors.ts';
import { allTasks } from '../../records/all-rows.ts';
import { addPlanCommand, present, textOf, usageError } from '../../call/command-line.ts';
import { idAmong, idOf } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { taskOf, taskRows } from '../../records/show-task.ts';
import type { ShownTask } from '../../records/show-task.ts';
import { askingRuns, questionLine } from '../../records/waiting.ts';

/** `review`, `approve`, `send-back` and `answer`: the finished work of agents, and their questions. */
export function addReviewCommands(deps: ProgramDeps, program: Command): void {
  addReview(deps, program);
  addApprove(deps, program);
  addSendBack(deps, program);
  addAnswer(deps, program);
}

function addReview(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'review',
      description: 'list the review: tasks that are done and not verified, and questions of agents',
      examples: ['review', 'review --json'],
      options: projectOption,
    },
    async (_, options: ProjectOption, out, target) => {
      const { id: project_id } = await chooseProject(target, options);
      const [tasks, questions] = await Promise.all([
        allTasks(target, { project_id, awaiting_review: true }),
        askingRuns(target, project_id),
      ]);
      const lines = [
        ...questions.map(questionLine),
        ...(await taskRows(target, tasks)),
        ...(questions.length > 0 ? ['planner answer <run> "…" answers a question.'] : []),
        ...(tasks.length > 0
          ? ['planner approve <task> verifies one, planner send-back <task> --because "…" does not.']
          : []),
      ];
      out.print({ tasks, questions }, lines.length === 0 ? 'Nothing waits for review.' : lines);
    },
  );
}

interface ApproveOptions {
  readonly ref?: string;
}

function addApprove(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'approve <task...>',
      isChange: true,
      description: 'verify tasks that are done',
      examples: ['approve "Take payments"', 'approve 9q3f x7k9 --ref "run 7"'],
      options: (command) => command.option('--ref <reference>', 'the proof that it works: a test run, a link'),
    },
    async (given, { ref }: ApproveOptions, out, target) => {
      const { planner } = target;
      const found = await Promise.all(given.map((text) => idOf(target, ['task'], text)));
      const tasks: ShownTask[] = [];
      for (const task_id of found) tasks.push(await taskOf(target, task_id));
      const open = tasks.find(({ status }) => status !== 'done');
      if (open !== undefined)
        throw new PlannerError(
          'conflict',
          `${open.label} is ${open.status}; only a task that is done can be approved.`,
        );
      const changed: unknown[] = [];
      for (const { id: task_id } of tasks) {
        const verified = present({ verified_at: isoTime(systemClock.now()), verified_ref: ref });
        changed.push((await planner.call('update_task', { task_id, ...verified }))['task']);
      }
      out.print(
        { tasks: changed },
        tasks.flatMap(({ label, branch }) => [
          `Approved: ${label}`,
          ...(branch == null ? [] : [`planner merge merges ${branch}; the next planner run does so, too.`]),
        ]),
      );
    },
  );
}

interface SendBackOptions {
  readonly because?: string;
}

function addSendBack(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'send-back <task>',
      isChange: true,
      description: 'set a finished task to todo again, with the reason as a comment',
      examples: ['send-back "Take payments" --because "Refunds are missing."'],
      options: (command) => command.option('--because <reason>', 'the reason; - to read standard input'),
    },
    async ([text], options: SendBackOptions, out, target) => {
      const { planner } = target;
      const because = await textOf(deps, options.because);
      if (because === undefined || because.trim() === '')
        throw usageError('--because', '--because <reason> is missing: who does the task again reads it as a comment.');
      const task_id = await idOf(target, ['task'], text);
      const { label, status, verified_at } = await taskOf(target, task_id);
      if (status !== 'done')
        throw new PlannerError('conflict', `${label} is ${status}; only a task that is done can be sent back.`);
      const unverified = typeof verified_at === 'string' ? { verified_at: null, verified_ref: null } : {};
      const result = await planner.call('update_task', { task_id, status: 'todo', ...unverified });
      const body = `**Sent back:** ${because}`;
      await planner.call('add_comment', { target_type: 'task', target_id: task_id, body });
      out.print(result, `Sent back: ${label}`);
    },
  );
}

function addAnswer(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'answer <run> <text>',
      isChange: true,
      description: 'answer the question of a run: a line of the run, and a comment on its task',
      examples: ['answer "Nightly checks" "Yes, in euros."', 'answer run_4n0c2m8w1x7k9q3f - < answer.md'],
      options: projectOption,
    },
    async ([text, given], options: ProjectOption, out, target) => {
      const { planner } = target;
      const answer = (await textOf(deps, given))!.trim();
      if (answer === '') throw usageError('text', 'The answer is empty.');
      const { id: project_id } = await chooseProject(target, options);
      const asking = await askingRuns(target, project_id);
      const named = asking.map((run) => ({ id: run.id, name: run.label ?? run.agent_ref }));
      const run_id = await idAmong(async () => named, { what: 'question', command: 'planner review' }, text);
      const run = asking.find(({ id }) => id === run_id);
      if (run === undefined)
        throw new PlannerError('conflict', `${run_id} asks nothing: planner review lists the questions.`);
      const asked_at = run.awaiting?.asked_at;
      const result = await planner.call('answer_agent_run', { project_id, run_id, ...present({ answer, asked_at }) });
      const { commented_on: task } = result as { readonly commented_on?: string };
      out.print(
        result,
        task === undefined ? 'Answered.' : `Answered, and commented on ${(await taskOf(target, task)).label}.`,
      );
    },
  );
}
