import { systemClock } from '../../base/clock.ts';
import { PlannerError } from '../../base/errors.ts';
import type { Run } from '../../schema/types.ts';
import type { ShownTask } from '../records/show-task.ts';
import type { Usage } from './agents/agent.ts';
import { Newest } from './agents/newest.ts';
import type { Workshop } from './workshop.ts';
import { diffStat } from './worktree.ts';
import type { TaskWorktree } from './worktree.ts';

/** Usage is written down at most once in this time. */
const usageMs = 3_000;

/** The run of a task in the plan: people see there how its work goes. */
export class TaskRun {
  readonly #shop: Workshop;
  readonly #run: Run;
  readonly #label: string;
  readonly #usage = new Newest<Usage>(systemClock, usageMs, (usage) => this.#write(usage));
  /** One after the other: an older usage never replaces a newer one. */
  #written: Promise<unknown> = Promise.resolve();
  #former: Pick<Run, 'tokens' | 'cost_usd'> = { tokens: null, cost_usd: null };
  #isEnded = false;

  private constructor(shop: Workshop, run: Run, label: string) {
    this.#shop = shop;
    this.#run = run;
    this.#label = label;
  }

  static async start(
    shop: Workshop,
    { id: task_id, project_id, label }: ShownTask,
    by: { readonly agent_ref: string; readonly branch: string },
  ): Promise<TaskRun> {
    const input = { project_id, label, task_id, agent: shop.agent.name, ...by };
    const { run } = await shop.target.planner.call('start_agent_run', input);
    return new TaskRun(shop, run as Run, label);
  }

  /** Goes on with a run that waited for an answer. */
  static async goOn(shop: Workshop, { label }: ShownTask, run_id: string, agent_ref: string): Promise<TaskRun> {
    const { run } = await shop.target.planner.call('update_agent_run', { run_id, agent_ref, agent: shop.agent.name });
    return new TaskRun(shop, run as Run, label);
  }

  get id(): string {
    return this.#run.id;
  }

  /** The answer of a person to a question: undefined while it waits, without a text if it was withdrawn or the run closed. */
  async answerTo(question: string): Promise<{ readonly answer: string | undefined } | undefined> {
    const { run } = await this.#shop.target.planner.call('get_agent_run', { run_id: this.id });
    const { awaiting, events } = run as Run;
    if (awaiting !== null) return undefined;
    return { answer: events.findLast(({ question: of }) => of === question)?.message };
  }

  async say(message: string): Promise<void> {
    const { deps, target } = this.#shop;
    deps.notice(`${this.#label}: ${message}`);
    if (this.#isEnded) return;
    const line = /[?؟？]\s*$/.test(message) ? `${message} …` : message;
    const input = { run_id: this.id, message: line, agent_ref: this.#run.agent_ref };
    // A run may be full, or closed by a person: the work goes on.
    await target.planner.call('record_agent_progress', input).catch((thrown: unknown) => {
      if (!(thrown instanceof PlannerError)) throw thrown;
    });
  }

  /** Shows tokens and cost while the agent works. */
  showUsage(usage: Usage): void {
    if (!this.#isEnded) this.#usage.take(usage);
  }

  /** Adds the usage of another conversation, which begins at zero, to that of the run. */
  countFurther(): void {
    this.#former = this.#run;
  }

  #summed({ tokens, cost_usd: cost }: Usage): Usage {
    const { tokens: formerTokens, cost_usd: formerCost } = this.#former;
    return {
      ...(tokens === undefined ? {} : { tokens: (formerTokens ?? 0) + tokens }),
      ...(cost === undefined ? {} : { cost_usd: (formerCost ?? 0) + cost }),
    };
  }

  #write(usage: Usage): void {
    const { planner } = this.#shop.target;
    const write = (): unknown => planner.call('update_agent_run', { run_id: this.id, ...this.#summed(usage) });
    // The report at the end of the turn has them again.
    this.#written = this.#written.then(write).catch(() => undefined);
  }

  /** Writes down the work at a commit, with its tokens and cost. */
  async report(worktree: TaskWorktree, head: string, commits: readonly string[], usage: Usage): Promise<void> {
    this.#usage.drop();
    await this.#written;
    const diff_stat = await diffStat(worktree, head);
    const input = { run_id: this.id, commits, diff_stat, ...this.#summed(usage) };
    await this.#shop.target.planner.call('update_agent_run', input);
  }

  async end(status: 'completed' | 'failed', message: string): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#usage.end();
    await this.#written;
    const { planner } = this.#shop.target;
    await planner.call('record_agent_progress', { run_id: this.id, message });
    await planner.call('complete_agent_run', { run_id: this.id, status });
  }
}
