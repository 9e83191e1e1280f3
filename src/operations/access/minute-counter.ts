import { systemClock } from '../../base/clock.ts';
import { limitersInProcess, type RateLimiter, type RateLimiters } from '../../base/rate-limiters.ts';

const minuteSeconds = 60;
/** From this number of keys on, those are removed whose minute is over. */
const fullSweptAt = 1000;

/** Counts by key. A minute begins with the first count of a key. */
export class MinuteCounter {
  readonly #name: string;
  readonly #perMinuteMax: number;
  readonly #limiters: RateLimiters;
  #limiter: Promise<RateLimiter> | undefined;
  /** Until when keys have used up their minute, as far as this process knows (monotonic, in milliseconds). */
  readonly #fullUntil = new Map<string, number>();

  /** `name`: the counted action; counters of one name and one place count together. */
  constructor(name: string, perMinuteMax: number, limiters: RateLimiters = limitersInProcess) {
    this.#name = name;
    this.#perMinuteMax = perMinuteMax;
    this.#limiters = limiters;
  }

  /** Counts one. Returns the seconds to wait if that exceeds the limit, else undefined. */
  async take(key: string): Promise<number | undefined> {
    const seconds = this.check(key);
    if (seconds !== undefined) return seconds;
    this.#limiter ??= this.#limiters.make({ name: this.#name, points: this.#perMinuteMax, seconds: minuteSeconds });
    const limiter = await this.#limiter;
    try {
      const { remainingPoints, msBeforeNext } = await limiter.consume(key);
      if (remainingPoints <= 0) this.#noteFull(key, msBeforeNext);
      return undefined;
    } catch (refused) {
      // The library rejects with a plain result if the limit is exceeded, and with an Error if it fails.
      if (refused instanceof Error) throw refused;
      this.#noteFull(key, (refused as { readonly msBeforeNext: number }).msBeforeNext);
      return this.check(key) ?? 1;
    }
  }

  /** Counts nothing. Returns the seconds to wait if this process knows that the next one would exceed the limit, else undefined. */
  check(key: string): number | undefined {
    const ms = (this.#fullUntil.get(key) ?? 0) - systemClock.monotonic();
    return ms > 0 ? Math.ceil(ms / 1000) : undefined;
  }

  #noteFull(key: string, ms: number): void {
    const now = systemClock.monotonic();
    if (this.#fullUntil.size >= fullSweptAt)
      for (const [one, until] of this.#fullUntil) if (until <= now) this.#fullUntil.delete(one);
    this.#fullUntil.set(key, now + ms);
  }
}
