import pLimit, { type LimitFunction } from 'p-limit';

export interface SlotsOptions {
  /** How many run at a time, and how many of them of one source. */
  readonly max: number;
  readonly perSourceMax: number;
}

/** Bounds how many run at a time, in all and of each source. The others wait in their order, in which a source has no more than its share. */
export class Slots {
  readonly #perSourceMax: number;
  readonly #all: LimitFunction;
  readonly #sources = new Map<string, LimitFunction>();

  constructor({ max, perSourceMax }: SlotsOptions) {
    this.#perSourceMax = perSourceMax;
    this.#all = pLimit(max);
  }

  async run<T>(source: string, work: () => Promise<T>): Promise<T> {
    const own = this.#sources.get(source) ?? pLimit(this.#perSourceMax);
    this.#sources.set(source, own);
    try {
      return await own(() => this.#all(work));
    } finally {
      if (own.activeCount + own.pendingCount === 0) this.#sources.delete(source);
    }
  }
}
