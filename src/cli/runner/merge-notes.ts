import type { Comment, Proof, VerificationSurface } from '../../schema/types.ts';
import type { CliTarget } from '../call/cli-target.ts';
import { allRows } from '../records/all-rows.ts';
import type { ShownTask } from '../records/show-task.ts';
import { codeBlock, outputBlock } from '../verify/code-block.ts';
import { proofOf } from '../verify/gate.ts';
import { commitNamed } from '../verify/repository.ts';
import type { CommandRun } from '../verify/run-command.ts';
import { putLog } from '../verify/submit.ts';
import type { BranchedTask } from './approved.ts';
import { reasonOf } from './merging.ts';
import type { AtCommits, Green, MergeEnd } from './merging.ts';
import type { Workshop } from './workshop.ts';

/** Where the plan and its proofs are. */
type Around = Pick<Workshop, 'target' | 'repository' | 'setup'>;

/** Writes down in the plan how a merge ended: the task has no branch any more, or a person reads why it was not merged. */
export async function noteMerge(around: Around, task: BranchedTask, end: MergeEnd, ran_by: string): Promise<void> {
  const { planner } = around.target;
  if (end.kind === 'merged' || end.kind === 'already') {
    const proof =
      end.kind === 'merged' && end.green !== undefined ? await greenProof(around, task, end.green, ran_by) : undefined;
    await planner.call('update_task', { task_id: task.id, branch: null, ...(proof === undefined ? {} : { proof }) });
    return;
  }
  if (end.kind !== 'conflict' && end.kind !== 'red') return;
  if (await wasTried(around.target, task.id, end)) return;
  const log = end.kind === 'red' ? redBlocks(end) : [];
  const body = [
    `The branch ${task.branch} was not merged: ${reasonOf(end)}.`,
    ...log,
    `Correct it on the branch, or send the task back. ${triedText(end)}`,
  ].join('\n\n');
  const comment = { project_id: task.project_id, target_type: 'task', target_id: task.id, body };
  await planner.call('add_comment', comment);
}

/** Returns whether a comment says of a task that it could not be merged at these commits. */
export async function wasTried(target: CliTarget, task_id: string, at: AtCommits): Promise<boolean> {
  const comments = await allRows<Comment>(target, 'list_task_comments', 'comments', { task_id });
  return comments.some(({ body }) => body.includes(triedText(at)));
}

function triedText({ base, tip }: AtCommits): string {
  return `It was tried with ${tip.slice(0, 12)} on ${base.commit.slice(0, 12)}.`;
}

const tailCharactersMax = 4_000;

/** The end of the output of a command. */
export function tailOf({ output }: CommandRun): string {
  return output.text.trimEnd().slice(-tailCharactersMax);
}

/** A gate that is red, and the end of its output, in Markdown. */
export function redBlocks({ gate, run }: Pick<Green, 'gate' | 'run'>): readonly string[] {
  return [codeBlock(gate), outputBlock(tailOf(run))];
}

/** The proof of a green gate of a task, with its output as an artifact. */
export async function greenProof(
  { target, repository, setup }: Around,
  { id, project_id, label: title, proof: former }: ShownTask,
  { gate, run, commit }: Green,
  ran_by: string,
): Promise<Proof> {
  const made = proofOf(run, { ...(await commitNamed(repository, commit)), dirty: false, ran_by, setup });
  const surface: VerificationSurface = { kind: 'gate_command', command: gate };
  const subject = { id, project_id, title, proof: former ?? undefined, surface };
  return { ...made, log_artifact_id: await putLog(target, subject, made, run) };
}
