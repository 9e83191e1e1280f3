import { delay, systemClock } from '../../base/clock.ts';
import type { Goal } from '../../schema/types.ts';
import { gateOf } from '../records/show-goal.ts';
import type { ShownTask } from '../records/show-task.ts';
import { ApprovedMerges } from './approved-merges.ts';
import { candidates, overlap } from './frontier.ts';
import type { Candidate, Chosen } from './frontier.ts';
import { takeAnswered } from './recover-slots.ts';
import { Work } from './work.ts';
import { requireAllowed } from './workshop.ts';
import type { Outcome, Workshop } from './workshop.ts';

const approvalPollMs = 3_000;

/** How much a runner does. */
export interface RunnerLimits {
  readonly parallel: number;
  /** Undefined: all. */
  readonly tasksMax: number | undefined;
  /** Aborted when no further task begins. */
  readonly enough: AbortSignal;
}

/** Works the frontier of a goal, or of all active goals, until no task can begin. */
export class Runner {
  readonly #shop: Workshop;
  readonly #chosen: Chosen;
  readonly #limits: RunnerLimits;
  /** A task is tried once by a runner: another attempt is for a person to ask for. */
  readonly #tried = new Set<string>();
  readonly #atWork = new Set<{ readonly task: ShownTask; readonly done: Promise<Outcome> }>();
  readonly #approved: ApprovedMerges;
  readonly outcomes: Outcome[] = [];
  /** Goals whose budget is used up. */
  readonly paused: Goal[] = [];

  constructor(shop: Workshop, chosen: Chosen, limits: RunnerLimits) {
    this.#shop = shop;
    this.#chosen = chosen;
    this.#limits = limits;
    this.#approved = new ApprovedMerges(shop, chosen);
  }

  async run(): Promise<void> {
    try {
      while (await this.#fill()) this.outcomes.push(...(await this.#next()));
    } finally {
      // A failure in one slot does not cut the others off from their ends.
      for (const { done } of this.#atWork) await done.then((end) => this.outcomes.push(end)).catch(() => undefined);
    }
  }

  /** The tasks that were begun: one that another agent was faster to claim does not count. */
  get #begun(): number {
    return this.#tried.size - this.outcomes.filter(({ result }) => result === 'taken').length;
  }

  /** Fills the slots. Returns whether something is at work. */
  async #fill(): Promise<boolean> {
    // A merge may let further tasks begin.
    if (!this.#limits.enough.aborted) this.outcomes.push(...(await this.#approved.merge()));
    const { parallel, tasksMax = Infinity, enough } = this.#limits;
    while (this.#atWork.size < parallel && !enough.aborted && this.#begun < tasksMax) {
      if (await this.#goOn()) continue;
      const next = await this.#nextCandidate();
      if (next === undefined) break;
      await this.#begin(next);
    }
    return this.#atWork.size > 0;
  }

  async #nextCandidate(): Promise<Candidate | undefined> {
    const atWork = Array.from(this.#atWork, ({ task }) => task);
    for await (const one of candidates({ ...this.#shop, atWork }, this.#chosen)) {
      if (one.usedUp !== undefined) await this.#pause(one.goal, `Its ${one.usedUp}.`);
      else if (this.#isFree(one)) return one;
    }
    return undefined;
  }

  async #pause({ id: goal_id }: Goal, reason: string): Promise<void> {
    if (this.paused.some(({ id }) => id === goal_id)) return;
    const { goal } = await this.#shop.target.planner.call('pause_goal', { goal_id, reason });
    this.paused.push(goal as Goal);
  }

  /** Goes on with a task that waited for an answer, and has got it. Returns whether there is one. */
  async #goOn(): Promise<boolean> {
    const answered = await takeAnswered(this.#shop, this.#chosen);
    if (answered === undefined) return false;
    const { note, notes, ...taken } = answered;
    await requireAllowed(this.#shop, note.project_id, gateOf(taken.task, taken.goal));
    this.#work(taken.task, Work.goOn(this.#shop, taken, note, notes));
    return true;
  }

  #isFree({ task, whyNot }: Candidate): boolean {
    if (whyNot !== undefined || this.#tried.has(task.id)) return false;
    return ![...this.#atWork].some(({ task: other }) => overlap(task, other));
  }

  async #begin({ task, goal }: Candidate): Promise<void> {
    await requireAllowed(this.#shop, task.project_id, gateOf(task, goal));
    this.#work(task, Work.begin(this.#shop, { task, goal }));
  }

  #work(task: ShownTask, done: Promise<Outcome>): void {
    this.#tried.add(task.id);
    // It is awaited below, or after the failure of another one.
    done.catch(() => undefined);
    this.#atWork.add({ task, done });
  }

  /**
   * The outcome of the next task that ends; none after a while, in which a person may have approved a task. One that ends while slots are
   * filled keeps its slot until its outcome is taken here.
   */
  async #next(): Promise<readonly Outcome[]> {
    const passed = new AbortController();
    const ends = Array.from(this.#atWork, (work) => {
      const itself = (): typeof work => work;
      return work.done.then(itself, itself);
    });
    const pause = delay(systemClock, approvalPollMs, passed.signal).then(
      () => undefined,
      () => undefined,
    );
    const ended = await Promise.race([...ends, pause]);
    passed.abort();
    if (ended === undefined) return [];
    this.#atWork.delete(ended);
    return [await ended.done];
  }
}
