import type { KeyboardEvent } from 'react';
import type { KeyList } from '../../shell/key-list.ts';
import type { Line } from './groups.ts';
import type { Selection } from './selection.ts';

export interface ListKeys {
  readonly lines: readonly Line[];
  /** The active line. */
  readonly active: number;
  readonly setActive: (at: number) => void;
  /** The number of lines per page. */
  readonly page: number;
  readonly selection: Selection;
  readonly open: (id: string) => void;
  readonly fold: (key: string, open: boolean) => void;
  readonly remove: () => void;
  /** Moves rows in the order by hand; returns false for another key. */
  readonly order: (event: KeyboardEvent) => boolean;
}

/** The target line of a key; undefined if the key does not move. */
function goal(key: string, at: number, { lines, page }: ListKeys): number | undefined {
  const last = lines.length - 1;
  switch (key) {
    case 'ArrowDown':
      return Math.min(last, at + 1);
    case 'ArrowUp':
      return Math.max(0, at - 1);
    case 'PageDown':
      return Math.min(last, at + page);
    case 'PageUp':
      return Math.max(0, at - page);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

/** The keys for the list of shortcuts. */
export const listKeys: KeyList = [
  ['↑ ↓', 'Go to the row above, below'],
  ['j k', 'Next, previous row, also while a task is open, which follows'],
  ['Page↑ Page↓', 'Go a page up, down'],
  ['Home End', 'Go to the first row, the last one'],
  ['← →', 'Go to group header; fold or unfold'],
  ['Enter', 'Open a task beside the list, again: go into it; fold or open a group'],
  ['Alt ↑ ↓', 'Move the row up, down, if the list is sorted by hand'],
  ['x', 'Select, or select no more; the space bar does the same'],
  ['Shift ↑ ↓', 'Select up to the row'],
  ['Ctrl A', 'Select all'],
  ['Esc', 'Select none'],
  ['Delete', 'Delete what is selected'],
];

/** The keys of the list: arrows move, Shift extends the selection, Enter opens, x selects. */
export function onListKey(event: KeyboardEvent, keys: ListKeys): void {
  // Buttons and checkboxes within the list handle their own keys.
  if (event.target !== event.currentTarget) return;
  if (event.altKey ? keys.order(event) : act(event, keys)) {
    event.preventDefault();
    event.stopPropagation();
  }
}

function act({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent, keys: ListKeys): boolean {
  const { lines, active, setActive, selection, open, remove } = keys;
  const line = lines[active];
  if (ctrlKey || metaKey) {
    if (key !== 'a') return false;
    selection.setMany(allIds(lines), true);
    return true;
  }
  const to = goal(key, active, keys);
  if (to !== undefined) {
    setActive(to);
    if (shiftKey) selection.extend(active, to);
    return true;
  }
  if (key === 'Escape' && selection.ids.size > 0) {
    selection.clear();
    return true;
  }
  if (key === 'Delete' && selection.ids.size > 0) {
    remove();
    return true;
  }
  if (line === undefined) return false;
  if (line.kind === 'group') return actOnGroup(key, line, keys);
  if (key === 'Enter') open(line.row.task.id);
  else if (key === 'x' || key === ' ') selection.toggle(active);
  else if (key === 'ArrowLeft') {
    const head = lines.findLastIndex(({ kind }, at) => kind === 'group' && at < active);
    if (head < 0) return false;
    setActive(head);
  } else return false;
  return true;
}

function actOnGroup(key: string, line: Extract<Line, { kind: 'group' }>, { selection, fold }: ListKeys): boolean {
  if (key === 'Enter') fold(line.key, !line.open);
  else if (key === 'ArrowLeft' || key === 'ArrowRight') fold(line.key, key === 'ArrowRight');
  else if (key === 'x' || key === ' ') {
    const ids = line.rows.map(({ task }) => task.id);
    selection.setMany(ids, !ids.every((id) => selection.ids.has(id)));
  } else return false;
  return true;
}

function allIds(lines: readonly Line[]): readonly string[] {
  // “All” does not select folded rows, because they are not visible.
  return lines.flatMap((line) => (line.kind === 'task' ? [line.row.task.id] : []));
}
