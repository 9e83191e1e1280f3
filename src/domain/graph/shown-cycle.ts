import type { ReadTransaction } from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';
import { guestMark } from '../records/guest-texts.ts';

/** Tasks of a cycle that a message names. */
const namedMax = 8;

/**
 * A cycle as messages show it: `"Dig" → "Sow" → "Dig"`. A task that has a guest's words is shown by its id: a sentence carries no mark that
 * they are untrusted.
 */
export function shownCycle(
  view: Pick<ReadTransaction<PlannerCollections>, 'get' | 'by'>,
  cycle: readonly string[],
): string {
  const name = (id: string): string => {
    const task = view.get('task', id);
    return task === undefined || guestMark(view, task) !== undefined ? id : JSON.stringify(task.label);
  };
  const more = cycle.length > namedMax ? [`${cycle.length - namedMax} more`] : [];
  return [...cycle.slice(0, namedMax).map(name), ...more, name(cycle[0] ?? '')].join(' → ');
}
