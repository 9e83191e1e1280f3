import type { Clock, Timer } from '../../../base/clock.ts';

/** A wait that a caller who is in a hurry ends. One wait at a time. */
export class InterruptibleWait {
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #resolve: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after this time, or at `end`. `isBackground`: the process may end during it. */
  begin(ms: number, { isBackground = false } = {}): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#timer = this.#clock.after(ms, resolve);
      if (isBackground) this.#timer.unref();
    });
  }

  /** Ends the wait in progress, if there is one. */
  end(): void {
    this.#timer?.cancel();
    this.#resolve();
  }
}
