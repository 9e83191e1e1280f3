import { useCallback, useState } from 'react';
import type { RefObject } from 'react';
import { useOpenTask } from '../../shell/open-task.ts';
import { useShortcuts } from '../../shell/shortcuts.tsx';
import type { Line } from './groups.ts';
import type { Selection } from './selection.ts';

interface ActiveRowOptions {
  readonly lines: readonly Line[];
  readonly selection: Selection;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly isNarrow: boolean;
}

export interface ActiveRow {
  /** The index of the active line. */
  readonly active: number;
  readonly taskId: string | undefined;
  readonly setActiveKey: (key: string | undefined) => void;
  /** Makes a line active by a key; an open task follows. */
  readonly setActive: (at: number) => void;
  /** Opens the task of a line by a key, or goes into it if it is open. */
  readonly enter: (id: string) => void;
  /** Opens the task of a clicked line: keys continue in the list. */
  readonly openAt: (at: number) => void;
  readonly toggle: (at: number, range: boolean) => void;
}

/** The line that keys mean. Until one is chosen it is the open task's. */
export function useActiveRow(
  { lines, selection, scroller, isNarrow }: ActiveRowOptions,
  scrollTo: (at: number) => void,
): ActiveRow {
  const [activeKey, setActiveKey] = useState<string | undefined>(undefined);
  const { taskId, open, peek } = useOpenTask();
  const isActive = (line: Line): boolean =>
    activeKey === undefined ? line.kind === 'task' && line.row.task.id === taskId : line.key === activeKey;
  const active = Math.max(0, lines.findIndex(isActive));
  const setActive = (at: number): void => {
    const line = lines[at];
    setActiveKey(line?.key);
    scrollTo(at);
    if (taskId !== undefined && line?.kind === 'task') peek(line.row.task.id);
  };
  useShortcuts('List', [
    { keys: 'j', name: 'Next row', run: () => setActive(Math.min(lines.length - 1, active + 1)) },
    { keys: 'k', name: 'Previous row', run: () => setActive(Math.max(0, active - 1)) },
  ]);
  const clicked = useCallback(
    (at: number) => {
      setActiveKey(lines[at]?.key);
      scroller.current?.focus({ preventScroll: true });
    },
    [lines, scroller],
  );
  const openAt = useCallback(
    (at: number) => {
      const line = lines[at];
      if (line?.kind !== 'task') return;
      clicked(at);
      // On a phone the task covers the list.
      (isNarrow ? open : peek)(line.row.task.id);
    },
    [lines, clicked, isNarrow, open, peek],
  );
  const toggle = useCallback(
    (at: number, range: boolean) => {
      selection.toggle(at, range);
      clicked(at);
    },
    [selection, clicked],
  );
  const enter = (id: string): void => {
    if (id === taskId) document.querySelector<HTMLElement>('[role="dialog"][data-task]')?.focus();
    else open(id);
  };
  return { active, taskId, setActiveKey, setActive, enter, openAt, toggle };
}
