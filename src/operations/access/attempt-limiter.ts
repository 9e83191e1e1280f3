import { PlannerError } from '../../errors.ts';
import { subscriber } from './guest-limiter.ts';
import { MinuteCounter } from './minute-counter.ts';

/** Counts attempts by network address. */
export class AttemptLimiter {
  readonly #counter: MinuteCounter;

  constructor(perMinuteMax: number) {
    this.#counter = new MinuteCounter(perMinuteMax);
  }

  /** Counts an attempt. Throws `rate_limited`, with the seconds to wait, if it exceeds the limit. */
  async take(address: string | undefined): Promise<void> {
    requireNoWait(await this.#counter.take(keyOf(address)));
  }

  /** Throws `rate_limited` while the address is over the limit. Counts nothing. */
  async check(address: string | undefined): Promise<void> {
    requireNoWait(await this.#counter.check(keyOf(address)));
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
