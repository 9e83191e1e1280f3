import type { RateLimiterMemory } from 'rate-limiter-flexible';

const minuteSeconds = 60;

/** Counts by key in this process. A minute begins with the first count of a key. The library is loaded at the first count. */
export class MinuteCounter {
  readonly #perMinuteMax: number;
  #limiter: Promise<RateLimiterMemory> | undefined;

  constructor(perMinuteMax: number) {
    this.#perMinuteMax = perMinuteMax;
  }

  /** Counts one. Returns the seconds to wait if that exceeds the limit, else undefined. */
  async take(key: string): Promise<number | undefined> {
    const limiter = await this.#open();
    try {
      await limiter.consume(key);
      return undefined;
    } catch (refused) {
      // The library rejects with a plain result if the limit is exceeded, and with an Error if it fails.
      if (refused instanceof Error) throw refused;
      return secondsOf(refused as Waiting);
    }
  }

  /** Counts nothing. Returns the seconds to wait if the next one would exceed the limit, else undefined. */
  async check(key: string): Promise<number | undefined> {
    if (this.#limiter === undefined) return undefined;
    const taken = await (await this.#limiter).get(key);
    return taken !== null && taken.remainingPoints <= 0 ? secondsOf(taken) : undefined;
  }

  #open(): Promise<RateLimiterMemory> {
    return (this.#limiter ??= import('rate-limiter-flexible').then(
      (library) => new library.RateLimiterMemory({ points: this.#perMinuteMax, duration: minuteSeconds }),
    ));
  }
}

interface Waiting {
  readonly msBeforeNext: number;
}

function secondsOf({ msBeforeNext }: Waiting): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}
