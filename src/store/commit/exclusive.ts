/**
 * Spreads one change of a project over several turns of the event loop. While it runs, reads and other changes of this
 * project wait, so that they never read a partial change; other projects are served.
 */
export class Exclusive {
  readonly #group: Set<Exclusive> | undefined;
  #held: Promise<void> | undefined;

  /** `group`: it is in there while a change is in progress. */
  constructor(group?: Set<Exclusive>) {
    this.#group = group;
  }

  /**
   * Resolves when the change in progress is complete, or undefined. Check again afterwards: another change may follow.
   */
  get held(): Promise<void> | undefined {
    return this.#held;
  }

  async run<T>(change: () => Promise<T>): Promise<T> {
    while (this.#held !== undefined) await this.#held;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    this.#group?.add(this);
    try {
      return await change();
    } finally {
      this.#held = undefined;
      this.#group?.delete(this);
      resolve();
    }
  }
}

/** Resolves when none of these has a change in progress. Returns whether it had to wait. */
export async function allIdle(all: () => Iterable<Exclusive>): Promise<boolean> {
  for (let waited = false; ; waited = true) {
    const held = [...all()].map((one) => one.held).filter((one) => one !== undefined);
    if (held.length === 0) return waited;
    await Promise.all(held);
  }
}
