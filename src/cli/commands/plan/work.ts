import type { Command } from 'commander';
import { addPlanCommand, collect, present, numberOf } from '../../call/command-line.ts';
import type { CommandOutput } from '../../call/command-line.ts';
import { titleOfGoal } from '../../records/show-goal.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { idOf, projectAndGoal } from '../../call/find-record.ts';
import { requireTags } from '../../records/known-tags.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { taskOf, taskToDo } from '../../records/show-task.ts';
import type { ShownTask } from '../../records/show-task.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { waitsFor } from '../../records/waiting.ts';

interface Next {
  readonly next_task: ShownTask | null;
  readonly reason: string;
  readonly blocked_total: number;
  readonly hint?: string;
  readonly active_goals?: readonly NamedGoal[];
}

interface NamedGoal {
  readonly id: string;
  readonly name: string | null;
  /** Why it has no next task. */
  readonly reason?: string;
}

interface NextOptions extends ProjectOption {
  readonly goal?: string;
  readonly tag?: readonly string[];
}

interface ClaimOptions extends NextOptions {
  readonly as?: string;
  readonly lease?: string;
}

/** `next`, `claim` and `start`: which task to do, and taking it. */
export function addWorkCommands(deps: ProgramDeps, program: Command): void {
  const nextOptions = (command: Command): Command =>
    projectOption(command)
      .option('--goal <id or name>', 'only tasks of this goal (default: the current one, else all active ones)')
      .option('--tag <name>', 'only tasks with this tag; if repeated, with any of the tags', collect);
  addPlanCommand(
    deps,
    program,
    {
      usage: 'next',
      description: 'show the next task; exit code 1 and the reason if there is none',
      examples: ['next', 'next --tag backend --json'],
      options: nextOptions,
    },
    async (_, options: NextOptions, out, target) => {
      const next = await nextTask(target, options);
      if (next.next_task === null) out.printNo({ next }, await whyNone(target, next, options));
      else out.print({ next }, [...(await taskToDo(target, next.next_task)), ...goalLines(next)]);
    },
  );
  addPlanCommand(
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
    ([task], options: ClaimOptions, out, target) => claim(deps, task, options, out, target),
  );
  addPlanCommand(
    deps,
    program,
    {
      usage: 'start <task>',
      isChange: true,
      description: 'begin a task: claims it for you, as planner claim does',
      examples: ['start "Take payments"', 'start 9q3f --as builder-1'],
      options: (command) => command.option('--as <name>', 'the assignee (default: your name in git)'),
    },
    ([task], options: ClaimOptions, out, target) => claim(deps, task, options, out, target),
  );
}

async function nextTask(target: CliTarget, options: NextOptions): Promise<Next> {
  const place = await projectAndGoal(target, options);
  // A person at a terminal is not asked to choose a goal first.
  const input = present({ ...place, tags: options.tag, any_goal: place.goal_id === undefined ? true : undefined });
  const next = (await target.planner.call('get_next_task', input))['next'] as Next;
  if (next.reason === 'no_tasks') await requireTags(target, place.project_id, options.tag);
  return next;
}

/** Which goal the task is of, if several active ones have tasks to do. */
function goalLines({ next_task: task, active_goals: active = [] }: Next): readonly string[] {
  const goals = active.filter(({ reason }) => reason !== 'no_tasks' && reason !== 'no_todo_tasks');
  const goal = goals.find(({ id }) => id === task?.goal_id);
  return goal === undefined || goals.length === 1
    ? []
    : [`Of the goal ${titleOfGoal(goal)}, one of ${goals.length} active ones: --goal or planner goal use chooses one.`];
}

async function whyNone(target: CliTarget, next: Next, options: NextOptions): Promise<readonly string[]> {
  const lines = linesFor(next);
  const isEmpty = next.reason === 'no_tasks' || next.reason === 'no_todo_tasks';
  return isEmpty && options.goal === undefined ? [...lines, ...(await blockedGoals(target, options))] : lines;
}

/** A blocked goal offers no tasks: the goals that wait for a person are named. */
async function blockedGoals(target: CliTarget, options: NextOptions): Promise<readonly string[]> {
  const { id: project_id } = await chooseProject(target, options);
  const input = { project_id, status: 'blocked', archived: false };
  const { goals } = await target.planner.call('list_goals', input);
  return (goals as readonly NamedGoal[]).map(
    (goal) => `The goal ${titleOfGoal(goal)} is blocked: planner next --goal ${goal.id} says why, and how it goes on.`,
  );
}

function linesFor({ reason, blocked_total: blocked, hint }: Next): readonly string[] {
  switch (reason) {
    case 'no_tasks':
      return ['There is no task to do here. planner task add creates one.'];
    case 'no_todo_tasks':
      return ['No task has the status todo here.'];
    case 'all_blocked':
      return [
        `Every task with status todo is blocked (${blocked}): planner task list --status in_progress shows the tasks in progress.`,
      ];
    case 'goal_blocked':
      return [
        'The goal is blocked, because its verification was red.',
        'To go on: planner inbox shows the task that repairs it; planner task set <task> --status todo releases it; planner goal resume <goal> continues.',
      ];
    case 'no_active_goal':
      return [hint ?? reason, 'planner goal list shows the goals.'];
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
    if (id === undefined) return out.printNo({ claimed: false, next }, await whyNone(target, next!, options));
    const lease = numberOf(options.lease, '--lease');
    const input = present({ task_id: id, agent_ref: agent, lease_seconds: lease });
    const claimed = await target.planner.call('claim_task', input);
    if (claimed['claimed'] === true)
      return out.print(claimed, [
        ...(await taskToDo(target, claimed['task'] as ShownTask)),
        ...(next === undefined ? [] : goalLines(next)),
      ]);
    if (chosen === undefined && tries < triesMax) continue;
    return out.printNo(claimed, await whyNotClaimed(target, id, claimed));
  }
}

/** Why a task could not be claimed: who has it and where, its prerequisites, or its status. */
async function whyNotClaimed(
  target: CliTarget,
  id: string,
  claimed: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  const task = await taskOf(target, id);
  const { assignee: who, worktree, branch } = claimed;
  const says = `${task.label} is not available:`;
  if (typeof who === 'string' && (typeof worktree === 'string' || task.status === 'in_progress')) {
    const where = typeof worktree === 'string' ? ` in the worktree ${worktree}` : '';
    const on = typeof branch === 'string' ? ` (branch ${branch})` : '';
    return [`${says} ${who} has it${where}${on}.`];
  }
  const waits = await waitsFor(target, task);
  if (waits.length > 0) return [`${says} it waits for ${waits.join('; ')}.`];
  return [`${says} its status is ${task.status}, and only a task in todo can be claimed.`];
}
