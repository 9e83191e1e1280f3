import { useCallback } from 'react';
import type { KeyboardEvent } from 'react';
import type { TaskStatus } from '../../rest/types.ts';
import type { TaskRow } from '../../api/tasks.ts';
import type { KeyList } from '../../shell/key-list.ts';
import type { Entry } from './groups.ts';
import type { CardSelection } from './selection.ts';

/** Moves a card to a column; with `at`, ahead of that entry of it. */
export type Move = (task: TaskRow, status: TaskStatus, at?: number) => void;

export interface BoardKeysOptions {
  readonly columns: readonly { readonly status: TaskStatus; readonly entries: readonly Entry[] }[];
  readonly move: Move;
  readonly selection: CardSelection;
  /** Focuses a card once its column has rendered it. */
  readonly focus: (id: string, status: TaskStatus) => void;
}

/** The keys for the list of shortcuts. */
export const boardKeys: KeyList = [
  ['Arrows', 'Go to the next card in a direction'],
  ['Ctrl ←', 'Move the card to the column before'],
  ['Ctrl →', 'Move the card to the column after'],
  ['Alt ↑ ↓', 'Move the card up, down'],
  ['x', 'Select, or select no more; selected cards move together'],
  ['Esc', 'Select none'],
  ['Enter', 'Open the card'],
];

/**
 * The keys of the board: arrows move between cards and columns, Ctrl (or Cmd) with left and right moves the card,
 * Alt with up and down within its column. Enter opens it, x selects it.
 */
export function useBoardKeys({
  columns,
  move,
  focus,
  selection,
}: BoardKeysOptions): (event: KeyboardEvent<HTMLElement>) => void {
  return useCallback(
    (event) => {
      const id = (event.target as HTMLElement).dataset['task'];
      if (id === undefined) return;
      if (!(event.key in steps)) {
        select(event, id, selection);
        return;
      }
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
      if (event.altKey && down !== 0) {
        const { status, entries } = columns[column]!;
        const at = entries.findIndex((entry) => entry.kind === 'task' && entry.task.id === id);
        if (!isWithin(entries, at + down)) return;
        move(lists[column]![row]!, status, down < 0 ? at - 1 : at + 2);
        focus(id, status);
        return;
      }
      const next = down !== 0 ? lists[column]![row + down] : nearest(lists, column, across, row);
      if (next !== undefined && !focusDrawn(next.id)) focus(next.id, next.status);
    },
    [columns, move, focus, selection],
  );
}

function select(
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
  id: string,
  { ids, select: one, clear }: CardSelection,
): void {
  if (key === 'x' && !ctrlKey && !metaKey && !altKey) one(id);
  else if (key === 'Escape' && ids.size > 0) clear();
}

/** Returns whether a card can go past an entry: above the first heading is no place. */
function isWithin(entries: readonly Entry[], at: number): boolean {
  return entries[at] !== undefined && !(at === 0 && entries[0]?.kind === 'group');
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
