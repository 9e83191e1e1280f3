import type { RateLimiterMemory } from 'rate-limiter-flexible';

const minuteSeconds = 60;

/**
 * Counts by key, in this process and in a minute that begins with the first. The library that counts is loaded when something is counted.
 */
export class MinuteCounter {
  readonly #perMinuteMax: number;
  #limiter: Promise<RateLimiterMemory> | undefined;

  constructor(perMinuteMax: number) {
    this.#perMinuteMax = perMinuteMax;
  }

  /** Counts one. Returns the seconds to wait if it exceeds the limit, else undefined. */
  async take(key: string): Promise<number | undefined> {
    const limiter = await this.#open();
    try {
      await limiter.consume(key);
      return undefined;
    } catch (refused) {
      // What is too many is thrown as a plain result, a failure as an Error.
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
