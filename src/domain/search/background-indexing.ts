import { inSlices } from '../../slices.ts';
import type { PlannerCollections } from '../records/collections.ts';
import type { DeriveIndex, View } from '../../store/index.ts';
import { TitleIndex } from './title-index.ts';

/** The delay after the start, or after a project was opened: what callers wait for comes first. */
const delayMs = 500;

/** Builds the title indexes of a service's projects in the background, in slices, so that the first search does not wait for that. */
export class BackgroundIndexing {
  readonly #missing = new Set<TitleIndex>();
  #timer: NodeJS.Timeout | undefined;
  #started = false;

  /** Creates the index of a project, to be built later. */
  readonly derive: DeriveIndex = (view) => {
    const index = new TitleIndex(view as unknown as View<PlannerCollections>);
    this.#missing.add(index);
    this.#schedule();
    return index;
  };

  start(): void {
    this.#started = true;
    this.#schedule();
  }

  stop(): void {
    this.#started = false;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (!this.#started || this.#timer !== undefined || this.#missing.size === 0) return;
    this.#timer = setTimeout(() => void this.#buildAll().then(() => this.#schedule()), delayMs).unref();
  }

  async #buildAll(): Promise<void> {
    for (const index of this.#missing) {
      const steps = index.build();
      if (steps !== undefined) await inSlices('title index', this.#whileStarted(steps));
      this.#missing.delete(index);
    }
    this.#timer = undefined;
  }

  *#whileStarted(steps: Iterator<unknown, void>): Generator<undefined, void> {
    while (this.#started && steps.next().done !== true) yield;
  }
}
