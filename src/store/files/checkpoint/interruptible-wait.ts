import type { Clock, Timer } from '../../../base/clock.ts';

/** A wait that a caller who is in a hurry ends. One wait at a time. */
export class InterruptibleWait {
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #resolve: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after this time, or at `end`. */
  begin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#timer = this.#clock.after(ms, resolve);
    });
  }

  /** Ends the wait in progress, if there is one. */
  end(): void {
    this.#timer?.cancel();
    this.#resolve();
  }
}
