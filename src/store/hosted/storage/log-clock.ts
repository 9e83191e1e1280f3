import type { Clock, Timer } from '../../../base/clock.ts';

/**
 * The time of the log's server, so that leases end at the same moment on every node, whatever the clocks of their
 * machines say: the time of its last answer, plus the time since by the monotonic clock. It does not step back.
 */
export class LogClock implements Clock {
  readonly #clock: Clock;
  /** The difference to the monotonic clock; undefined until the log has answered. */
  #offset: number | undefined;
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An answer with the server's time has arrived, in milliseconds since the epoch. */
  answered(now: number): void {
    this.#offset = now - this.#clock.monotonic();
  }

  now(): number {
    // The clock of this machine is no bound for the log's.
    if (this.#offset === undefined) return this.#clock.now();
    const now = Math.floor(this.#offset + this.#clock.monotonic());
    this.#last = Math.max(this.#last, now);
    return this.#last;
  }

  /** The log's time less the time of this machine's clock, in milliseconds. */
  get offsetMs(): number {
    return this.now() - this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  after(ms: number, run: () => void): Timer {
    return this.#clock.after(ms, run);
  }

  every(ms: number, run: () => void): Timer {
    return this.#clock.every(ms, run);
  }

  sleep(ms: number): void {
    this.#clock.sleep(ms);
  }
}
