import type { Clock, Timer } from '../../base/clock.ts';
import { limitersInProcess, type RateLimiter, type RateLimiters } from '../../base/rate-limiters.ts';

const daySeconds = 86_400;
/** The interval at which a process adds its counts to the shared counts. */
const addedMs = 1000;
/** The time for which it relies on the shared counts. */
const knownMs = 10_000;

/** The bytes that a key has written within its day, which ends after so many milliseconds. */
export interface Written {
  readonly bytes: number;
  readonly msBeforeNext: number;
}

export interface DailyBytesOptions {
  readonly bytesMax: number;
  readonly clock: Clock;
  readonly limiters?: RateLimiters | undefined;
}

interface Known extends Written {
  /** Monotonic, in milliseconds. */
  readonly at: number;
}

/**
 * The bytes of each key within a day. Nodes that count in one place know of each other's within ten seconds: no write waits
 * for it.
 */
export class DailyBytes {
  readonly #options: DailyBytesOptions;
  readonly #limiters: RateLimiters;
  #limiter: Promise<RateLimiter> | undefined;
  readonly #known = new Map<string, Known>();
  readonly #unadded = new Map<string, number>();
  #timer: Timer | undefined;

  constructor(options: DailyBytesOptions) {
    this.#options = options;
    this.#limiters = options.limiters ?? limitersInProcess;
  }

  /** Undefined if the key has written nothing. */
  async of(key: string): Promise<Written | undefined> {
    const { isShared } = this.#limiters;
    if (!isShared && this.#limiter === undefined) return undefined;
    const { clock } = this.#options;
    let known = isShared ? this.#known.get(key) : undefined;
    if (known === undefined || clock.monotonic() - known.at >= knownMs) {
      const found = await (await this.#open()).get(key);
      known = this.#note(key, found ?? { consumedPoints: 0, msBeforeNext: daySeconds * 1000 });
    }
    const bytes = known.bytes + (this.#unadded.get(key) ?? 0);
    return bytes === 0 ? undefined : { bytes, msBeforeNext: known.msBeforeNext };
  }

  async add(key: string, bytes: number): Promise<void> {
    if (!this.#limiters.isShared) {
      await (await this.#open()).penalty(key, bytes);
      return;
    }
    this.#unadded.set(key, (this.#unadded.get(key) ?? 0) + bytes);
    this.#timer ??= this.#options.clock.after(addedMs, () => void this.#addAll()).unref();
  }

  async #addAll(): Promise<void> {
    this.#timer = undefined;
    const limiter = await this.#open();
    for (const [key, bytes] of [...this.#unadded]) {
      const added = await limiter.penalty(key, bytes);
      this.#unadded.set(key, this.#unadded.get(key)! - bytes);
      if (this.#unadded.get(key) === 0) this.#unadded.delete(key);
      this.#note(key, added);
    }
  }

  #note(key: string, { consumedPoints, msBeforeNext }: { consumedPoints: number; msBeforeNext: number }): Known {
    const known = { bytes: consumedPoints, msBeforeNext, at: this.#options.clock.monotonic() };
    if (this.#limiters.isShared) this.#known.set(key, known);
    return known;
  }

  #open(): Promise<RateLimiter> {
    const { bytesMax } = this.#options;
    return (this.#limiter ??= this.#limiters.make({ name: 'bytes', points: bytesMax, seconds: daySeconds }));
  }
}
