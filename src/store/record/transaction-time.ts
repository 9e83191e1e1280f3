import { isoTime, type Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';

/**
 * The time of transactions. The order of records is the order of their times, so a small step back of the clock (a correction over the
 * network) is waited out: time stands still. A large one is followed: a clock that was wrong by years must not stamp records with the future
 * until the service is restarted. Records made before such a step keep their time and sort after those made since.
 */
export class TransactionTime {
  readonly #clock: Clock;
  /** Milliseconds since the epoch. */
  #last = -Infinity;
  #iso = '';

  constructor(clock: Clock) {
    this.#clock = clock;
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
