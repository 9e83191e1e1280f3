import type { Command } from 'commander';
import { PlannerError } from '../../../base/errors.ts';
import type { Goal } from '../../../schema/types.ts';
import { withTarget } from '../../call/cli-target.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { addCommand } from '../../call/command-line.ts';
import type { CommandOutput, CommonOptions } from '../../call/command-line.ts';
import { idOf } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { shownIds } from '../../call/short-ids.ts';
import { allTasks } from '../../records/all-rows.ts';
import { gateOf, goalOf, titleOfGoal } from '../../records/show-goal.ts';
import { taskOf } from '../../records/show-task.ts';
import type { ShownTask } from '../../records/show-task.ts';
import { isApproved } from '../../runner/approved.ts';
import type { BranchedTask } from '../../runner/approved.ts';
import { noteMerge, tailOf } from '../../runner/merge-notes.ts';
import { isRefused, mergeBranch, reasonOf } from '../../runner/merging.ts';
import type { MergeEnd } from '../../runner/merging.ts';
import { isReady } from '../../runner/ready-goals.ts';
import { areBefore, removeMergedBranch } from '../../runner/worktree.ts';
import type { ShownLine } from '../../terminal/style.ts';
import { gateMinutesDefault } from '../../verify/gate.ts';
import { requireRepository } from '../../verify/repository.ts';
import type { Repository } from '../../verify/repository.ts';
import { aroundOf } from '../../verify/subject.ts';

interface MergeOptions extends CommonOptions {
  readonly trust?: boolean;
}

/** `merge`: merges the branch of a task that a person approved, if its gate is green on the result. */
export function addMergeCommand(deps: ProgramDeps, program: Command): void {
  addCommand<MergeOptions, 'merge <task>'>(
    deps,
    program,
    {
      usage: 'merge <task>',
      description:
        'merge the branch of an approved task into the branch that is checked out, if its gate is green on the result; exit code 1 if it was not merged',
      examples: ['merge "Take payments"', 'merge 9q3f --trust'],
      options: (command) =>
        command.option('--trust', 'allow the commands of the plan, as an answer at the terminal does'),
    },
    async ([text], options, out) => {
      const asked = await withTarget(deps, options, (target) => askedOf(deps, target, text));
      const { task, goal, repository, place, setup } = asked;
      if (!isApproved(task)) return out.print({ result: 'already', task }, `Already merged: ${task.label}`);
      const gate = gateOf(task, goal);
      // The plan is closed meanwhile: a gate may take long, and other commands write to it.
      const isTrusted = options.trust === true;
      const ground = { deps, repository, place, setup, isTrusted, gateMinutesMax: gateMinutesDefault };
      const end = await mergeBranch(ground, { task, gate, greenAt: undefined });
      await withTarget(deps, options, async (target) => {
        await noteMerge({ target, repository, setup }, task, end, await deps.owner());
        await say(target, { ...asked, task }, end, out);
      });
    },
  );
}

/** A task to merge, with its goal, repository and place. */
interface Asked {
  readonly task: ShownTask;
  readonly goal: Goal;
  readonly repository: Repository;
  readonly place: string;
  readonly setup: string | undefined;
}

/** The task that is to be merged. Throws unless a person approved it, or it is merged already. */
async function askedOf(deps: ProgramDeps, target: CliTarget, text: string): Promise<Asked> {
  const task = await taskOf(target, await idOf(target, ['task'], text));
  const repository = await requireRepository(deps.workingDirectory, target.root, 'it has no branch to merge into');
  const isMerged =
    task.branch == null && task.commit_refs.length > 0 && (await areBefore(repository.top, task.commit_refs, 'HEAD'));
  if (!isApproved(task) && !isMerged) throw await notApproved(target, task);
  return { task, goal: await goalOf(target, task.goal_id), repository, ...aroundOf(target) };
}

async function notApproved(target: CliTarget, task: ShownTask): Promise<Error> {
  const { id, project_id, label, status, branch, verified_at } = task;
  const shown = (await shownIds(target, project_id, [id]))(id);
  const says = (): string => {
    if (status !== 'done') return `is ${status}: planner merge ${shown} merges it after it is done and approved.`;
    if (branch == null || verified_at != null) return 'has no branch of planner run: git merge merges another one.';
    return `is not approved: planner approve ${shown} approves it, and planner merge ${shown} merges it then.`;
  };
  return new PlannerError('conflict', `${JSON.stringify(label)} ${says()}`);
}

async function say(
  target: CliTarget,
  { task, repository }: Asked & { readonly task: BranchedTask },
  end: MergeEnd,
  out: CommandOutput,
): Promise<void> {
  const { label, branch } = task;
  if (isRefused(end)) {
    const log: readonly ShownLine[] = end.kind === 'red' ? [{ block: tailOf(end.run) }] : [];
    const files = end.kind === 'conflict' || end.kind === 'changed' ? { files: end.files } : {};
    const value = { result: end.kind, ...files, task };
    return out.printNo(value, [`Not merged: ${branch}, since ${reasonOf(end)}.`, ...log]);
  }
  const kept = await removeMergedBranch(repository.top, branch);
  const lines = [
    end.kind === 'merged'
      ? `Merged: ${label} (${branch} into ${end.base.name}, ${end.commit.slice(0, 10)})`
      : `Already merged: ${label}`,
    ...(kept === undefined ? [] : [`${branch} is kept, since ${kept}.`]),
    ...(await nextLines(target, repository, task)),
  ];
  out.print(
    { result: end.kind, commit: end.kind === 'merged' ? end.commit : null, task: await taskOf(target, task.id) },
    lines,
  );
}

/** After the last task of a goal its gate is left to do. */
async function nextLines(
  target: CliTarget,
  { top }: Repository,
  { goal_id, project_id }: ShownTask,
): Promise<readonly string[]> {
  const goal = await goalOf(target, goal_id);
  if (!(await isReady(top, goal, await allTasks(target, { project_id, goal_id })))) return [];
  const shown = (await shownIds(target, project_id, [goal_id]))(goal_id);
  return [`All tasks of ${titleOfGoal(goal)} are done and merged: planner verify ${shown} runs its gate.`];
}
