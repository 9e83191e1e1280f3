/** A bounded queue that serves its sources in turn, so that a source with many items does not delay the others. */
export class FairQueue<T> {
  readonly #max: number;
  readonly #ofSourceMax: number;
  /** The items by source, in the order in which the sources are served next. */
  readonly #bySource = new Map<string, T[]>();
  #length = 0;

  constructor(max: number, ofSourceMax = max) {
    this.#max = max;
    this.#ofSourceMax = ofSourceMax;
  }

  /** Adds an item. Returns false if the queue is full, or has as many of this source as it may. */
  add(source: string, item: T): boolean {
    const items = this.#bySource.get(source) ?? [];
    if (this.#length >= this.#max || items.length >= this.#ofSourceMax) return false;
    this.#bySource.set(source, items);
    items.push(item);
    this.#length++;
    return true;
  }

  /** Takes the next item. `isServed`: whether a source is served now; one that is not keeps its turn. */
  take(isServed: (source: string) => boolean = () => true): T | undefined {
    for (const [source, items] of this.#bySource) {
      if (!isServed(source)) continue;
      const item = items.shift();
      this.#bySource.delete(source);
      if (items.length > 0) this.#bySource.set(source, items);
      this.#length--;
      return item;
    }
    return undefined;
  }

  /** Removes an item that does not wait any longer. */
  delete(source: string, item: T): void {
    const items = this.#bySource.get(source) ?? [];
    const at = items.indexOf(item);
    if (at === -1) return;
    items.splice(at, 1);
    if (items.length === 0) this.#bySource.delete(source);
    this.#length--;
  }

  /** Removes and returns all items. */
  clear(): T[] {
    const items = [...this.#bySource.values()].flat();
    this.#bySource.clear();
    this.#length = 0;
    return items;
  }
}
