interface Kept<V> {
  readonly value: V;
  readonly characters: number;
}

export interface BoundedCacheOptions {
  readonly charactersMax: number;
  /** How many values are kept even if they are too much. Default: 0. */
  readonly valuesMin?: number;
}

/** The values that were kept or read last, up to a number of characters. */
export class BoundedCache<V> {
  readonly #charactersMax: number;
  readonly #valuesMin: number;
  /** The least recently used one is the first. */
  readonly #kept = new Map<string, Kept<V>>();
  #characters = 0;

  constructor({ charactersMax, valuesMin = 0 }: BoundedCacheOptions) {
    this.#charactersMax = charactersMax;
    this.#valuesMin = valuesMin;
  }

  /** The characters of the kept values. */
  get characters(): number {
    return this.#characters;
  }

  has(key: string): boolean {
    return this.#kept.has(key);
  }

  /** Does not count as a use. */
  peek(key: string): V | undefined {
    return this.#kept.get(key)?.value;
  }

  get(key: string): V | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.value;
  }

  keep(key: string, value: V, characters: number): void {
    this.#drop(key);
    this.#kept.set(key, { value, characters });
    this.#characters += characters;
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= this.#charactersMax || this.#kept.size <= this.#valuesMin) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#characters -= kept.characters;
    this.#kept.delete(key);
  }
}
