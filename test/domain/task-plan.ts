import type { PlannerCollections, TaskRecord } from '../../src/domain/records/collections.ts';
import type { DerivedIndex, ReadTransaction } from '../../src/store/record/read-transaction.ts';

type View = ReadTransaction<PlannerCollections>;

/** A project in memory that consists of tasks, with one index of them. */
export class TaskPlan<I extends Pick<DerivedIndex, 'changed'>> {
  readonly tasks = new Map<string, TaskRecord>();
  /** A new index of the present tasks. */
  readonly rebuilt: () => I;
  index: I;

  constructor(make: (view: View) => I) {
    this.rebuilt = () => make(this.view);
    this.index = this.rebuilt();
  }

  get view(): View {
    const list = (collection: string): IterableIterator<TaskRecord> =>
      (collection === 'task' ? this.tasks : new Map<string, TaskRecord>()).values();
    const get = (_: string, id: string): TaskRecord | undefined => this.tasks.get(id);
    return { list, get, project: 'prj_x' } as unknown as View;
  }

  put(id: string, label: string, description = ''): void {
    const created_at = this.tasks.get(id)?.created_at ?? new Date(this.tasks.size * 1000).toISOString();
    const [from, to] = [this.tasks.get(id), { id, label, description, created_at } as TaskRecord];
    this.tasks.set(id, to);
    this.index.changed('task', from, to);
  }

  remove(id: string): void {
    const from = this.tasks.get(id);
    this.tasks.delete(id);
    this.index.changed('task', from, undefined);
  }
}

/** The number of letters to insert, delete or replace. */
export function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[to.length]!;
}
