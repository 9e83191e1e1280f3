import { useCallback } from 'react';
import type { KeyboardEvent } from 'react';
import type { TaskStatus } from '../../rest/types.ts';
import type { TaskRow } from '../../api/tasks.ts';
import type { KeyList } from '../../shell/key-list.ts';
import type { Entry } from './groups.ts';

export interface BoardKeysOptions {
  readonly columns: readonly { readonly status: TaskStatus; readonly entries: readonly Entry[] }[];
  readonly move: (task: TaskRow, status: TaskStatus) => void;
  /** Focuses a card once its column has rendered it. */
  readonly focus: (id: string, status: TaskStatus) => void;
}

/** The keys for the list of shortcuts. */
export const boardKeys: KeyList = [
  ['Arrows', 'Go to the next card in a direction'],
  ['Ctrl ←', 'Move the card to the column before'],
  ['Ctrl →', 'Move the card to the column after'],
  ['Enter', 'Open the card'],
];

/**
 * The keys of the board: arrows move between cards and columns, Ctrl (or Cmd) with left and right moves the card. Enter opens it.
 */
export function useBoardKeys({ columns, move, focus }: BoardKeysOptions): (event: KeyboardEvent<HTMLElement>) => void {
  return useCallback(
    (event) => {
      const id = (event.target as HTMLElement).dataset['task'];
      if (id === undefined || !(event.key in steps)) return;
      const lists = columns.map(({ entries }) =>
        entries.flatMap((entry) => (entry.kind === 'task' ? [entry.task] : [])),
      );
      const column = lists.findIndex((list) => list.some((task) => task.id === id));
      if (column < 0) return;
      const row = lists[column]!.findIndex((task) => task.id === id);
      const [across, down] = steps[event.key as keyof typeof steps];
      event.preventDefault();
      if ((event.ctrlKey || event.metaKey) && across !== 0) {
        const to = columns[column + across];
        if (to !== undefined) {
          move(lists[column]![row]!, to.status);
          focus(id, to.status);
        }
        return;
      }
      const next = down !== 0 ? lists[column]![row + down] : nearest(lists, column, across, row);
      if (next !== undefined && !focusDrawn(next.id)) focus(next.id, next.status);
    },
    [columns, move, focus],
  );
}

const steps = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] } as const;

/** The card at the same height in the next non-empty column. */
function nearest(
  lists: readonly (readonly TaskRow[])[],
  column: number,
  across: number,
  row: number,
): TaskRow | undefined {
  for (let at = column + across; at >= 0 && at < lists.length; at += across)
    if (lists[at]!.length > 0) return lists[at]![Math.min(row, lists[at]!.length - 1)];
  return undefined;
}

/** Returns false if the card is not visible and so not rendered. */
function focusDrawn(id: string): boolean {
  const card = document.querySelector<HTMLElement>(`[data-task="${CSS.escape(id)}"]`);
  card?.focus();
  card?.scrollIntoView({ block: 'nearest' });
  return card !== null;
}
