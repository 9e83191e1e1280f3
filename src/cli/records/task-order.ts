import { rankOfAge } from '../../base/rank-of-age.ts';
import type { ShownTask } from './show-task.ts';

/** Tasks in progress come first, then tasks that can be begun, and finished tasks last. */
const statusOrder = ['in_progress', 'todo', 'scope', 'backlog', 'done'];
const priorityOrder = ['urgent', 'high', 'medium', 'low'];

type Compared = (task: ShownTask) => number | string;

const priorityOf: Compared = ({ priority }) => (priorityOrder.indexOf(priority ?? '') + 5) % 5;
const dueOf: Compared = ({ due_date: due }) => due ?? '9999';
const ageOf: Compared = ({ created_at: at }) => at;
const idOf: Compared = ({ id }) => id;
/** The order by hand: tasks that were never moved are by age. */
const byHand: readonly Compared[] = [(task) => task.rank ?? rankOfAge(task), idOf];

/** The order of work: by priority, due date, and by hand. */
export const urgency: readonly Compared[] = [priorityOf, dueOf, ...byHand];

/** The orders of tasks by name, each by the field that is compared first. */
export const orders: Readonly<Record<string, readonly Compared[]>> = {
  status: [({ status }) => statusOrder.indexOf(status), ({ blocked }) => (blocked === true ? 1 : 0), ...urgency],
  priority: urgency,
  due: [dueOf, priorityOf, ...byHand],
  rank: byHand,
  created: [ageOf],
  label: [({ label }) => label.toLowerCase()],
};

/** Compares tasks by each of these in turn. */
export function inOrder(order: readonly Compared[]): (a: ShownTask, b: ShownTask) => number {
  return (a, b) => {
    for (const valueOf of order) {
      const [left, right] = [valueOf(a), valueOf(b)];
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  };
}
