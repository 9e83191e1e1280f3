import { LazyList } from '../../store/index.ts';
import { byCreation, byObstacles, byUrgency, type Position, type Standing } from './frontier-order.ts';

/** One goal's tasks in each order that is queried. Adding and removing take logarithmic time. */
export class GoalTasks {
  /** `todo` with every prerequisite done, in the order of work. */
  readonly ready = new LazyList<Standing>(byUrgency);
  /** `todo` with open prerequisites, fewest first. */
  readonly blocked = new LazyList<Standing>(byObstacles);
  readonly #byStatus = new Map<string, LazyList<Standing>>();

  get size(): number {
    let size = 0;
    for (const list of this.#byStatus.values()) size += list.size;
    return size;
  }

  /** The number of tasks that are not done. */
  get open(): number {
    return this.size - this.count('done');
  }

  count(status: string): number {
    return this.#byStatus.get(status)?.size ?? 0;
  }

  /** Tasks by created_at, id, only with a status that `has` accepts; with `after` only after that position. */
  *inOrder(has: (status: string) => boolean = () => true, after?: Position): IterableIterator<Standing> {
    const lists = [...this.#byStatus].filter(([status, list]) => list.size > 0 && has(status));
    // created_at and id alone determine the place in these lists, so any value with them is a position.
    const iterators = lists.map(([, list]) => list.values(after as Standing | undefined));
    const heads = iterators.map((iterator) => iterator.next());
    for (;;) {
      let least = -1;
      for (const [i, head] of heads.entries()) {
        if (head.done === true) continue;
        const first = heads[least];
        if (first === undefined || first.done === true || byCreation(head.value, first.value) < 0) least = i;
      }
      const head = heads[least];
      const iterator = iterators[least];
      if (head === undefined || head.done === true || iterator === undefined) return;
      heads[least] = iterator.next();
      yield head.value;
    }
  }

  add(standing: Standing): void {
    let list = this.#byStatus.get(standing.status);
    if (list === undefined) this.#byStatus.set(standing.status, (list = new LazyList<Standing>(byCreation)));
    list.add(standing);
    this.#actionable(standing)?.add(standing);
  }

  delete(standing: Standing): void {
    this.#byStatus.get(standing.status)?.delete(standing);
    this.#actionable(standing)?.delete(standing);
  }

  /** Sets the number of open prerequisites of a task. */
  reopen(standing: Standing, open: number): void {
    this.#actionable(standing)?.delete(standing);
    standing.open = open;
    this.#actionable(standing)?.add(standing);
  }

  #actionable(standing: Standing): LazyList<Standing> | undefined {
    if (standing.status !== 'todo') return undefined;
    return standing.open === 0 ? this.ready : this.blocked;
  }
}
