import { isoTime, systemClock } from '../../base/clock.ts';
import type { ShownTask } from '../records/show-task.ts';
import { greenProof, noteMerge } from './merge-notes.ts';
import { isRefused, mergeBranch, reasonOf } from './merging.ts';
import type { MergeEnd } from './merging.ts';
import type { Settles } from './slot-notes.ts';
import type { TaskRun } from './task-run.ts';
import type { Outcome, Workshop } from './workshop.ts';

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

  /** Merges the branch of a green task in the lane auto. Undefined in other lanes. */
  async merge(task: ShownTask, { green }: Settles): Promise<MergeEnd | undefined> {
    if (task.lane !== 'auto' || green === undefined) return undefined;
    const { gate, commit: greenAt } = green;
    return mergeBranch(this.#shop, { task: { ...task, branch: this.#branch }, gate, greenAt });
  }

  /** The task is done: merged, or for review. `task`: as the plan has it now; `end`: how its merge ended. */
  async done(task: ShownTask, { commits, green }: Settles, end: MergeEnd | undefined): Promise<Outcome> {
    const branched = { ...task, branch: this.#branch };
    const refusal = end !== undefined && isRefused(end) ? end : undefined;
    const isMerged = end !== undefined && refusal === undefined;
    const proven = (end?.kind === 'merged' ? end.green : undefined) ?? green;
    const proof = proven === undefined ? {} : { proof: await greenProof(this.#shop, task, proven, this.#agentRef) };
    const verified = isMerged
      ? { verified_at: isoTime(systemClock.now()), verified_ref: `gate green at ${proven!.commit.slice(0, 10)}` }
      : {};
    await this.#shop.target.planner.call('update_task', {
      ...{ task_id: task.id, status: 'done', ...verified, ...proof },
      commit_refs: [...new Set([...task.commit_refs, ...commits])].slice(-50),
      // A person looks at a branch that was not merged, whatever the lane.
      branch: isMerged ? null : this.#branch,
    });
    if (refusal !== undefined) await noteMerge(this.#shop, branched, refusal, this.#agentRef);
    const since = refusal === undefined ? '' : `, since ${reasonOf(refusal)}`;
    const says = isMerged
      ? 'green and merged'
      : `${green === undefined ? 'no gate' : 'green'}: on ${this.#branch}, for review${since}`;
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
    const reason = why?.split('\n', 1)[0];
    await this.run?.end('failed', reason ?? 'The runner was stopped.');
    return this.outcome('returned', commits, reason ?? 'stopped');
  }

  /** Gives the task back of a runner that was stopped. */
  async stopped(commits: readonly string[]): Promise<Outcome> {
    const outcome = await this.returned(commits, undefined);
    return { ...outcome, result: 'stopped', says: 'stopped; what was done is on its branch' };
  }

  /** The task waits for a person, with its run. Its assignee changes, which ends the lease: none but a person gives it to another agent. */
  async parked(commits: readonly string[], question: string, agent_ref: string): Promise<Outcome> {
    await this.#shop.target.planner.call('update_task', { task_id: this.#task.id, assignee: agent_ref });
    const says = `it waits for an answer to ${JSON.stringify(question)}: planner answer ${this.run!.id} <text>`;
    return this.outcome('parked', commits, says);
  }

  /** Ends the run, and changes nothing of a task that is not the runner's any more. */
  async left(commits: readonly string[], why: string): Promise<Outcome> {
    await this.run?.end('failed', sentence(why));
    return this.outcome('taken', commits, why);
  }

  outcome(result: Outcome['result'], commits: readonly string[], says: string): Outcome {
    return { task_id: this.#task.id, label: this.#task.label, result, branch: this.#branch, commits, says };
  }
}

const sentence = (says: string): string => `${says[0]!.toUpperCase()}${says.slice(1)}.`;
