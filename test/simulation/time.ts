import type { Clock, Timer } from '../../src/base/clock.ts';
import { collectGarbage } from '../../src/platform/collect-garbage.ts';

class Due implements Timer {
  readonly at: number;
  /** The order of scheduling, which decides among timers that are due at the same time. */
  readonly order: number;
  readonly run: () => void;
  isCancelled = false;

  constructor(at: number, order: number, run: () => void) {
    this.at = at;
    this.order = order;
    this.run = run;
  }

  cancel(): void {
    this.isCancelled = true;
  }

  unref(): Timer {
    return this;
  }
}

/** The due timers by time: a binary heap. */
class Agenda {
  readonly #heap: Due[] = [];

  get first(): Due | undefined {
    while (this.#heap[0]?.isCancelled === true) this.#take();
    return this.#heap[0];
  }

  add(due: Due): void {
    const heap = this.#heap;
    let at = heap.push(due) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(due, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = due;
  }

  take(): Due | undefined {
    return this.first === undefined ? undefined : this.#take();
  }

  #take(): Due | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++;
      if (below >= heap.length || !isBefore(heap[below]!, last)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** The wall clock at the beginning of a simulation: 2026-01-01. */
const epoch = 1_767_225_600_000;

/**
 * The time of a simulation, in milliseconds: it passes only when something is due, or when a call takes time. The
 * service's work is due in a separate turn; other programs change the files also while the service is in a call of the
 * disk.
 */
export class SimulatedTime {
  readonly #turns = new Agenda();
  readonly #others = new Agenda();
  #order = 0;
  #monotonic = 0;
  #offset = epoch;
  /** True while another program's turn runs: it takes no time. */
  #isPassing = false;

  monotonic(): number {
    return this.#monotonic;
  }

  /** The wall clock, which can be set. */
  now(): number {
    return this.#offset + this.#monotonic;
  }

  /** Sets the wall clock. */
  jump(ms: number): void {
    this.#offset += ms;
  }

  /** Calls `run` in a turn of the service's event loop. */
  after(ms: number, run: () => void): Timer {
    return this.#add(this.#turns, ms, run);
  }

  /** Calls `run` at that time exactly, as another process does. */
  beside(ms: number, run: () => void): Timer {
    return this.#add(this.#others, ms, run);
  }

  #add(agenda: Agenda, ms: number, run: () => void): Timer {
    const due = new Due(this.#monotonic + Math.max(0, ms), this.#order++, run);
    agenda.add(due);
    return due;
  }

  /** Time passes while the service blocks: other programs continue. */
  pass(ms: number): void {
    if (this.#isPassing) return;
    const until = this.#monotonic + Math.max(0, ms);
    this.#isPassing = true;
    try {
      for (let next = this.#others.first; next !== undefined && next.at <= until; next = this.#others.first) {
        this.#others.take();
        this.#monotonic = Math.max(this.#monotonic, next.at);
        next.run();
      }
    } finally {
      this.#isPassing = false;
    }
    this.#monotonic = until;
  }

  /** Runs the next due timer, if it is before a time. Returns false without one. */
  turn(before: number, run: (turn: () => void) => void): boolean {
    const [turn, other] = [this.#turns.first, this.#others.first];
    const next = turn === undefined || (other !== undefined && isBefore(other, turn)) ? other : turn;
    if (next === undefined || next.at > before) return false;
    this.pass(next.at - this.#monotonic);
    if (next === turn) run(this.#turns.take()!.run);
    return true;
  }
}

/** The clock of a process: its timers end with it. */
export class ProcessClock implements Clock {
  readonly #time: SimulatedTime;
  readonly #isAlive: () => boolean;

  constructor(time: SimulatedTime, isAlive: () => boolean) {
    this.#time = time;
    this.#isAlive = isAlive;
  }

  now(): number {
    return Math.floor(this.#time.now());
  }

  monotonic(): number {
    return this.#time.monotonic();
  }

  after(ms: number, run: () => void): Timer {
    // The call would collect the simulation's garbage.
    if (run === collectGarbage) return timerOf(() => undefined);
    return this.#time.after(Math.max(1, ms), () => this.#isAlive() && run());
  }

  every(ms: number, run: () => void): Timer {
    const again = (): void => {
      timer = this.after(ms, again);
      run();
    };
    let timer = this.after(ms, again);
    return timerOf(() => timer.cancel());
  }

  sleep(ms: number): void {
    this.#time.pass(ms);
  }
}

function timerOf(cancel: () => void): Timer {
  const timer: Timer = { cancel, unref: () => timer };
  return timer;
}
