/**
 * Lets work pass until it is closed: closing waits for work in progress, so that nothing happens until it is opened
 * again.
 */
export class Gate {
  #under = 0;
  #opened: PromiseWithResolvers<void> | undefined;
  #idle: PromiseWithResolvers<void> | undefined;
  #ended = false;

  /** True after the end: loops of `pass` then return false. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Runs one piece of work once the gate is open. Returns false, without running it, after the end. */
  async pass(work: () => Promise<unknown>): Promise<boolean> {
    while (this.#opened !== undefined) await this.#opened.promise;
    if (this.#ended) return false;
    this.#under++;
    try {
      await work();
    } finally {
      this.#under--;
      if (this.#under === 0) this.#idle?.resolve();
    }
    return true;
  }

  /** Resolves when no work is in progress. */
  async close(): Promise<void> {
    this.#opened ??= Promise.withResolvers();
    if (this.#under > 0) await (this.#idle ??= Promise.withResolvers()).promise;
    this.#idle = undefined;
  }

  open(): void {
    this.#opened?.resolve();
    this.#opened = undefined;
  }

  /** Ends all work, including waiting work. */
  end(): void {
    this.#ended = true;
    this.open();
  }
}
