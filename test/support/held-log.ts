import type { Changes, SharedLog } from '../../src/store/hosted/storage/shared-log.ts';
import type { Append, Appended, CaughtUp, Head, LogTraits } from '../../src/store/record/log.ts';
import type { Release } from '../concurrency/held-journal.ts';

/** A log whose appends can be held before they are sent. */
export class HeldLog implements SharedLog {
  readonly traits: LogTraits;
  readonly #log: SharedLog;
  #gate: PromiseWithResolvers<Release> | undefined;
  #onHeld: () => void = () => undefined;

  constructor(log: SharedLog) {
    this.#log = log;
    this.traits = log.traits;
  }

  /** Holds appends until they are released. `onHeld` is called with each. */
  hold(onHeld: () => void): void {
    this.#gate = Promise.withResolvers();
    this.#onHeld = onHeld;
  }

  /** Sends the held appends, or refuses them, as a log without space does. */
  release(outcome: Release): void {
    this.#gate?.resolve(outcome);
    this.#gate = undefined;
  }

  append(append: Append): Promise<Appended> {
    return this.#sent(() => this.#log.append(append));
  }

  appendTogether(appends: readonly Append[]): Promise<Appended> {
    return this.#sent(() => this.#log.appendTogether(appends));
  }

  catchUp(known: ReadonlyMap<string, Head>): Promise<CaughtUp> {
    return this.#log.catchUp(known);
  }

  changes(mark: string | undefined): Promise<Changes> {
    return this.#log.changes(mark);
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  async #sent(send: () => Promise<Appended>): Promise<Appended> {
    const gate = this.#gate;
    if (gate === undefined) return send();
    this.#onHeld();
    if ((await gate.promise) === 'through') return send();
    return { is: 'refused', why: new Error('There is no space left.'), isUndecided: false };
  }
}
