interface Entry {
  readonly output: unknown;
  readonly bytes: number;
  /** Milliseconds of the clock; Infinity if the entry does not expire. */
  readonly expiresAt: number;
}

/** Rendered texts by the hash of their source; the least recently used are evicted. */
export class RenderCache {
  readonly #bytesMax: number;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(key: string, now: number): { readonly output: unknown } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.expiresAt <= now) {
      this.#bytes -= entry.bytes;
      return undefined;
    }
    this.#entries.set(key, entry);
    return entry;
  }

  /** An output that would take more than a quarter of the cache is not kept. */
  set(key: string, output: unknown, expiresAt: number): void {
    const bytes = bytesOf(output);
    if (bytes > this.#bytesMax / 4 || this.#entries.has(key)) return;
    this.#entries.set(key, { output, bytes, expiresAt });
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#entries.delete(oldest);
      this.#bytes -= freed;
    }
  }

  get bytes(): number {
    return this.#bytes;
  }
}

/** The approximate size of an output in memory: a string has two bytes per character only if one of them needs two. */
function bytesOf(output: unknown): number {
  const overhead = 200;
  if (typeof output === 'string') return overhead + (/[^\0-\xFF]/.test(output) ? 2 : 1) * output.length;
  return Object.values(output ?? {}).reduce<number>((sum, member) => sum + bytesOf(member), overhead);
}
