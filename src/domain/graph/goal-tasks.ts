import { LazyList } from '../../store/index.ts';
import { byCreation, byObstacles, byUrgency, type Position, type Standing } from './frontier-order.ts';

/** One goal's tasks in the orders in which they are asked for. Adding and removing cost the logarithm of their number. */
export class GoalTasks {
  /** `todo` with every prerequisite done, in the order in which work is handed out. */
  readonly ready = new LazyList<Standing>(byUrgency);
  /** `todo` with open prerequisites, fewest first. */
  readonly blocked = new LazyList<Standing>(byObstacles);
  readonly #byStatus = new Map<string, LazyList<Standing>>();

  get size(): number {
    let size = 0;
    for (const list of this.#byStatus.values()) size += list.size;
    return size;
  }

  count(status: string): number {
    return this.#byStatus.get(status)?.size ?? 0;
  }

  /** Tasks by created_at, id, those that `has` a status only; with `after` only what was made behind that position. */
  *inOrder(has: (status: string) => boolean = () => true, after?: Position): IterableIterator<Standing> {
    const lists = [...this.#byStatus].filter(([status, list]) => list.size > 0 && has(status));
    // Only created_at and id place a task in these lists: any standing with them is the position.
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

  /** Gives a task another number of open prerequisites. */
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
