/** Lets work through until it is closed: closing waits for what is under way, so that nothing happens until it is opened again. */
export class Gate {
  #under = 0;
  #opened: PromiseWithResolvers<void> | undefined;
  #idle: PromiseWithResolvers<void> | undefined;
  #ended = false;

  /** The work is over: whoever stands in a loop of `pass` gets false. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Runs one piece of work once the gate is open. Answers false, having done nothing, when all work is over. */
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

  /** Resolves when nothing is under way. */
  async close(): Promise<void> {
    this.#opened ??= Promise.withResolvers();
    if (this.#under > 0) await (this.#idle ??= Promise.withResolvers()).promise;
    this.#idle = undefined;
  }

  open(): void {
    this.#opened?.resolve();
    this.#opened = undefined;
  }

  /** No more work, also for those that wait. */
  end(): void {
    this.#ended = true;
    this.open();
  }
}
