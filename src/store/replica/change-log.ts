import { firstWhere } from '../../base/first-where.ts';
import type { Version } from './version.ts';

/** How many changes a collection remembers for `since`. */
const entriesMax = 1 << 16;

/** The last changes of a collection, for another replica of the same log. Parallel arrays, in order. */
export interface SavedChanges {
  /** The version before the first of them. */
  readonly floor: Version;
  readonly ids: readonly string[];
  readonly orders: readonly number[];
  readonly epochs: readonly number[];
}

/** The ids of changed records of a collection, in order, each with its version: the basis of versions and `since`. */
export class ChangeLog {
  /** The version before the first remembered change. */
  #floor: Version = { order: 0, epoch: 0 };
  // Parallel arrays of numbers: an object per change would take five times the memory.
  #ids: string[] = [];
  #orders: number[] = [];
  #epochs: number[] = [];

  /** The order of the last change. */
  get order(): number {
    return this.#orders.at(-1) ?? this.#floor.order;
  }

  get epoch(): number {
    return this.#epochs.at(-1) ?? this.#floor.epoch;
  }

  /** Orders ascend. */
  add(id: string, order: number, epoch: number): void {
    this.#ids.push(id);
    this.#orders.push(order);
    this.#epochs.push(epoch);
    // Dropping half at a time makes the amortised cost constant.
    if (this.#ids.length > 2 * entriesMax) this.#trim();
  }

  /** Forgets all changes: `since` returns undefined for every earlier version. */
  reset(order: number, epoch: number): void {
    this.#floor = { order, epoch };
    this.#ids = [];
    this.#orders = [];
    this.#epochs = [];
  }

  /** The last changes, at most this many, of whole change sets only. */
  saved(max: number): SavedChanges {
    let from = Math.max(0, this.#ids.length - max);
    while (from > 0 && this.#orders[from] === this.#orders[from - 1]) from++;
    const floor = from === 0 ? this.#floor : { order: this.#orders[from - 1]!, epoch: this.#epochs[from - 1]! };
    return {
      floor,
      ids: this.#ids.slice(from),
      orders: this.#orders.slice(from),
      epochs: this.#epochs.slice(from),
    };
  }

  /** Continues with what another replica has saved. */
  restore({ floor, ids, orders, epochs }: SavedChanges): void {
    this.#floor = floor;
    this.#ids = [...ids];
    this.#orders = [...orders];
    this.#epochs = [...epochs];
  }

  /** Removes the changes of the last change set, if it has this order. */
  rewind(order: number): void {
    while (this.#orders.length > 0 && this.#orders.at(-1) === order) {
      this.#ids.pop();
      this.#orders.pop();
      this.#epochs.pop();
    }
  }

  /** The ids changed since a version; undefined if that is too long ago, or not a version of this log. */
  since({ order, epoch }: Version): ReadonlySet<string> | undefined {
    if (order === this.#floor.order && epoch === this.#floor.epoch) return new Set(this.#ids);
    const behind = this.#behind(order);
    if (behind === 0 || this.#orders[behind - 1] !== order || this.#epochs[behind - 1] !== epoch) return undefined;
    return new Set(this.#ids.slice(behind));
  }

  /** The index of the first change with a later order. */
  #behind(order: number): number {
    return firstWhere(this.#orders, (one) => one > order);
  }

  #trim(): void {
    this.#floor = { order: this.#orders[entriesMax - 1]!, epoch: this.#epochs[entriesMax - 1]! };
    this.#ids = this.#ids.slice(entriesMax);
    this.#orders = this.#orders.slice(entriesMax);
    this.#epochs = this.#epochs.slice(entriesMax);
  }
}
