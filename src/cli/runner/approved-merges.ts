import { gateOf, goalOf } from '../records/show-goal.ts';
import { approvedTasks } from './approved.ts';
import type { BranchedTask } from './approved.ts';
import { baseOf } from './base-branch.ts';
import type { Chosen } from './frontier.ts';
import { noteMerge, wasTried } from './merge-notes.ts';
import { isRefused, mergeBranch, reasonOf } from './merging.ts';
import type { Outcome, Workshop } from './workshop.ts';
import { removeMergedBranch, tipOf } from './worktree.ts';

/** Merges the branches that people approved, as often as it is asked to. */
export class ApprovedMerges {
  readonly #shop: Workshop;
  readonly #chosen: Chosen;
  /** One for each state of a branch and its base. */
  readonly #attempts = new Set<string>();

  constructor(shop: Workshop, chosen: Chosen) {
    this.#shop = shop;
    this.#chosen = chosen;
  }

  /** Merges the branches that can be merged, in the order of the graph. */
  async merge(): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for await (const { task, whyNot } of approvedTasks(this.#shop, this.#chosen))
      if (whyNot === undefined && (await this.#isNew(task))) outcomes.push(await this.#one(task));
    return outcomes;
  }

  /** A conflict and a red gate are in a comment, and stay until the branch or the base moves. */
  async #isNew({ id, label, branch }: BranchedTask): Promise<boolean> {
    const { repository, target, deps } = this.#shop;
    const [base, tip] = [await baseOf(repository.top), await tipOf(repository.top, branch)];
    const attempt = `${id} ${tip} ${base?.commit}`;
    if (this.#attempts.has(attempt)) return false;
    this.#attempts.add(attempt);
    if (base === undefined || tip === undefined) return true;
    if (!(await wasTried(target, id, { base, tip }))) return true;
    deps.notice(`${label}: ${branch} is not merged, as before: neither it nor ${base.name} has moved since.`);
    return false;
  }

  async #one(task: BranchedTask): Promise<Outcome> {
    const { id: task_id, label, branch } = task;
    const { target, repository, deps } = this.#shop;
    const gate = gateOf(task, await goalOf(target, task.goal_id));
    deps.notice(`${label}: merging ${branch}, which is approved`);
    const end = await mergeBranch(this.#shop, { task, gate, greenAt: undefined });
    await noteMerge(this.#shop, task, end, await deps.owner());
    if (isRefused(end)) {
      const says = `${branch} is approved, and not merged: ${reasonOf(end)}`;
      return { task_id, label, branch, result: 'unmerged', commits: [], says };
    }
    const kept = await removeMergedBranch(repository.top, branch);
    const says = `approved and merged${kept === undefined ? '' : `; ${branch} is kept, since ${kept}`}`;
    return { task_id, label, branch, result: 'merged', commits: end.kind === 'merged' ? [end.commit] : [], says };
  }
}
