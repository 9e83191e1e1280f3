import type { TaskFields } from '../../api/bulk.ts';
import { placeAt } from '../../api/place.ts';
import type { Place } from '../../api/place.ts';
import type { TaskStatus } from '../../rest/types.ts';
import type { Entry } from './groups.ts';

/** Where cards are dropped: ahead of the entry at this index of a column. */
export interface Drop {
  readonly status: TaskStatus;
  readonly at: number;
}

/** The index in a column of the place at a height of the window. */
export function dropAt(status: TaskStatus, y: number): number {
  const lines = [...document.querySelectorAll<HTMLElement>(`[data-status="${status}"] li[data-index]`)]
    .map((line) => ({ at: Number(line.dataset['index']), box: line.getBoundingClientRect() }))
    .sort((a, b) => a.at - b.at);
  const next = lines.find(({ box }) => y < box.top + box.height / 2);
  return next?.at ?? (lines.at(-1)?.at ?? -1) + 1;
}

/** What a drop means: the fields of the group, and the place beside its next card that is not itself moved. */
export function targetOf(
  entries: readonly Entry[],
  at: number,
  moved: ReadonlySet<string>,
): { readonly fields: TaskFields; readonly place: Place } {
  // Ahead of the first heading is its group, too.
  const from = at === 0 && entries[0]?.kind === 'group' ? 1 : at;
  const group = entries.slice(0, from).findLast(({ kind }) => kind === 'group');
  const ids = entries.map((entry) => (entry.kind === 'task' ? entry.task.id : undefined));
  return { fields: group?.kind === 'group' ? group.fields : {}, place: placeAt(ids, from, moved) };
}
