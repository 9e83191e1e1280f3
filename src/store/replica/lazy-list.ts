import { SortedList } from '../record/sorted-list.ts';

/**
 * A sorted list that sorts when it is first read in order, so that loading many items costs one sort and not an
 * insertion each. Items are compared by identity: remove the object that was added, whose position must not have
 * changed.
 */
export class LazyList<T> {
  readonly #compare: (a: T, b: T) => number;
  #unsorted: Set<T> | undefined = new Set();
  #sorted: SortedList<T> | undefined;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#sorted?.size ?? this.#unsorted?.size ?? 0;
  }

  add(item: T): void {
    if (this.#sorted === undefined) this.#unsorted?.add(item);
    else this.#sorted.add(item);
  }

  delete(item: T): void {
    if (this.#sorted === undefined) this.#unsorted?.delete(item);
    else this.#sorted.delete(item);
  }

  /** The items in order; with `after` only the items after that position. */
  values(after?: T): IterableIterator<T> {
    return this.#inOrder().values(after);
  }

  /** The last item before a position; without one the last of all. */
  before(position?: T): T | undefined {
    return this.#inOrder().before(position);
  }

  #inOrder(): SortedList<T> {
    this.#sorted ??= SortedList.from([...(this.#unsorted ?? [])].sort(this.#compare), this.#compare);
    this.#unsorted = undefined;
    return this.#sorted;
  }
}
