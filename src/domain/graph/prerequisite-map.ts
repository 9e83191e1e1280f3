import type { Ordering } from './work-order.ts';

/** Ids with the number of edges that imply the same order. */
type Counted = Map<string, number>;

const none: ReadonlyMap<string, number> = new Map();

/** The order of tasks according to edges, whether or not their ends exist. Several edges may imply the same order; it ends with the last of them. */
export class PrerequisiteMap {
  readonly #prerequisites = new Map<string, Counted>();
  readonly #dependents = new Map<string, Counted>();

  /** Returns whether the order is new. */
  add({ first, then }: Ordering): boolean {
    count(this.#dependents, first, then, 1);
    return count(this.#prerequisites, then, first, 1) === 1;
  }

  /** Returns whether the order ended. */
  remove({ first, then }: Ordering): boolean {
    count(this.#dependents, first, then, -1);
    return count(this.#prerequisites, then, first, -1) === 0;
  }

  /** Ids that have prerequisites. */
  waiting(): Iterable<string> {
    return this.#prerequisites.keys();
  }

  /** The ids that must be done before this id. */
  prerequisites(id: string): Iterable<string> {
    return (this.#prerequisites.get(id) ?? none).keys();
  }

  /** The ids that wait for this id. */
  dependents(id: string): Iterable<string> {
    return (this.#dependents.get(id) ?? none).keys();
  }
}

function count(map: Map<string, Counted>, key: string, other: string, by: 1 | -1): number {
  let counted = map.get(key);
  if (counted === undefined) map.set(key, (counted = new Map<string, number>()));
  const sum = (counted.get(other) ?? 0) + by;
  if (sum > 0) counted.set(other, sum);
  else counted.delete(other);
  if (counted.size === 0) map.delete(key);
  return sum;
}
