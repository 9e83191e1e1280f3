import { commitNamed } from '../verify/repository.ts';
import type { ShownTask } from '../records/show-task.ts';
import { candidates, overlap } from './frontier.ts';
import type { Candidate } from './frontier.ts';
import { gateOf, requireAllowed, Work } from './work.ts';
import type { Outcome, Workshop } from './work.ts';

/** How much a runner does. */
export interface RunnerLimits {
  readonly parallel: number;
  /** Undefined: all. */
  readonly tasksMax: number | undefined;
  /** Aborted when no further task begins. */
  readonly enough: AbortSignal;
}

/** Which tasks a runner takes. */
export interface Chosen {
  readonly project_id: string;
  readonly goal_id: string | undefined;
}

/** Works the frontier of a goal, or of all active goals, until no task can begin. */
export class Runner {
  readonly #shop: Workshop;
  readonly #chosen: Chosen;
  readonly #limits: RunnerLimits;
  /** A task is tried once by a runner: another attempt is for a person to ask for. */
  readonly #tried = new Set<string>();
  readonly #atWork = new Map<number, { readonly task: ShownTask; readonly done: Promise<Outcome> }>();
  readonly outcomes: Outcome[] = [];

  constructor(shop: Workshop, chosen: Chosen, limits: RunnerLimits) {
    this.#shop = shop;
    this.#chosen = chosen;
    this.#limits = limits;
  }

  async run(): Promise<void> {
    try {
      while (await this.#fill()) this.outcomes.push(await this.#next());
    } finally {
      // A failure in one slot does not cut the others off from their ends.
      for (const { done } of this.#atWork.values())
        await done.then((end) => this.outcomes.push(end)).catch(() => undefined);
    }
  }

  /** Fills the slots. Returns whether something is at work. */
  async #fill(): Promise<boolean> {
    const { parallel, tasksMax = Infinity, enough } = this.#limits;
    while (this.#atWork.size < parallel && !enough.aborted && this.#tried.size < tasksMax) {
      const next = (await this.candidates()).find((one) => this.#isFree(one));
      if (next === undefined) break;
      await this.#begin(next);
    }
    return this.#atWork.size > 0;
  }

  /** The tasks in their order, as the plan and the base are now. */
  async candidates(): Promise<readonly Candidate[]> {
    const { target, repository } = this.#shop;
    const base = (await commitNamed(repository, 'HEAD')).commit;
    return candidates(target, { ...this.#chosen, top: repository.top, base });
  }

  #isFree({ task, whyNot }: Candidate): boolean {
    if (whyNot !== undefined || this.#tried.has(task.id)) return false;
    return ![...this.#atWork.values()].some(({ task: other }) => overlap(task, other));
  }

  async #begin({ task, goal }: Candidate): Promise<void> {
    await requireAllowed(this.#shop, task.project_id, gateOf(task, goal));
    this.#tried.add(task.id);
    let slot = 1;
    while (this.#atWork.has(slot)) slot++;
    const done = new Work(this.#shop, task, goal).begin().finally(() => void this.#atWork.delete(slot));
    // It is awaited below, or after the failure of another one.
    done.catch(() => undefined);
    this.#atWork.set(slot, { task, done });
  }

  #next(): Promise<Outcome> {
    return Promise.race([...this.#atWork.values()].map(({ done }) => done));
  }
}
