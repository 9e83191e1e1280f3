import type { Command } from 'commander';
import { isoTime, systemClock } from '../../../base/clock.ts';
import { PlannerError } from '../../../base/errors.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { addPlanCommand, collect, present } from '../../call/command-line.ts';
import type { CommandOutput } from '../../call/command-line.ts';
import { idOf } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { taskOf } from '../../records/show-task.ts';
import type { ShownTask } from '../../records/show-task.ts';
import { waitsFor } from '../../records/waiting.ts';

interface DoneOptions {
  readonly as?: string;
  readonly commit?: readonly string[];
  readonly verified?: string;
  readonly force?: boolean;
}

/** `done`: finishes tasks. */
export function addDoneCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'done <task...>',
      isChange: true,
      description: 'set tasks to done; those of others, and those that wait for others, only with --force',
      examples: ['done "Take payments" "Send invoices"', 'done tsk_4n0c2m8w --commit "$(git rev-parse HEAD)"'],
      options: (command) =>
        command
          .option('--commit <sha>', 'a commit of the task; repeat for several', collect)
          .option('--verified <reference>', 'evidence that it works: a test run, a link')
          .option('--as <name>', 'the assignee that claimed it (default: your name in git)')
          .option('--force', 'also if another assignee has it, or it waits for others'),
    },
    (given, options: DoneOptions, out, target) => done(deps, given, options, out, target),
  );
}

async function done(
  deps: ProgramDeps,
  given: readonly string[],
  options: DoneOptions,
  out: CommandOutput,
  target: CliTarget,
): Promise<void> {
  const { planner } = target;
  const me = options.as ?? (await deps.owner());
  const tasks: ShownTask[] = [];
  for (const text of given) {
    tasks.push(await taskOf(target, await idOf(target, ['task'], text)));
  }
  if (options.force !== true) for (const task of tasks) await refuseOthers(target, task, tasks, me);
  const results: Readonly<Record<string, unknown>>[] = [];
  for (const task of tasks) {
    const commits = options.commit && [...new Set([...task.commit_refs, ...options.commit])];
    const verified = options.verified && { verified_at: isoTime(systemClock.now()), verified_ref: options.verified };
    const changes = present({ status: 'done', commit_refs: commits, agent_ref: options.as });
    results.push(await planner.call('update_task', { task_id: task.id, ...changes, ...verified }));
  }
  out.print(
    results.length === 1 ? results[0] : { tasks: results.map(({ task }) => task) },
    tasks.map(({ id, label }) => `${id} is done: ${label}`),
  );
}

/** A task that another assignee works on, or that waits for others, is done only with --force. */
async function refuseOthers(
  target: CliTarget,
  task: ShownTask,
  together: readonly ShownTask[],
  me: string,
): Promise<void> {
  const { label, status, assignee } = task;
  if (status === 'in_progress' && typeof assignee === 'string' && assignee !== me)
    throw new PlannerError('conflict', `${label}: ${assignee} has it. --as ${assignee} or --force sets it to done.`);
  const others = task.waiting_on?.filter((id) => !together.some((one) => one.id === id)) ?? [];
  const waits = status === 'done' ? [] : await waitsFor(target, { ...task, waiting_on: others });
  if (waits.length > 0)
    throw new PlannerError('conflict', `${label} waits for ${waits.join('; ')}. --force sets it to done nevertheless.`);
}
