import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, systemClock, type Timer } from '../../src/base/clock.ts';

/** Between two steps the event loop turns, so that called functions can go on. */
const stepMs = 5;
const diskCalls: ReadonlySet<string> = new Set(['FSReqCallback', 'FSReqPromise']);

/** A call of a real disk takes no time, however long it takes: how much happens until a time is always the same. */
async function settled(): Promise<void> {
  do await turn();
  while (process.getActiveResourcesInfo().some((resource) => diskCalls.has(resource)));
}

/** A clock whose time passes only when a test says so; due timers are called in order. */
export class ManualClock implements Clock {
  #now: number;
  #monotonic = 0;
  /** The timers by the time of the next call, then by age. */
  readonly #timers: ManualTimer[] = [];

  constructor(now = Date.parse('2026-01-01T00:00:00.000Z')) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, run: () => void): Timer {
    return this.#add({ ms, run, repeats: false });
  }

  every(ms: number, run: () => void): Timer {
    return this.#add({ ms, run, repeats: true });
  }

  /** Time passes, and nothing is called: a blocked thread serves no timers. The next advance calls the due timers. */
  sleep(ms: number): void {
    this.#elapse(Math.max(0, ms));
  }

  /** Lets time pass and calls the due timers, each at its time, including new ones for this time. */
  advance(ms: number): void {
    const end = this.#monotonic + ms;
    for (let timer = this.#timers[0]; timer !== undefined && timer.due <= end; timer = this.#timers[0]) {
      this.#timers.shift();
      this.#elapse(Math.max(0, timer.due - this.#monotonic));
      if (timer.repeats) this.#insert(timer.again(this.#monotonic));
      timer.run();
    }
    this.#elapse(Math.max(0, end - this.#monotonic));
  }

  /** Lets time pass in small steps, so that called functions can call and wait in their turn. */
  async pass(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    while (this.#monotonic < end) {
      this.advance(Math.min(stepMs, end - this.#monotonic));
      await settled();
    }
  }

  /** Lets time pass until a check holds, which must be within this time. */
  async until(check: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
    const end = this.#monotonic + withinMs;
    while (!(await check())) {
      if (this.#monotonic >= end) throw new Error(`It did not happen within ${withinMs} ms.`);
      await this.pass(stepMs);
    }
  }

  /** Lets time pass until the work is done. */
  async during<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const end = (): void => void (done = true);
    work.then(end, end);
    await this.until(() => done);
    return work;
  }

  /** Sets the wall clock, as a person or a time server does: timers and durations go by the monotonic time. */
  set(now: number): void {
    this.#now = now;
  }

  /** How long until the next call, or undefined. */
  get nextMs(): number | undefined {
    const next = this.#timers[0];
    return next === undefined ? undefined : Math.max(0, next.due - this.#monotonic);
  }

  /** The number of scheduled timers. */
  get timers(): number {
    return this.#timers.length;
  }

  #elapse(ms: number): void {
    this.#now += ms;
    this.#monotonic += ms;
  }

  #add({ ms, run, repeats }: { ms: number; run: () => void; repeats: boolean }): Timer {
    // As setTimeout does: no call is made in the same turn, and an interval of nothing would never end.
    const timer = new ManualTimer(Math.max(1, ms), run, repeats, (it) => this.#remove(it));
    this.#insert(timer.again(this.#monotonic));
    return timer;
  }

  #insert(timer: ManualTimer): void {
    let at = this.#timers.length;
    while (at > 0 && this.#timers[at - 1]!.due > timer.due) at--;
    this.#timers.splice(at, 0, timer);
  }

  #remove(timer: ManualTimer): void {
    const at = this.#timers.indexOf(timer);
    if (at !== -1) this.#timers.splice(at, 1);
  }
}

class ManualTimer implements Timer {
  readonly run: () => void;
  readonly repeats: boolean;
  readonly #ms: number;
  readonly #remove: (timer: ManualTimer) => void;
  /** When it is called next, by the monotonic time. */
  due = 0;

  constructor(ms: number, run: () => void, repeats: boolean, remove: (timer: ManualTimer) => void) {
    this.run = run;
    this.repeats = repeats;
    this.#ms = ms;
    this.#remove = remove;
  }

  again(now: number): this {
    this.due = now + this.#ms;
    return this;
  }

  cancel(): void {
    this.#remove(this);
  }

  unref(): this {
    return this;
  }
}

/** The system's clock, of which a test can skip a part. */
export interface SkippingClock extends Clock {
  /** Ends grace periods. Timers still take their time, and the wall clock is not moved: files have their times by it. */
  skip(ms: number): void;
}

export function skippingClock(): SkippingClock {
  let skippedMs = 0;
  return {
    ...systemClock,
    monotonic: () => systemClock.monotonic() + skippedMs,
    skip: (ms) => void (skippedMs += ms),
  };
}
