import { useState } from 'react';
import type { DragEvent, KeyboardEvent } from 'react';
import { soFar } from '../../api/cache.ts';
import { useMoveTasks } from '../../api/bulk.ts';
import { placeAt } from '../../api/place.ts';
import { useTasks } from '../../api/tasks.ts';
import type { Line } from './groups.ts';
import type { Selection } from './selection.ts';

interface RowOrderOptions {
  readonly projectId: string;
  readonly lines: readonly Line[];
  readonly selection: Selection;
  readonly active: number;
  readonly isByHand: boolean;
  readonly scrollTo: (at: number) => void;
}

interface RowOrder {
  /** The index ahead of which the dragged rows would be dropped. */
  readonly dropAt: number | undefined;
  /** Of the element around the rows. */
  readonly handlers: object;
  /** Moves the active row, or the selection with it, by Alt and an arrow; returns whether the key did. */
  readonly onKey: (event: KeyboardEvent) => boolean;
  readonly announcement: string;
}

/** The order by hand: rows are moved by dragging and by keys, within their group. */
export function useRowOrder({ projectId, lines, selection, active, isByHand, scrollTo }: RowOrderOptions): RowOrder {
  const tasks = soFar(useTasks(projectId).data);
  const moveTasks = useMoveTasks(projectId);
  const [dragged, setDragged] = useState<number | undefined>(undefined);
  const [dropAt, setDropAt] = useState<number | undefined>(undefined);
  const [announcement, setAnnouncement] = useState('');
  const idAt = (at: number): string | undefined => {
    const line = lines[at];
    return line?.kind === 'task' ? line.row.task.id : undefined;
  };
  const movedWith = (at: number): ReadonlySet<string> => {
    const id = idAt(at);
    return id === undefined ? new Set() : selection.ids.has(id) ? selection.ids : new Set([id]);
  };
  const move = (from: number, to: number): void => {
    const ids = movedWith(from);
    const moved = [...new Set(lines.flatMap((line) => (line.kind === 'task' ? [line.row.task] : [])))].filter((task) =>
      ids.has(task.id),
    );
    const place = placeAt(
      lines.map((_, at) => idAt(at)),
      to,
      ids,
    );
    const near = tasks.find(({ id }) => id === (place.above ?? place.below));
    if (near === undefined) return;
    void moveTasks(moved, {}, place, tasks);
    const what = moved.length === 1 ? moved[0]!.label : `${moved.length} tasks`;
    setAnnouncement(`${what} moved ${place.above === undefined ? 'below' : 'above'} ${near.label}`);
  };
  const onKey = ({ key, altKey }: KeyboardEvent): boolean => {
    const step = key === 'ArrowUp' ? -1 : 1;
    if (!isByHand || !altKey || (step > 0 && key !== 'ArrowDown')) return false;
    const moved = movedWith(active);
    let at = active + step;
    while (moved.has(idAt(at) ?? '')) at += step;
    if (idAt(at) === undefined) return true;
    move(active, step < 0 ? at : at + 1);
    scrollTo(at);
    return true;
  };
  const end = (): void => {
    setDragged(undefined);
    setDropAt(undefined);
  };
  const lineOf = (event: DragEvent): HTMLElement | null =>
    (event.target as HTMLElement).closest<HTMLElement>('[role="row"][data-index]');
  const handlers = {
    onDragStart: (event: DragEvent) => {
      const line = lineOf(event);
      if (line === null) return;
      event.dataTransfer.setDragImage(line, 0, 0);
      event.dataTransfer.effectAllowed = 'move';
      setDragged(Number(line.dataset['index']));
    },
    onDragOver: (event: DragEvent) => {
      const line = lineOf(event);
      if (line === null || dragged === undefined) return;
      event.preventDefault();
      const { top, height } = line.getBoundingClientRect();
      setDropAt(Number(line.dataset['index']) + (event.clientY < top + height / 2 ? 0 : 1));
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      if (dragged !== undefined && dropAt !== undefined) move(dragged, dropAt);
      end();
    },
    onDragEnd: end,
  };
  return { dropAt, handlers: isByHand ? handlers : {}, onKey, announcement };
}
