import pLimit from 'p-limit';
import { isoTime, systemClock } from '../../base/clock.ts';
import type { Proof, VerificationSurface } from '../../schema/types.ts';
import type { ShownTask } from '../records/show-task.ts';
import { proofOf } from '../verify/gate.ts';
import { commitNamed } from '../verify/repository.ts';
import type { CommandRun } from '../verify/run-command.ts';
import { putLog } from '../verify/submit.ts';
import type { TaskRun } from './task-run.ts';
import type { Outcome, Workshop } from './workshop.ts';
import { fastForward } from './worktree.ts';
import type { NotMerged } from './worktree.ts';

/** A gate that was green at a commit. */
export interface Green {
  readonly gate: string;
  readonly run: CommandRun;
  readonly head: string;
}

/** How the work on a task ends in the plan. */
export class Settling {
  readonly #shop: Workshop;
  readonly #task: ShownTask;
  readonly #branch: string;
  readonly #agentRef: string;
  /** Undefined until it has started. */
  run: TaskRun | undefined;

  constructor(
    shop: Workshop,
    task: ShownTask,
    { agent_ref, branch }: { readonly agent_ref: string; readonly branch: string },
  ) {
    this.#shop = shop;
    this.#task = task;
    this.#branch = branch;
    this.#agentRef = agent_ref;
  }

  /** The task is done: merged, or for review. `task`: as the plan has it now. */
  async done(task: ShownTask, commits: readonly string[], green: Green | undefined): Promise<Outcome> {
    const { target, repository } = this.#shop;
    const proof = green === undefined ? undefined : await this.#proof(task, green);
    const isAuto = task.lane === 'auto';
    const mayMerge = isAuto && green !== undefined;
    const refusal = mayMerge ? await merging(() => fastForward(repository.top, green.head)) : undefined;
    const isMerged = mayMerge && refusal === undefined;
    const verified = isMerged
      ? { verified_at: isoTime(systemClock.now()), verified_ref: `gate green at ${green.head.slice(0, 10)}` }
      : {};
    // A person looks at a branch that was not merged, whatever the lane.
    const lane = isAuto && !isMerged ? { lane: 'approve' } : {};
    const commit_refs = [...new Set([...task.commit_refs, ...commits])].slice(-50);
    await target.planner.call('update_task', {
      ...{ task_id: task.id, status: 'done', commit_refs, ...verified, ...lane },
      ...(proof === undefined ? {} : { proof }),
    });
    const says = isMerged
      ? 'green and merged'
      : `${green === undefined ? 'no gate' : 'green'}: on ${this.#branch}, for review${refusal === undefined ? '' : `, since ${refusals[refusal]}`}`;
    await this.run?.end('completed', sentence(says));
    return this.outcome(isMerged ? 'done' : 'review', commits, says);
  }

  /** Gives the task back, with the reason as a comment; its branch stays. */
  async returned(commits: readonly string[], why: string | undefined): Promise<Outcome> {
    const { planner } = this.#shop.target;
    const { id: task_id, project_id } = this.#task;
    const kept = commits.length === 0 ? '' : `\n\nIts commits are on the branch ${this.#branch}.`;
    const body = `${why}${kept}`;
    if (why !== undefined)
      await planner.call('add_comment', { project_id, target_type: 'task', target_id: task_id, body });
    await planner.call('update_task', { task_id, status: 'todo', assignee: null });
    await this.run?.end('failed', why?.split('\n', 1)[0] ?? 'The runner was stopped.');
    return this.outcome('returned', commits, why?.split('\n', 1)[0] ?? 'stopped');
  }

  /** Gives the task back of a runner that was stopped. */
  async stopped(commits: readonly string[]): Promise<Outcome> {
    const outcome = await this.returned(commits, undefined);
    return { ...outcome, result: 'stopped', says: 'stopped; what was done is on its branch' };
  }

  /** Ends the run, and changes nothing of a task that is not the runner's any more. */
  async left(commits: readonly string[], why: string): Promise<Outcome> {
    await this.run?.end('failed', sentence(why));
    return this.outcome('taken', commits, why);
  }

  outcome(result: Outcome['result'], commits: readonly string[], says: string): Outcome {
    return { task_id: this.#task.id, label: this.#task.label, result, branch: this.#branch, commits, says };
  }

  async #proof(task: ShownTask, { gate, run, head }: Green): Promise<Proof> {
    const { target, repository, setup } = this.#shop;
    const commit = await commitNamed(repository, head);
    const made = proofOf(run, { ...commit, dirty: false, ran_by: this.#agentRef, setup });
    const surface: VerificationSurface = { kind: 'gate_command', command: gate };
    const subject = { project_id: task.project_id, title: task.label, proof: task.proof ?? undefined, surface };
    return { ...made, log_artifact_id: await putLog(target, subject, made, run) };
  }
}

const sentence = (says: string): string => `${says[0]!.toUpperCase()}${says.slice(1)}.`;

/** One branch at a time is merged: each is compared with the base that the one before it left. */
const merging = pLimit(1);

const refusals: Readonly<Record<NonNullable<NotMerged>, string>> = {
  moved: 'its base has moved on',
  changed: 'files that are not committed are in the way',
  filtered: 'a filter of git would have to run',
  detached: 'no branch is checked out',
};
