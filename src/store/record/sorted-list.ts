/** Chunks are split at this many items: adding to 100,000 items moves a few hundred references at most. */
const chunkItemsMax = 512;

/**
 * A set of items in the order of a comparator: adding, removing and searching cost the logarithm of the size plus one
 * chunk. Items that compare as equal are the same item. Iterations are correct under concurrent changes.
 */
export class SortedList<T> {
  readonly #compare: (a: T, b: T) => number;
  /** Never contains an empty chunk. */
  readonly #chunks: T[][] = [];
  #size = 0;
  /** Counts changes, so that an iteration notices that its position has moved. */
  #changes = 0;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  /** Creates a list from sorted items of which no two are equal. */
  static from<T>(sorted: readonly T[], compare: (a: T, b: T) => number): SortedList<T> {
    const list = new SortedList(compare);
    // Half-full chunks leave space, so that the first additions split nothing.
    const step = chunkItemsMax / 2;
    for (let start = 0; start < sorted.length; start += step) list.#chunks.push(sorted.slice(start, start + step));
    list.#size = sorted.length;
    return list;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds an item, replacing an equal one. Returns whether it is new. */
  add(item: T): boolean {
    this.#changes++;
    const last = this.#chunks.at(-1);
    // Most new records are the last ones.
    if (last === undefined || this.#compare(last.at(-1) as T, item) < 0) {
      if (last === undefined || last.length >= chunkItemsMax) this.#chunks.push([item]);
      else last.push(item);
      this.#size++;
      return true;
    }
    const at = this.#chunkOf(item);
    const chunk = this.#chunks[at]!;
    const place = this.#placeIn(chunk, item);
    const there = chunk[place];
    if (place < chunk.length && this.#compare(there as T, item) === 0) {
      chunk[place] = item;
      return false;
    }
    chunk.splice(place, 0, item);
    if (chunk.length > chunkItemsMax) this.#chunks.splice(at + 1, 0, chunk.splice(chunkItemsMax / 2));
    this.#size++;
    return true;
  }

  /** Removes the item that is equal to `item`. Returns whether there was one. */
  delete(item: T): boolean {
    const at = this.#chunkOf(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return false;
    const place = this.#placeIn(chunk, item);
    if (this.#compare(chunk[place] as T, item) !== 0) return false;
    this.#changes++;
    chunk.splice(place, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
    this.#size--;
    return true;
  }

  has(item: T): boolean {
    const chunk = this.#chunks[this.#chunkOf(item)];
    return chunk !== undefined && this.#compare(chunk[this.#placeIn(chunk, item)] as T, item) === 0;
  }

  /** The number of items before `item`, which need not be in the list. */
  rank(item: T): number {
    const at = this.#chunkOf(item);
    let before = 0;
    for (let i = 0; i < at; i++) before += this.#chunks[i]?.length ?? 0;
    const chunk = this.#chunks[at];
    return chunk === undefined ? before : before + this.#placeIn(chunk, item);
  }

  /** The first item, if any. */
  first(): T | undefined {
    return this.#chunks[0]?.[0];
  }

  /** The last item before `item`, which need not be in the list; without `item` the last of all. */
  before(item?: T): T | undefined {
    const at = item === undefined ? this.#chunks.length : this.#chunkOf(item);
    const place = item === undefined || this.#chunks[at] === undefined ? 0 : this.#placeIn(this.#chunks[at], item);
    return place > 0 ? this.#chunks[at]![place - 1] : this.#chunks[at - 1]?.at(-1);
  }

  /** The items in order; with `after` only the items after that position, which need not have an item. */
  *values(after?: T): IterableIterator<T> {
    let [at, place] = after === undefined ? [0, 0] : this.#behind(after);
    let changes = this.#changes;
    for (let chunk = this.#chunks[at]; chunk !== undefined; chunk = this.#chunks[at]) {
      if (place >= chunk.length) {
        at++;
        place = 0;
        continue;
      }
      const item = chunk[place++] as T;
      yield item;
      if (changes === this.#changes) continue;
      changes = this.#changes;
      [at, place] = this.#behind(item);
    }
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.values();
  }

  #behind(item: T): [number, number] {
    const at = this.#chunkOf(item);
    const chunk = this.#chunks[at];
    if (chunk === undefined) return [at, 0];
    const place = this.#placeIn(chunk, item);
    return [at, this.#compare(chunk[place] as T, item) === 0 ? place + 1 : place];
  }

  /** The first chunk whose last item is not before `item`; the number of chunks without such a chunk. */
  #chunkOf(item: T): number {
    let [low, high] = [0, this.#chunks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#chunks[middle]?.at(-1) as T, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The first index in a chunk that is not before `item`. */
  #placeIn(chunk: readonly T[], item: T): number {
    let [low, high] = [0, chunk.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(chunk[middle] as T, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
