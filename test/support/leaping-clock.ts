import { type Clock, systemClock, type Timer } from '../../src/base/clock.ts';

/** The system's clock, which a test can put forward: timers that are due by then are called. */
export class LeapingClock implements Clock {
  #aheadMs = 0;
  /** Both times pass alike: a timer is due exactly when the wall clock says so. */
  readonly #offsetMs = systemClock.now() - systemClock.monotonic();
  readonly #pending = new Set<{ readonly due: number; readonly timer: Timer; readonly run: () => void }>();

  now(): number {
    return Math.floor(this.monotonic() + this.#offsetMs);
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#aheadMs;
  }

  after(ms: number, run: () => void): Timer {
    const call = (): void => {
      this.#pending.delete(entry);
      run();
    };
    const entry = { due: this.monotonic() + ms, timer: systemClock.after(ms, call), run: call };
    this.#pending.add(entry);
    const own: Timer = {
      cancel: () => {
        this.#pending.delete(entry);
        entry.timer.cancel();
      },
      unref: () => {
        entry.timer.unref();
        return own;
      },
    };
    return own;
  }

  every(ms: number, run: () => void): Timer {
    return systemClock.every(ms, run);
  }

  sleep(ms: number): void {
    systemClock.sleep(ms);
  }

  leap(ms: number): void {
    this.#aheadMs += ms;
    const now = this.monotonic();
    for (const { due, timer, run } of [...this.#pending]) {
      if (due > now) continue;
      timer.cancel();
      run();
    }
  }
}
