import { isoTime, type Clock } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';

/**
 * The time of transactions. Records are ordered by time, so time does not advance while the clock is slightly behind (a
 * correction over the network). A large step back is followed: a clock that was wrong by years must not give records
 * future times until the service is restarted. Records from before such a step keep their time and sort after later
 * ones. The same holds over a restart: the entries of each log have ascending times.
 */
export class TransactionTime {
  readonly #clock: Clock;
  /** Milliseconds since the epoch. */
  #last = -Infinity;
  #iso = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Continues after an entry that another opening, or another node, appended at this time: later times are greater,
   * since ids of one millisecond ascend in one process only.
   */
  continueAfter(at: string): void {
    const next = Date.parse(at) + 1;
    if (!(next > this.#last) || isLargeStepBack(this.#clock.now(), next)) return;
    this.#last = next;
    this.#iso = isoTime(next);
  }

  now(): string {
    const now = this.#clock.now();
    if (now > this.#last || isLargeStepBack(now, this.#last)) {
      this.#last = now;
      this.#iso = isoTime(now);
    }
    return this.#iso;
  }
}

function isLargeStepBack(now: number, last: number): boolean {
  return last - now > limits.clockStepBackSecondsMax * 1000;
}
