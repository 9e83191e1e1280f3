import { useState } from 'react';
import type { MouseEvent as Press, ReactElement } from 'react';
import type { CanvasStore } from './model/canvas-store.ts';
import { openPicker } from '../../picker/picking.ts';
import { ContextMenu } from './context-menu.tsx';
import type { ContextItem } from './context-menu.tsx';
import type { OpenDialog } from './use-canvas-view.ts';
import type { Commands } from './use-commands.ts';

export interface ContextMenus {
  readonly onNode: (event: Press, node: { readonly id: string }) => void;
  readonly onEdge: (event: Press, edge: { readonly id: string }) => void;
  readonly onPane: (event: Press | MouseEvent) => void;
  readonly menu: ReactElement | null;
}

export interface ContextSources {
  readonly store: CanvasStore;
  readonly commands: Commands;
  readonly openDialog: (dialog: OpenDialog) => void;
  /** Begins a task at a position of the window. */
  readonly createAt: (x: number, y: number) => void;
  readonly exportAs: (kind: 'svg' | 'png') => void;
  readonly focusFrame: () => void;
}

interface Opened {
  readonly kind: 'node' | 'edge' | 'pane';
  readonly x: number;
  readonly y: number;
}

/** The menus at the pointer. Their target is selected first, so that they act like the bar of the selection. */
export function useContextMenu(sources: ContextSources): ContextMenus {
  const { store, commands, focusFrame } = sources;
  const [opened, setOpened] = useState<Opened | undefined>(undefined);
  const open = (kind: Opened['kind'], event: Press | MouseEvent): void => {
    event.preventDefault();
    setOpened({ kind, x: event.clientX, y: event.clientY });
  };
  return {
    onNode: (event, { id }) => {
      if (!commands.selected.some((node) => node.id === id)) store.select([id]);
      open('node', event);
    },
    onEdge: (event, { id }) => {
      store.select([], [id]);
      open('edge', event);
    },
    onPane: (event) => open('pane', event),
    menu:
      opened === undefined ? null : (
        <ContextMenu
          key={`${opened.kind} ${opened.x} ${opened.y}`}
          at={opened}
          items={itemsOf(opened, sources)}
          onClose={() => {
            setOpened(undefined);
            focusFrame();
          }}
        />
      ),
  };
}

function itemsOf(
  { kind, x, y }: Opened,
  { commands, openDialog, createAt, exportAs }: ContextSources,
): readonly ContextItem[] {
  const { keys, selected } = commands;
  if (kind === 'edge')
    return [
      { label: 'Change…', onSelect: keys.open },
      { label: 'Turn round', onSelect: commands.turnEdge },
      { label: 'Delete', onSelect: keys.remove, danger: true },
    ];
  if (kind === 'pane')
    return [
      { label: 'New task here…', onSelect: () => createAt(x, y) },
      { label: 'Put a document on the canvas…', onSelect: () => openDialog({ kind: 'document' }) },
      { label: 'Select all', onSelect: keys.selectAll },
      { label: 'Arrange automatically…', onSelect: () => openDialog({ kind: 'arrange' }) },
      { label: 'Show everything', onSelect: keys.fit },
      { label: 'Export as SVG', onSelect: () => exportAs('svg') },
      { label: 'Export as PNG', onSelect: () => exportAs('png') },
    ];
  const tasks = selected.filter(({ type }) => type === 'task').map(({ id }) => id);
  const at = new DOMRect(x, y, 0, 0);
  const anchor = { getBoundingClientRect: (): DOMRect => at };
  return [
    ...(tasks.length === 0 ? [] : [{ label: 'Properties…', onSelect: () => openPicker({ ids: tasks, anchor }) }]),
    ...(selected.length > 1
      ? [{ label: `Arrange these ${selected.length}…`, onSelect: () => openDialog({ kind: 'arrange' }) }]
      : [
          { label: 'Open', onSelect: keys.open },
          { label: 'Rename', onSelect: keys.rename },
        ]),
    ...(selected.length > 2 ? [] : [{ label: 'Connect…', onSelect: keys.connect }]),
    { label: 'Delete…', onSelect: keys.remove, danger: true },
  ];
}
