import { useCallback } from 'react';
import type { KeyboardEvent } from 'react';
import type { TaskStatus } from '../../api/types.ts';
import type { TaskRow } from '../../api/tasks.ts';
import type { Entry } from './groups.ts';

export interface BoardKeysOptions {
  readonly columns: readonly { readonly status: TaskStatus; readonly entries: readonly Entry[] }[];
  readonly move: (task: TaskRow, status: TaskStatus) => void;
  /** Gives a card the focus, once its column has drawn it. */
  readonly focus: (id: string, status: TaskStatus) => void;
}

/**
 * The board by keys: arrows go from card to card and from column to column, Ctrl (or Cmd) with left and right takes the card along.
 * Enter opens it, as with any button.
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

/** The card beside, in the next column that has any. */
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

/** False where the card is out of sight and so not drawn. */
function focusDrawn(id: string): boolean {
  const card = document.querySelector<HTMLElement>(`[data-task="${CSS.escape(id)}"]`);
  card?.focus();
  card?.scrollIntoView({ block: 'nearest' });
  return card !== null;
}
