const spareMin = 1024;

/**
 * A queue of ids. Ids that are no longer live are skipped lazily and compacted when they outnumber the live ones. (The
 * first key of a Map is no substitute: V8 iterates over every key deleted before it.)
 */
export class Fifo {
  readonly #isLive: (id: string) => boolean;
  #ids: string[] = [];
  #head = 0;

  constructor(isLive: (id: string) => boolean) {
    this.#isLive = isLive;
  }

  /** `live`: an upper bound of the number of live ids. */
  add(id: string, live: number): void {
    this.#ids.push(id);
    if (this.#ids.length > 2 * live + spareMin) this.#compact();
  }

  /** The oldest live id. */
  first(): string | undefined {
    while (this.#head < this.#ids.length && !this.#isLive(this.#ids[this.#head]!)) this.#head++;
    return this.#ids[this.#head];
  }

  #compact(): void {
    this.#ids = this.#ids.slice(this.#head).filter(this.#isLive);
    this.#head = 0;
  }
}
