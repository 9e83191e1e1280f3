import type { Command } from 'commander';
import { PlannerError } from '../../../base/errors.ts';
import { listNamed, meantBy } from '../../../base/named.ts';
import type { Evidence, Goal, VerificationSurface } from '../../../schema/types.ts';
import { addPlanCommand, collect, numberOf, present, usageError } from '../../call/command-line.ts';
import type { CommandOutput } from '../../call/command-line.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { idOf } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { shownIds } from '../../call/short-ids.ts';
import { goalOf, surfaceOf, titleOfGoal } from '../../records/show-goal.ts';
import { taskOf, taskRows } from '../../records/show-task.ts';
import type { ShownTask } from '../../records/show-task.ts';

interface DoneOptions {
  readonly exitCode?: string;
  readonly command?: string;
  readonly detail?: string;
  readonly check?: readonly string[];
  readonly signOff?: string;
}

/** `goal done`: completes a goal on evidence. */
export function addGoalDone(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'done <goal>',
      isChange: true,
      description: 'complete a goal on evidence of its verification; exit code 1 if the evidence is red',
      examples: [
        'goal done "Cook mode" --exit-code "$?" --detail "412 passed"',
        'goal done "Launch" --check "prices" --check "legal"',
        'goal done "New logo" --sign-off "Grace"',
      ],
      options: (command) =>
        command
          .option('--exit-code <number>', 'of a gate: the exit code that it ended with')
          .option('--command <command>', 'of a gate: the command that ran')
          .option('--detail <text>', 'the output of the gate')
          .option('--check <item>', 'of a checklist: an item that is met, or a part of it; repeat for several', collect)
          .option('--sign-off <name>', 'of a sign-off: who approves the result'),
    },
    async ([text], options: DoneOptions, out, target) => {
      const { planner } = target;
      const goal_id = await idOf(target, ['goal'], text);
      const goal = await goalOf(target, goal_id);
      const evidence = evidenceIn(options, surfaceOf(goal));
      try {
        await printCompletion(target, await planner.call('complete_goal', present({ goal_id, evidence })), out);
      } catch (thrown) {
        throw thrown instanceof PlannerError ? await explained(target, goal, thrown) : thrown;
      }
    },
  );
}

async function printCompletion(
  target: CliTarget,
  result: Readonly<Record<string, unknown>>,
  out: CommandOutput,
): Promise<void> {
  const goal = result['goal'] as Goal;
  const remedy = result['remediation_task'] as ShownTask | undefined;
  const title = titleOfGoal(goal);
  if (remedy === undefined) return out.print(result, `${title} is complete.`);
  const shown = await shownIds(target, goal.project_id, [goal.id, remedy.id]);
  out.printNo(result, [
    `${title} is blocked: its verification is red.`,
    { block: goal.last_verification?.detail ?? '' },
    ...(await taskRows(target, [remedy])),
    `To go on: planner task set ${shown(remedy.id)} --status todo, planner goal resume ${shown(goal.id)}, and then planner goal done again.`,
  ]);
}

/** The evidence that the options report; undefined without such options. */
function evidenceIn(options: DoneOptions, surface: VerificationSurface | null): Evidence | undefined {
  const { exitCode, command, detail, check, signOff } = options;
  const given = [
    ...(exitCode === undefined ? [] : ['--exit-code']),
    ...(check === undefined ? [] : ['--check']),
    ...(signOff === undefined ? [] : ['--sign-off']),
  ];
  if (given.length > 1)
    throw usageError(given[1]!, `Evidence is of one kind: ${given.join(' and ')} belong to different ones.`);
  if (exitCode !== undefined)
    return { kind: 'gate_command', exit_code: numberOf(exitCode, '--exit-code')!, ...present({ command, detail }) };
  if (command !== undefined || detail !== undefined)
    throw usageError('--exit-code', '--exit-code is missing: --command and --detail describe the run that it reports.');
  if (check !== undefined) return { kind: 'acceptance_checklist', checked: checkedOf(check, surface) };
  return signOff === undefined ? undefined : { kind: 'human_sign_off', approved_by: signOff };
}

/** The ids of the items that are meant: by id, criterion or a part of it, as records are named. */
function checkedOf(check: readonly string[], surface: VerificationSurface | null): string[] {
  if (surface?.kind !== 'acceptance_checklist') return [...check];
  const items = surface.items.map(({ id, criterion }) => ({ id: id ?? criterion, name: criterion }));
  const met = check.map((text) => {
    const found = meantBy(items, text, { parts: true });
    if (found.length === 1) return found[0]!.id;
    const said = found.length === 0 ? 'is no item of the checklist' : `can mean ${found.length} items`;
    throw usageError('--check', `${JSON.stringify(text)} ${said}: ${listNamed(found.length === 0 ? items : found)}.`);
  });
  // Handed in, it would be red and block the goal.
  const unmet = items.filter(({ id }) => !met.includes(id));
  if (unmet.length > 0)
    throw usageError(
      '--check',
      `The evidence is handed in once every item is met, and nothing was changed. Not named: ${unmet.map(({ name }) => JSON.stringify(name)).join(', ')}.`,
    );
  return met;
}

/** Rewrites an error in the words of this command. */
async function explained(target: CliTarget, goal: Goal, error: PlannerError): Promise<PlannerError> {
  if (error.code === 'blocked_by_incomplete_tasks') {
    const ids = error.details['incomplete_task_ids'] as readonly string[];
    const tasks = await Promise.all(ids.slice(0, shownMax).map((task_id) => taskOf(target, task_id)));
    const shown = await shownIds(target, goal.project_id, ids);
    const named = tasks.map(({ id, label, status }) => `${label} (${shown(id)}, ${status})`);
    const more = ids.length - named.length;
    const listed = `${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
    return new PlannerError(error.code, `${error.message} They are: ${listed}.`, error.details);
  }
  if (error.code !== 'verification_required') return error;
  const needed = `${titleOfGoal(goal)} is completed on evidence. ${neededFor(surfaceOf(goal))}`;
  return new PlannerError(error.code, needed, error.details);
}

/** Open tasks that a message names. */
const shownMax = 10;

/** The missing evidence; never an example that would pass. */
function neededFor(surface: VerificationSurface | null): string {
  switch (surface?.kind) {
    case 'gate_command':
      return `Run its gate, ${surface.command}, and report how it ended: --exit-code <the exit code>.`;
    case 'acceptance_checklist': {
      const items = surface.items.map(({ criterion }) => JSON.stringify(criterion));
      return `Name each item of its checklist that is met, with --check <item>: ${items.join(', ')}.`;
    }
    case 'human_sign_off':
      return 'A person looks at the result and signs: --sign-off <the name of the approver>.';
    case undefined:
      return '';
  }
}
