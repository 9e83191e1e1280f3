/** Calls listeners in a later turn with the names of changed collections, once for all changes of the present turn. */
export class ServiceChanges {
  readonly #listeners = new Set<(changed: ReadonlySet<string>) => void>();
  #changed = new Set<string>();

  /** A record of this collection changed, or the `projects` that are served, or the `problems` of files. May be called before the change is durable. */
  note(name: string): void {
    if (this.#listeners.size === 0) return;
    if (this.#changed.size === 0) setImmediate(() => this.#notify());
    this.#changed.add(name);
  }

  /** Returns the function that removes it. */
  add(listener: (changed: ReadonlySet<string>) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #notify(): void {
    const changed = this.#changed;
    this.#changed = new Set();
    for (const listener of [...this.#listeners]) listener(changed);
  }
}
