/** Listeners that are called in a later turn, once for all events of the present turn. */
export class Listeners {
  readonly #listeners = new Set<() => void>();
  #isScheduled = false;

  /** Returns the function that removes it. */
  add(listener: () => void): () => void {
    // A new function each time, since a caller may add one function twice.
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  get size(): number {
    return this.#listeners.size;
  }

  notify(): void {
    if (this.#listeners.size === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      for (const listener of [...this.#listeners]) listener();
    });
  }
}
