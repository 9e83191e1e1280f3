import type { Delta } from '../record/read-transaction.ts';

/** How many changes a collection remembers for `since`. */
const entriesMax = 1 << 16;

/** The ids of changed records of a collection, in order: the basis of versions and `since`. */
export class ChangeLog {
  #version = 0;
  /** The version before the first remembered entry. */
  #floor = 0;
  #ids: string[] = [];

  get version(): number {
    return this.#version;
  }

  add(id: string): void {
    this.#version++;
    this.#ids.push(id);
    // Dropping half at a time makes the amortised cost constant.
    if (this.#ids.length > 2 * entriesMax) {
      this.#floor += entriesMax;
      this.#ids = this.#ids.slice(entriesMax);
    }
  }

  /** Drops all entries after a bulk load, or a change that affects every record. `since` then returns undefined. */
  reset(): void {
    this.#version++;
    this.#floor = this.#version;
    this.#ids = [];
  }

  since(version: number): Delta | undefined {
    if (version < this.#floor || version > this.#version) return undefined;
    return { ids: new Set(this.#ids.slice(version - this.#floor)), version: this.#version };
  }
}
