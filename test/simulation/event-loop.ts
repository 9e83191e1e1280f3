import { systemClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/base/clock.ts';
import { newProjectCode } from '../../src/base/ids.ts';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Random } from '../support/random.ts';
import { Ended } from './service-process.ts';

type Call = (...args: unknown[]) => void;

/**
 * The process runs so many callbacks in one turn of its own event loop, each with its microtasks and the report of
 * rejections: a turn for each would take five times as long.
 */
const orderedTogether = 64;

interface Immediate {
  readonly call: Call;
  readonly args: readonly unknown[];
}

/**
 * The event loop of a simulation. While it runs, this process has no turn that the simulation did not order, reads no
 * system clock and draws no random value but from the seed: `setImmediate`, the clock by which work is sliced, and the
 * source of ids are replaced.
 */
export class EventLoop {
  readonly #immediates: Immediate[] = [];
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #random: Random;
  readonly #original = { setImmediate, monotonic: () => performance.now(), fill: crypto.randomFillSync };
  readonly #onRejection = (error: unknown): void => this.#onError(error);
  /** Resolves the promise of `settle`. */
  #settled: (() => void) | undefined;
  #ordered = 0;
  readonly #onTurn = (): void => {
    this.#ordered--;
    const settled = this.#settled;
    this.#settled = undefined;
    settled?.();
  };
  /** The listeners of the process, which would report rejections of an ended process. */
  #listeners: NodeJS.UnhandledRejectionListener[] = [];
  /** An error that was thrown outside of any call, by which the simulation fails. */
  error: unknown;

  constructor(clock: Pick<Clock, 'monotonic'>, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  begin(): void {
    const replaced = (call: Call, ...args: unknown[]): void => void this.#immediates.push({ call, args });
    globalThis.setImmediate = replaced as unknown as typeof setImmediate;
    (systemClock as { monotonic: () => number }).monotonic = () => this.#clock.monotonic();
    const random = this.#random;
    const drawn = { fills: 0 };
    const fill = <T extends NodeJS.ArrayBufferView>(filled: T): T => {
      const bytes = new DataView(filled.buffer, filled.byteOffset, filled.byteLength);
      for (let i = 0; i < bytes.byteLength; i += 4) bytes.setUint32(i, Math.floor(random.next() * 2 ** 32), true);
      drawn.fills++;
      return filled;
    };
    (crypto as { randomFillSync: unknown }).randomFillSync = fill;
    syncBuiltinESMExports();
    // Values drawn before are used up.
    do newProjectCode();
    while (drawn.fills === 0);
    this.#listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', this.#onRejection);
  }

  end(): void {
    globalThis.setImmediate = this.#original.setImmediate;
    // Callbacks are never dropped: the later tests share the budget of turns, which one of them may end.
    for (const { call, args } of this.#immediates.splice(0))
      this.#original.setImmediate(() => this.run(() => call(...args)));
    (systemClock as { monotonic: () => number }).monotonic = this.#original.monotonic;
    crypto.randomFillSync = this.#original.fill;
    syncBuiltinESMExports();
    process.off('unhandledRejection', this.#onRejection);
    for (const listener of this.#listeners) process.on('unhandledRejection', listener);
  }

  /** Runs callbacks that wait for the next turn, one by one, with their microtasks; new ones too. */
  async drain(): Promise<void> {
    await this.settle();
    for (let next = this.#immediates.shift(); next !== undefined; next = this.#immediates.shift()) {
      this.run(() => next.call(...next.args));
      await this.settle();
    }
  }

  /** Runs one turn of the service. */
  run(turn: () => void): void {
    try {
      turn();
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Resolves when every promise that can go on has gone on, and unhandled rejections are reported. */
  settle(): Promise<void> {
    return new Promise((resolve) => {
      this.#settled = resolve;
      if (this.#ordered > 0) return;
      for (; this.#ordered < orderedTogether; this.#ordered++) this.#original.setImmediate(this.#onTurn);
    });
  }

  #onError(error: unknown): void {
    if (!(error instanceof Ended)) this.error ??= error;
  }
}
