import { inSlices } from '../../base/slices.ts';
import { planOf } from '../records/declared.ts';
import type { DeriveIndex } from '../../store/index.ts';
import { BodyIndex } from './body-index.ts';
import { TitleIndexes } from './title-index.ts';

/** The delay after the start, or after a project was opened: work that callers wait for comes first. */
const delayMs = 500;

/** Runs the building of a project's index. Does not reject. */
export type RunBuilding = (project: string, build: () => Promise<void>) => Promise<unknown>;

/** An index that is built in steps. */
interface Buildable {
  build(): Iterator<unknown, void> | undefined;
  /** Returns whether the project changes so quickly that building should wait. */
  mayWait?(): boolean;
}

/**
 * Builds the indexes of a service's projects in the background, in slices: title indexes, so that no search waits for
 * them, and a project's index of texts after its first search.
 */
export class BackgroundIndexing {
  /** With their projects. */
  readonly #missing = new Map<Buildable, string>();
  #timer: NodeJS.Timeout | undefined;
  #run: RunBuilding | undefined;

  /** Creates the indexes of a project, to be built later. */
  readonly derived: Readonly<Record<string, DeriveIndex>> = {
    titles: (view) => {
      const add = this.#adding(view.project);
      const index = new TitleIndexes(planOf(view), add);
      add(index);
      return index;
    },
    bodies: (view) => new BodyIndex(planOf(view), this.#adding(view.project)),
  };

  start(run: RunBuilding): void {
    this.#run = run;
    this.#schedule();
  }

  stop(): void {
    this.#run = undefined;
    clearTimeout(this.#timer);
  }

  #adding(project: string): (index: Buildable) => void {
    return (index) => {
      this.#missing.set(index, project);
      this.#schedule();
    };
  }

  #schedule(): void {
    if (this.#run === undefined || this.#timer !== undefined || this.#missing.size === 0) return;
    this.#timer = setTimeout(() => void this.#buildAll().then(() => this.#schedule()), delayMs).unref();
  }

  async #buildAll(): Promise<void> {
    for (const [index, project] of [...this.#missing]) {
      if (index.mayWait?.() === true) continue;
      // Removed before it is built, because it may be requested again during that.
      this.#missing.delete(index);
      await this.#run?.(project, () => this.#build(index));
    }
    this.#timer = undefined;
  }

  async #build(index: Buildable): Promise<void> {
    const steps = index.build();
    if (steps !== undefined) await inSlices('search index', this.#whileStarted(steps));
  }

  *#whileStarted(steps: Iterator<unknown, void>): Generator<unknown, void> {
    for (let next = steps.next(); this.#run !== undefined && next.done !== true; next = steps.next()) yield next.value;
  }
}
