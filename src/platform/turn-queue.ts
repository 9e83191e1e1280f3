import { systemClock } from '../base/clock.ts';

/** The time budget of queued work per turn of the event loop: new requests are read between two turns. */
const turnMs = 5;

/** Runs callbacks in order, a few milliseconds of them in each turn of the event loop. */
export class TurnQueue {
  #queued: (() => void)[] = [];
  #scheduled = false;

  /** Adds a callback at the end of the queue, or at its front. */
  add(callback: () => void, where: 'behind' | 'before' = 'behind'): void {
    if (where === 'before') this.#queued.unshift(callback);
    else this.#queued.push(callback);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#run());
  }

  #run(): void {
    const queued = this.#queued;
    this.#queued = [];
    const end = systemClock.monotonic() + turnMs;
    let done = 0;
    try {
      do queued[done++]!();
      while (done < queued.length && systemClock.monotonic() < end);
    } finally {
      // Callbacks that were added in between follow the earlier queued ones.
      if (done < queued.length) this.#queued = queued.slice(done).concat(this.#queued);
      this.#scheduled = this.#queued.length > 0;
      if (this.#scheduled) setImmediate(() => this.#run());
    }
  }
}
