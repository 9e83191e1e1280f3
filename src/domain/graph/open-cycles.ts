import { shapeOf, shortestPath } from './graph-shape.ts';
import type { PrerequisiteMap } from './prerequisite-map.ts';
import type { Ordering } from './work-order.ts';

/**
 * The cycles of open tasks: each of their tasks waits for the others forever. A search takes time proportional to the order of all open
 * tasks; it is made when they are asked for, and only if a cycle may have been closed or broken since the last one.
 */
export class OpenCycles {
  readonly #order: PrerequisiteMap;
  readonly #isOpen: (id: string) => boolean;
  #found: readonly (readonly string[])[] = [];
  #isCurrent = true;

  constructor(order: PrerequisiteMap, isOpen: (id: string) => boolean) {
    this.#order = order;
    this.#isOpen = isOpen;
  }

  /** Each in the order of work from its smallest id. */
  get found(): readonly (readonly string[])[] {
    if (!this.#isCurrent) this.#search();
    return this.#found;
  }

  /** Called after an order was added. */
  added({ first, then }: Ordering): void {
    if (any(this.#order.prerequisites(first)) && any(this.#order.dependents(then))) this.#isCurrent = false;
  }

  /** Called after a task became open, or no longer is. */
  changed(id: string, isOpen: boolean): void {
    if (isOpen) this.added({ first: id, then: id });
    else this.removed();
  }

  /** Called after an order was removed. */
  removed(): void {
    if (this.#found.length > 0) this.#isCurrent = false;
  }

  /** The shortest cycle of open tasks that an order closes, beginning with its later task, or undefined. */
  closedBy({ first, then }: Ordering): readonly string[] | undefined {
    if (!this.#isOpen(first) || !this.#isOpen(then) || !any(this.#order.dependents(then))) return undefined;
    return shortestPath((id) => this.#openBefore(id), then, first);
  }

  #search(): void {
    const graph = new Map<string, readonly string[]>();
    for (const id of this.#order.waiting()) if (this.#isOpen(id)) graph.set(id, this.#openBefore(id));
    this.#found = shapeOf(graph).cycles;
    this.#isCurrent = true;
  }

  #openBefore(id: string): readonly string[] {
    return [...this.#order.prerequisites(id)].filter((one) => this.#isOpen(one));
  }
}

function any(ids: Iterable<string>): boolean {
  for (const _ of ids) return true;
  return false;
}
