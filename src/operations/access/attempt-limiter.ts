import { PlannerError } from '../../base/errors.ts';
import type { RateLimiters } from '../../base/rate-limiters.ts';
import { subscriber } from './guest-limiter.ts';
import { MinuteCounter } from './minute-counter.ts';

/** Counts attempts by network address. */
export class AttemptLimiter {
  readonly #counter: MinuteCounter;

  /** `name`: the attempted action. `limiters`: the limiters that count it; default: in this process. */
  constructor(name: string, perMinuteMax: number, limiters?: RateLimiters) {
    this.#counter = new MinuteCounter(name, perMinuteMax, limiters);
  }

  /** Counts an attempt. Throws `rate_limited`, with the seconds to wait, if it exceeds the limit. */
  async take(address: string | undefined): Promise<void> {
    requireNoWait(await this.#counter.take(keyOf(address)));
  }

  /** Throws `rate_limited` while this process knows that the address has reached the limit. Counts nothing. */
  check(address: string | undefined): void {
    requireNoWait(this.#counter.check(keyOf(address)));
  }
}

function keyOf(address: string | undefined): string {
  return address === undefined ? '' : subscriber(address);
}

function requireNoWait(seconds: number | undefined): void {
  if (seconds === undefined) return;
  throw new PlannerError('rate_limited', `Too many attempts from this address. Try again in ${seconds} s.`, {
    retry_after: seconds,
  });
}
