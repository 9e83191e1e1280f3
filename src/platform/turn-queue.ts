import { systemClock } from '../clock.ts';

/** So long the queued work of one turn of the event loop may take: new requests are read between two turns. */
const turnMs = 5;

/** Runs callbacks in their order, a few milliseconds of them in each turn of the event loop. */
export class TurnQueue {
  #queued: (() => void)[] = [];
  #scheduled = false;

  /** Behind what is queued already, or before it. */
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
      // What the callbacks added comes after what was queued before.
      if (done < queued.length) this.#queued = queued.slice(done).concat(this.#queued);
      this.#scheduled = this.#queued.length > 0;
      if (this.#scheduled) setImmediate(() => this.#run());
    }
  }
}
