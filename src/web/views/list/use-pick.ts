import { useCallback } from 'react';
import type { RefObject } from 'react';
import type { PickedField } from '../../picker/fields.ts';
import { openPicker, useSubject } from '../../picker/picking.ts';
import type { Line } from './groups.ts';
import type { Selection } from './selection.ts';

interface PickOptions {
  readonly lines: readonly Line[];
  readonly active: number;
  /** The id of the active line's element. */
  readonly activeId: string | undefined;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly selection: Selection;
  readonly setActiveKey: (key: string) => void;
}

/** Opens the picker for a cell, and for the selected rows or the active one by key. A cell of a selected row means all of the selection. */
export function usePick({
  lines,
  active,
  activeId,
  scroller,
  selection,
  setActiveKey,
}: PickOptions): (at: number, cell: HTMLElement, field: PickedField) => void {
  useSubject(() => {
    const line = lines[active];
    const anchor = document.getElementById(activeId ?? '') ?? scroller.current;
    if (anchor === null) return undefined;
    if (selection.ids.size > 0) return { ids: [...selection.ids], anchor };
    return line?.kind === 'task' && document.activeElement === scroller.current
      ? { ids: [line.row.task.id], anchor }
      : undefined;
  });
  return useCallback(
    (at, cell, field) => {
      const line = lines[at];
      if (line?.kind !== 'task') return;
      const { id } = line.row.task;
      setActiveKey(line.key);
      // Keys continue at the row, and the focus returns here.
      scroller.current?.focus({ preventScroll: true });
      openPicker({ ids: selection.ids.has(id) ? [...selection.ids] : [id], anchor: cell, field });
    },
    [selection, lines, scroller, setActiveKey],
  );
}
