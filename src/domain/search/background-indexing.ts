import { inSlices } from '../../slices.ts';
import type { PlannerCollections } from '../records/collections.ts';
import type { DeriveIndex, View } from '../../store/index.ts';
import { BodyIndex } from './body-index.ts';
import { TitleIndexes } from './title-index.ts';

/** The delay after the start, or after a project was opened: what callers wait for comes first. */
const delayMs = 500;

/** An index that is built in steps. */
interface Buildable {
  build(): Iterator<unknown, void> | undefined;
  /** Whether so much changes now that building should wait. */
  mayWait?(): boolean;
}

/**
 * Builds the indexes of a service's projects in the background, in slices: those of titles, so that no search waits for that, and after the
 * first search of a project that of its texts.
 */
export class BackgroundIndexing {
  readonly #missing = new Set<Buildable>();
  #timer: NodeJS.Timeout | undefined;
  #started = false;

  /** Creates the indexes of a project, to be built later. */
  readonly derived: Readonly<Record<string, DeriveIndex>> = {
    titles: (view) => {
      const index = new TitleIndexes(view as unknown as View<PlannerCollections>, (wanting) => this.#add(wanting));
      this.#add(index);
      return index;
    },
    bodies: (view) => new BodyIndex(view as unknown as View<PlannerCollections>, (index) => this.#add(index)),
  };

  start(): void {
    this.#started = true;
    this.#schedule();
  }

  stop(): void {
    this.#started = false;
    clearTimeout(this.#timer);
  }

  #add(index: Buildable): void {
    this.#missing.add(index);
    this.#schedule();
  }

  #schedule(): void {
    if (!this.#started || this.#timer !== undefined || this.#missing.size === 0) return;
    this.#timer = setTimeout(() => void this.#buildAll().then(() => this.#schedule()), delayMs).unref();
  }

  async #buildAll(): Promise<void> {
    for (const index of [...this.#missing]) {
      if (index.mayWait?.() === true) continue;
      // Before it is built: it may be wanted again meanwhile.
      this.#missing.delete(index);
      const steps = index.build();
      if (steps !== undefined) await inSlices('search index', this.#whileStarted(steps));
    }
    this.#timer = undefined;
  }

  *#whileStarted(steps: Iterator<unknown, void>): Generator<unknown, void> {
    for (let next = steps.next(); this.#started && next.done !== true; next = steps.next()) yield next.value;
  }
}
