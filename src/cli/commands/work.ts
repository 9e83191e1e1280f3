import type { Command } from 'commander';
import { isoTime, systemClock } from '../../clock.ts';
import { addPlanCommand, collect, present, numberOf } from '../command-line.ts';
import type { CommandOutput } from '../command-line.ts';
import type { ProgramDeps } from '../program-deps.ts';
import { idOf, projectAndGoal } from '../find-record.ts';
import { projectOption } from '../project-choice.ts';
import type { ProjectOption } from '../project-choice.ts';
import { taskToDo } from '../show-task.ts';
import type { ShownTask } from '../show-task.ts';
import type { CliTarget } from '../cli-target.ts';

interface Next {
  readonly next_task: ShownTask | null;
  readonly reason: string;
  readonly blocked_total: number;
  readonly active_goals?: readonly { readonly id: string; readonly name: string | null }[];
}

interface NextOptions extends ProjectOption {
  readonly goal?: string;
  readonly tag?: readonly string[];
}

interface ClaimOptions extends NextOptions {
  readonly as?: string;
  readonly lease?: string;
}

interface DoneOptions {
  readonly as?: string;
  readonly commit?: readonly string[];
  readonly verified?: string;
}

/** `next`, `claim` and `done`: the working loop of agents and people. */
export function addWorkCommands(deps: ProgramDeps, program: Command): void {
  const nextOptions = (command: Command): Command =>
    projectOption(command)
      .option(
        '--goal <id or name>',
        'only tasks of this goal (default: the current one, else the only active one with tasks to do)',
      )
      .option('--tag <name>', 'only tasks with this tag; if repeated, with any of the tags', collect);
  addPlanCommand<NextOptions>(
    deps,
    program,
    {
      usage: 'next',
      description: 'show the next task; exit code 1 and the reason if there is none',
      examples: ['next', 'next --tag backend --json'],
      options: nextOptions,
    },
    async (_, options, out, target) => {
      const next = await nextTask(target, options);
      if (next.next_task === null) out.printNo({ next }, whyNone(next));
      else out.print({ next }, await taskToDo(target, next.next_task));
    },
  );
  addPlanCommand<ClaimOptions>(
    deps,
    program,
    {
      usage: 'claim [task]',
      description: 'claim a task, or the next one, so that no other agent takes it; exit code 1 if it is not available',
      examples: ['claim', 'claim tsk_4n0c2m8w --as builder-1 --lease 900'],
      options: (command) =>
        nextOptions(command)
          .option('--as <name>', 'the assignee (default: your name in git)')
          .option('--lease <seconds>', 'release it after this time without a renewal'),
    },
    ([task], options, out, target) => claim(deps, task, options, out, target),
  );
  addPlanCommand<DoneOptions>(
    deps,
    program,
    {
      usage: 'done <task>',
      description: 'set a task to done',
      examples: ['done "Take payments"', 'done tsk_4n0c2m8w --commit "$(git rev-parse HEAD)"'],
      options: (command) =>
        command
          .option('--commit <sha>', 'a commit of the task; repeat for several', collect)
          .option('--verified <reference>', 'evidence that it works: a test run, a link')
          .option('--as <name>', 'the assignee that claimed it'),
    },
    ([task], options, out, target) => done(task!, options, out, target),
  );
}

async function nextTask(target: CliTarget, options: NextOptions): Promise<Next> {
  const input = present({ ...(await projectAndGoal(target, options)), tags: options.tag });
  return (await target.planner.call('get_next_task', input))['next'] as Next;
}

function whyNone({ reason, blocked_total: blocked, active_goals: goals = [] }: Next): readonly string[] {
  switch (reason) {
    case 'no_tasks':
      return ['There are no tasks. planner task add creates one.'];
    case 'no_todo_tasks':
      return ['No task has the status todo here.'];
    case 'all_blocked':
      return [
        `Every task with status todo is blocked (${blocked}): planner task list --status in_progress shows the tasks in progress.`,
      ];
    case 'no_active_goal':
      return ['No goal is active, or the named one is not: planner goal list shows the goals.'];
    case 'multiple_active_goals':
      return [
        'Several goals have tasks to do: choose one with --goal.',
        ...goals.map(({ id, name }) => `${id}  ${name ?? ''}`),
      ];
    default:
      return [reason];
  }
}

/** After this many lost races the reason is not concurrency: the plan itself rejects the claim. */
const triesMax = 100;

/** Claims a task. Without an id it retries with the next task if another agent claims the found one first. */
async function claim(
  deps: ProgramDeps,
  task: string | undefined,
  options: ClaimOptions,
  out: CommandOutput,
  target: CliTarget,
): Promise<void> {
  const agent = options.as ?? (await deps.owner());
  const chosen = task === undefined ? undefined : await idOf(target, ['task'], task);
  for (let tries = 1; ; tries++) {
    const next = chosen === undefined ? await nextTask(target, options) : undefined;
    const id = chosen ?? next?.next_task?.id;
    if (id === undefined) return out.printNo({ claimed: false, next }, whyNone(next!));
    const lease = numberOf(options.lease, '--lease');
    const input = present({ task_id: id, agent_ref: agent, lease_seconds: lease });
    const claimed = await target.planner.call('claim_task', input);
    if (claimed['claimed'] === true) return out.print(claimed, await taskToDo(target, claimed['task'] as ShownTask));
    if (chosen === undefined && tries < triesMax) continue;
    const who = claimed['assignee'];
    const { worktree, branch } = claimed;
    const where = typeof worktree === 'string' ? ` in the worktree ${worktree}` : '';
    const on = typeof branch === 'string' ? ` (branch ${branch})` : '';
    const reason =
      typeof who === 'string' ? `${who} has it${where}${on}` : 'it is blocked or does not have the status todo';
    return out.printNo(claimed, `${id} is not available: ${reason}.`);
  }
}

async function done(text: string, options: DoneOptions, out: CommandOutput, target: CliTarget): Promise<void> {
  const { planner } = target;
  const id = await idOf(target, ['task'], text);
  const { task } = (await planner.call('get_task', { task_id: id })) as unknown as { task: ShownTask };
  const commits = options.commit && [...new Set([...task.commit_refs, ...options.commit])];
  const verified = options.verified && { verified_at: isoTime(systemClock.now()), verified_ref: options.verified };
  const changes = present({ status: 'done', commit_refs: commits, agent_ref: options.as });
  const result = await planner.call('update_task', { task_id: id, ...changes, ...verified });
  out.print(result, `${id} is done: ${task.label}`);
}
