import { join } from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../../../base/clock.ts';
import { PlannerError } from '../../../base/errors.ts';
import { cacheDirectory } from '../../../platform/cache-directory.ts';
import type { Goal } from '../../../schema/types.ts';
import { serviceOrStart } from '../../call/background-service.ts';
import { withTarget } from '../../call/cli-target.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { addCommand, numberOf, usageError } from '../../call/command-line.ts';
import type { CommandOutput, CommonOptions } from '../../call/command-line.ts';
import { projectAndGoal } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { gateOf, titleOfGoal } from '../../records/show-goal.ts';
import { findAgent } from '../../runner/agents/find-agent.ts';
import { approvedTasks } from '../../runner/approved.ts';
import { allCandidates } from '../../runner/frontier.ts';
import { LastingPlanner, ServicePlace } from '../../runner/lasting-planner.ts';
import type { Chosen } from '../../runner/frontier.ts';
import { verifyGoals } from '../../runner/ready-goals.ts';
import { Runner } from '../../runner/runner.ts';
import type { RunnerLimits } from '../../runner/runner.ts';
import { recoverSlots } from '../../runner/recover-slots.ts';
import { triesMax } from '../../runner/work.ts';
import type { Outcome, Workshop } from '../../runner/workshop.ts';
import { row, span } from '../../terminal/style.ts';
import type { ShownLine, Style } from '../../terminal/style.ts';
import { gateMinutesDefault } from '../../verify/gate.ts';
import { commitNamed, requireRepository } from '../../verify/repository.ts';
import { aroundOf } from '../../verify/subject.ts';

interface RunOptions extends CommonOptions, ProjectOption {
  readonly agent?: string;
  readonly parallel?: string;
  readonly tasks?: string;
  readonly minutes?: string;
  readonly tries?: string;
  readonly askMinutes?: string;
  readonly taskMinutes?: string;
  readonly once?: boolean;
  readonly trust?: boolean;
  readonly dryRun?: boolean;
}

const [askMinutesDefault, taskMinutesDefault] = [30, 120];
const [parallelMax, minutesMax] = [16, 10_000];

/** `run`: coding agents work the tasks of a goal, each in a worktree of its own, until their gates are green. */
export function addRunCommand(deps: ProgramDeps, program: Command): void {
  addCommand<RunOptions, 'run [goal]'>(
    deps,
    program,
    {
      usage: 'run [goal]',
      description:
        'let coding agents work the tasks of a goal, or of all active ones, each in a worktree and on a branch of its own, until its gate is green; exit code 1 if a task came back or a gate is red, 130 stopped',
      examples: ['run "Cook mode" --agent claude', 'run --parallel 2 --tasks 5', 'run --dry-run'],
      options: (command) =>
        projectOption(command)
          .option('--agent <name>', 'a coding agent (default: the first that is installed)')
          .option('--parallel <number>', 'tasks at the same time (default: 1)')
          .option('--tasks <number>', 'begin at most so many')
          .option('--once', 'begin one task, as --tasks 1')
          .option('--minutes <number>', 'begin no further task after this time')
          .option(
            '--tries <number>',
            "attempts per task while its gate is red (default: N if the goal's iteration policy is retry N, else 2)",
          )
          .option(
            '--ask-minutes <number>',
            `how long an agent waits for an answer, before its task is put aside until there is one (default: ${askMinutesDefault})`,
          )
          .option(
            '--task-minutes <number>',
            `end an agent that works longer on a task (default: ${taskMinutesDefault})`,
          )
          .option('--trust', 'allow the commands of the plan, as an answer at the terminal does')
          .option('--dry-run', 'show which tasks would be taken, and why others are not; begin nothing'),
    },
    async ([text], options, out) => {
      // Before anything is started: an option may have no meaning.
      const how = howOf(options);
      const where = (target: CliTarget): Promise<Where> => whereOf(deps, target, { ...options, goal: text });
      if (options.dryRun === true)
        return withTarget(deps, options, async (target) => dryRun(target, await where(target), out));
      const agent = await findAgent(options.agent, deps);
      const found = await withTarget(deps, options, where);
      // Agents and people read and write the plan meanwhile, so a service has to have it.
      const reach = (): ReturnType<typeof serviceOrStart> => serviceOrStart(deps, options);
      const { address, started } = await reach();
      if (started)
        deps.notice(`A service was started in the background: ${address.url} shows the work; planner stop ends it.`);
      // One of this machine that ended is started again.
      const service = new ServicePlace(address, async () => (await reach()).address);
      await withTarget(deps, options, (target) =>
        runIn(deps, target, { ...found, ...how, service, agent, isTrusted: options.trust === true }, out),
      );
    },
  );
}

/** The tasks that are worked, and the repository in which. */
interface Where extends Pick<Workshop, 'repository'> {
  readonly chosen: Chosen;
}

async function runIn(
  deps: ProgramDeps,
  target: CliTarget,
  { chosen, limits, lateMinutes, ...given }: Where & How & Pick<Workshop, 'service' | 'agent' | 'isTrusted'>,
  out: CommandOutput,
): Promise<void> {
  const stop = new AbortController();
  const planner = new LastingPlanner(given.service);
  const shop: Workshop = {
    ...{ deps, target: { ...target, planner }, ...aroundOf(target), ...given },
    cache: cacheDirectory(deps.homeDirectory) ?? join(deps.homeDirectory, '.planner-cache'),
    gateMinutesMax: gateMinutesDefault,
    signal: stop.signal,
  };
  const late = new AbortController();
  if (lateMinutes !== undefined) systemClock.after(lateMinutes * 60_000, () => late.abort()).unref();
  const runner = new Runner(shop, chosen, { ...limits, enough: AbortSignal.any([late.signal, stop.signal]) });
  deps.events.onEndSignal(() => {
    deps.notice('Stopping: agents are asked to end, and their work is committed. Once more ends at once.');
    stop.abort(new PlannerError('conflict', 'The runner was stopped.', { exit: 130 }));
  });
  for (const line of await recoverSlots(shop)) deps.notice(line);
  await runner.run();
  const goals = stop.signal.aborted ? [] : await verifyGoals(shop, chosen);
  const { outcomes, paused } = runner;
  const found = [...outcomes.map(outcomeLine), ...paused.map(pausedLine), ...goals.map(goalLine)];
  const lines = found.length > 0 ? found : await whyNothing(shop, chosen);
  const value = { outcomes, paused, goals };
  const isRed =
    outcomes.some(({ result }) => resultStyles[result] === 'red') || goals.some(({ status }) => status !== 'complete');
  if (isRed) out.printNo(value, lines);
  else out.print(value, lines);
  if (stop.signal.aborted) deps.exitWith(130);
}

async function whereOf(
  { workingDirectory }: ProgramDeps,
  target: CliTarget,
  named: Parameters<typeof projectAndGoal>[1],
): Promise<Where> {
  const repository = await requireRepository(workingDirectory, target.root, 'agents work in worktrees, and commit');
  // Branches begin there.
  await commitNamed(repository, 'HEAD');
  return { chosen: await projectAndGoal(target, named), repository };
}

/** A number of minutes, which need not be whole. */
function minutesOf(option: string, given: string | undefined, absent: number): number {
  const minutes = given === undefined ? absent : /^\d{1,5}(?:\.\d{1,4})?$/.test(given) ? Number(given) : NaN;
  if (minutes > 0 && minutes <= minutesMax) return minutes;
  throw usageError(option, `${option} is ${JSON.stringify(given)}; it is a number of minutes up to ${minutesMax}.`);
}

function within(option: string, given: string | undefined, absent: number, most: number): number {
  const number = numberOf(given, option) ?? absent;
  if (number >= 1 && number <= most) return number;
  throw usageError(option, `${option} is ${number}; it is a number from 1 to ${most}.`);
}

/** The options that are numbers. */
interface How extends Pick<Workshop, 'tries' | 'askMinutesMax' | 'taskMinutesMax'> {
  readonly limits: Pick<RunnerLimits, 'parallel' | 'tasksMax'>;
  /** After which no further task begins. */
  readonly lateMinutes: number | undefined;
}

function howOf({ database, once = false, tasks, minutes, parallel, tries, askMinutes, taskMinutes }: RunOptions): How {
  if (database !== undefined)
    throw usageError('--database', 'Agents reach the plan through a service: start one, and name it in PLANNER_URL.');
  if (once && tasks !== undefined) throw usageError('--once', '--once is --tasks 1: give one of them.');
  return {
    limits: {
      parallel: within('--parallel', parallel, 1, parallelMax),
      tasksMax: once ? 1 : numberOf(tasks, '--tasks'),
    },
    lateMinutes: minutes === undefined ? undefined : minutesOf('--minutes', minutes, minutesMax),
    tries: tries === undefined ? undefined : within('--tries', tries, 1, triesMax),
    askMinutesMax: minutesOf('--ask-minutes', askMinutes, askMinutesDefault),
    taskMinutesMax: minutesOf('--task-minutes', taskMinutes, taskMinutesDefault),
  };
}

async function dryRun(target: CliTarget, { chosen, repository }: Where, out: CommandOutput): Promise<void> {
  const field = { target, repository };
  const merges: { id: string; label: string; branch: string; why_not: string | null }[] = [];
  for await (const { task, whyNot } of approvedTasks(field, chosen))
    merges.push({ id: task.id, label: task.label, branch: task.branch, why_not: whyNot ?? null });
  const found = await allCandidates(field, chosen);
  const tasks = found.map(({ task, goal, whyNot }) => ({
    ...{ id: task.id, label: task.label, goal: goal.name, gate: gateOf(task, goal) ?? null },
    why_not: whyNot ?? null,
  }));
  const leaves = (label: string, why: string): ShownLine => row(span('dim', 'leaves  '), `  ${label}  (${why})`);
  const lines = [
    ...merges.map(({ label, branch, why_not: why }) =>
      why === null ? row(span('green', 'merges  '), `  ${label}  (${branch})`) : leaves(label, why),
    ),
    ...tasks.map(({ label, gate, why_not: why }) =>
      why === null
        ? row(span('green', 'takes   '), `  ${label}  (${gate === null ? 'no gate: for review' : gate})`)
        : leaves(label, why),
    ),
  ];
  out.print({ merges, tasks }, lines.length === 0 ? 'No task of an active goal is in todo.' : lines);
}

async function whyNothing(shop: Workshop, chosen: Chosen): Promise<readonly string[]> {
  const found = await allCandidates(shop, chosen);
  if (found.length === 0) return ['No task of an active goal is in todo.'];
  return found.map(({ task, whyNot }) => `${task.label}: ${whyNot ?? 'no task was begun'}.`);
}

const resultStyles: Readonly<Record<Outcome['result'], Style>> = {
  ...{
    done: 'green',
    review: 'green',
    merged: 'green',
    returned: 'red',
    unmerged: 'red',
    parked: 'yellow',
    stopped: 'yellow',
    taken: 'dim',
  },
};

function outcomeLine({ result, label, says }: Outcome): ShownLine {
  return row(span(resultStyles[result], result.padEnd(8)), `  ${label}: ${says}`);
}

function pausedLine(goal: Goal): ShownLine {
  return row(
    span('yellow', 'paused  '),
    `  ${titleOfGoal(goal)}: ${goal.pause_reason ?? ''} Raise it, then planner goal resume.`,
  );
}

function goalLine(goal: Goal): ShownLine {
  const isGreen = goal.status === 'complete';
  const says = isGreen ? 'complete: its gate is green' : `${goal.status}: its gate is red`;
  return row(span(isGreen ? 'green' : 'red', 'goal    '), `  ${titleOfGoal(goal)} is ${says}`);
}
