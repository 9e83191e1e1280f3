import type { Ordering } from './work-order.ts';

/** Ids with the number of edges that say the same. */
type Counted = Map<string, number>;

const nobody: ReadonlyMap<string, number> = new Map();

/** Which tasks come before which, as the edges say it, whether or not their ends exist. Several edges may say the same; the last to go takes the order with it. */
export class PrerequisiteMap {
  readonly #prerequisites = new Map<string, Counted>();
  readonly #dependents = new Map<string, Counted>();

  /** Answers whether the order is new. */
  add({ first, then }: Ordering): boolean {
    count(this.#dependents, first, then, 1);
    return count(this.#prerequisites, then, first, 1) === 1;
  }

  /** Answers whether the order went with it. */
  remove({ first, then }: Ordering): boolean {
    count(this.#dependents, first, then, -1);
    return count(this.#prerequisites, then, first, -1) === 0;
  }

  /** Ids that must be done before this one. */
  prerequisites(id: string): Iterable<string> {
    return (this.#prerequisites.get(id) ?? nobody).keys();
  }

  /** Ids that wait for this one. */
  dependents(id: string): Iterable<string> {
    return (this.#dependents.get(id) ?? nobody).keys();
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
