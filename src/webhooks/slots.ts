import { Counts } from '../platform/counts.ts';
import { FairQueue } from '../platform/fair-queue.ts';

interface Waiting {
  readonly source: string;
  readonly begin: () => void;
}

export interface SlotsOptions {
  /** How many run at a time, and how many of them of one source. */
  readonly max: number;
  readonly perSourceMax: number;
}

/** Bounds how many run at a time, in all and of each source. The others wait; sources are served in turn. */
export class Slots {
  readonly #options: SlotsOptions;
  readonly #waiting = new FairQueue<Waiting>(Infinity);
  readonly #taken = new Counts();
  #left: number;

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#left = options.max;
  }

  async run<T>(source: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.#waiting.add(source, { source, begin });
      this.#beginNext();
    });
    try {
      return await work();
    } finally {
      this.#count(source, -1);
      this.#beginNext();
    }
  }

  #beginNext(): void {
    const mayRun = (source: string): boolean => this.#taken.of(source) < this.#options.perSourceMax;
    while (this.#left > 0) {
      const next = this.#waiting.take(mayRun);
      if (next === undefined) return;
      this.#count(next.source, 1);
      next.begin();
    }
  }

  #count(source: string, change: 1 | -1): void {
    this.#taken.add(source, change);
    this.#left -= change;
  }
}
