import type { KeyboardEvent } from 'react';
import { statuses } from '../../api/tasks.ts';
import type { TaskStatus } from '../../rest/types.ts';
import type { Direction } from './model/neighbours.ts';

export interface CanvasKeys {
  readonly undo: () => void;
  readonly redo: () => void;
  readonly selectAll: () => void;
  readonly selectNone: () => void;
  readonly remove: () => void;
  readonly open: () => void;
  readonly rename: () => void;
  readonly connect: () => void;
  /** Starts or ends drawing edges from card to card. */
  readonly draw: () => void;
  readonly create: () => void;
  readonly find: () => void;
  readonly fit: () => void;
  readonly zoom: (nearer: boolean) => void;
  readonly go: (direction: Direction) => void;
  readonly setStatus: (status: TaskStatus) => void;
}

/** The keys for the list of shortcuts. */
export const keyList: readonly (readonly [keys: string, what: string])[] = [
  ['Tab', 'Go to the next visible node or edge'],
  ['Alt Arrows', 'Go to the node that is next in a direction'],
  ['Arrows', 'Move what is selected; with Shift farther'],
  ['Enter', 'Open a task or document; change an edge'],
  ['F2 or E', 'Write the label'],
  ['1 – 5', 'Status: scope, to do, in progress, done, backlog'],
  ['C', 'Connect with another node'],
  ['L', 'Draw edges: drag from one node to another, or click both; Esc ends it'],
  ['Drag a border', 'Draw an edge from a node to another'],
  ['N', 'New task'],
  ['/', 'Find a node'],
  ['Delete', 'Delete what is selected'],
  ['Ctrl A, Esc', 'Select all, none'],
  ['Shift and drag', 'Select what is in a frame; Ctrl and click takes in one more'],
  ['Ctrl Z, Ctrl Shift Z', 'Undo, redo'],
  ['+  −  F', 'Zoom in, zoom out, fit'],
];

/** The action of a key on the canvas; undefined if it has no action. */
function actionOf(event: KeyboardEvent, keys: CanvasKeys): (() => void) | undefined {
  const { key, shiftKey, altKey } = event;
  if (event.ctrlKey || event.metaKey) {
    const letter = key.toLowerCase();
    if (letter === 'z') return shiftKey ? keys.redo : keys.undo;
    if (letter === 'y') return keys.redo;
    return letter === 'a' ? keys.selectAll : undefined;
  }
  if (altKey) return key.startsWith('Arrow') ? () => keys.go(key as Direction) : undefined;
  const plain: Readonly<Record<string, () => void>> = {
    Delete: keys.remove,
    Backspace: keys.remove,
    Enter: keys.open,
    Escape: keys.selectNone,
    F2: keys.rename,
    e: keys.rename,
    c: keys.connect,
    l: keys.draw,
    n: keys.create,
    '/': keys.find,
    f: keys.fit,
    '+': () => keys.zoom(true),
    '=': () => keys.zoom(true),
    '-': () => keys.zoom(false),
  };
  const status = statuses[Number(key) - 1];
  return plain[key] ?? (status === undefined ? undefined : () => keys.setStatus(status));
}

export function onCanvasKey(event: KeyboardEvent, keys: CanvasKeys): void {
  const target = event.target as HTMLElement;
  // Fields, buttons and dialogs handle their own keys.
  if (target.closest('input, textarea, select, [role="menu"], [role="dialog"]') !== null) return;
  if (!event.currentTarget.contains(target)) return;
  if (target.closest('button') !== null && (event.key === 'Enter' || event.key === 'Escape')) return;
  const action = actionOf(event, keys);
  if (action === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}
