/** A bounded queue that serves its sources in turn, so that a source with many items does not delay the others. */
export class FairQueue<T> {
  readonly #max: number;
  /** In the order in which the sources are served next. */
  readonly #bySource = new Map<string, T[]>();
  #length = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds an item. Returns false if the queue is full. */
  add(source: string, item: T): boolean {
    if (this.#length >= this.#max) return false;
    const items = this.#bySource.get(source) ?? [];
    this.#bySource.set(source, items);
    items.push(item);
    this.#length++;
    return true;
  }

  take(): T | undefined {
    const [first] = this.#bySource;
    if (first === undefined) return undefined;
    const [source, items] = first;
    const item = items.shift();
    this.#bySource.delete(source);
    if (items.length > 0) this.#bySource.set(source, items);
    this.#length--;
    return item;
  }

  /** Removes and returns all items. */
  clear(): T[] {
    const items = [...this.#bySource.values()].flat();
    this.#bySource.clear();
    this.#length = 0;
    return items;
  }
}
