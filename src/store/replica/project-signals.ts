/** Signals that something of a project may have changed: its id is passed on in a later turn, once for each turn. */
export class ProjectSignals {
  readonly #listeners = new Set<(project: string) => void>();
  readonly #noted = new Set<string>();

  /** Returns the function that removes the listener. */
  add(listener: (project: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  note(project: string): void {
    if (this.#listeners.size === 0) return;
    if (this.#noted.size === 0) setImmediate(() => this.#pass());
    this.#noted.add(project);
  }

  #pass(): void {
    const noted = [...this.#noted];
    this.#noted.clear();
    for (const listener of [...this.#listeners]) for (const project of noted) listener(project);
  }
}
