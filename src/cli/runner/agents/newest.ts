import type { Clock, Timer } from '../../../base/clock.ts';

/** Shows values that come faster than anyone reads: the first at once, then at most one in a time, the newest. */
export class Newest<T extends object | string> {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #show: (value: T) => void;
  #next: T | undefined;
  #pause: Timer | undefined;

  constructor(clock: Clock, ms: number, show: (value: T) => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#show = show;
  }

  take(value: T): void {
    this.#next = value;
    if (this.#pause === undefined) this.#showNext();
  }

  /** Shows the value that is left, now. */
  end(): void {
    const last = this.drop();
    if (last !== undefined) this.#show(last);
  }

  /** Returns the value that is left in place of showing it. */
  drop(): T | undefined {
    this.#pause?.cancel();
    this.#pause = undefined;
    const last = this.#next;
    this.#next = undefined;
    return last;
  }

  #showNext(): void {
    this.#pause = undefined;
    const value = this.#next;
    if (value === undefined) return;
    this.#next = undefined;
    this.#pause = this.#clock.after(this.#ms, () => this.#showNext());
    this.#show(value);
  }
}
