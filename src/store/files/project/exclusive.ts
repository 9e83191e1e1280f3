/**
 * Lets one change of a project spread over several turns of the event loop: while it runs, reads and other changes of the project wait, so
 * that none of them sees half of it. Everything else is served.
 */
export class Exclusive {
  #held: Promise<void> | undefined;

  /** Resolves when the change that is being applied is complete; undefined while there is none. Ask again afterwards: another may follow. */
  get held(): Promise<void> | undefined {
    return this.#held;
  }

  async run<T>(change: () => Promise<T>): Promise<T> {
    while (this.#held !== undefined) await this.#held;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    try {
      return await change();
    } finally {
      this.#held = undefined;
      resolve();
    }
  }
}

/** Resolves when none of these is in the middle of a change that is applied in slices. Answers whether it had to wait. */
export async function allComplete(projects: () => Iterable<{ readonly exclusive: Exclusive }>): Promise<boolean> {
  for (let waited = false; ; waited = true) {
    const held = [...projects()].map(({ exclusive }) => exclusive.held).filter((one) => one !== undefined);
    if (held.length === 0) return waited;
    await Promise.all(held);
  }
}
