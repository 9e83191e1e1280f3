import { useVirtualizer } from '@tanstack/react-virtual';
import { createPortal } from 'react-dom';
import type { VirtualItem } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from '../../ui/icons.ts';
import { useEffect, useId, useMemo, useRef } from 'react';
import type { ReactElement } from 'react';
import { useSearchParams } from 'react-router';
import { usePrinting } from '../../ui/printing.ts';
import { useKeptScroll } from '../../shell/use-kept-scroll.ts';
import { columnName, tracksOf } from './columns.ts';
import type { Line } from './groups.ts';
import { onListKey } from './keys.ts';
import styles from './list.module.css';
import type { ColumnId, Sort } from './list-state.ts';
import { GroupLine, TaskLine } from './row.tsx';
import type { Selection } from './selection.ts';
import { useRowOrder } from './use-row-order.ts';
import { useActiveRow } from './use-active-row.ts';
import { useNarrow } from './use-narrow.ts';
import { usePick } from './use-pick.ts';

const headPixels = 34;
const rowPixels = { wide: 38, narrow: 62, group: 36 } as const;

export interface GridProps {
  readonly projectId: string;
  readonly lines: readonly Line[];
  readonly shown: ReadonlySet<string>;
  readonly columns: readonly ColumnId[];
  readonly sort: readonly Sort[];
  /** Sorts by a column; with `also`, after the other columns. */
  readonly onSort: (id: ColumnId, also: boolean) => void;
  readonly selection: Selection;
  readonly onFold: (key: string, open: boolean) => void;
  readonly onDelete: () => void;
}

/** The rows: only visible ones are rendered; keys move among all of them. */
export function Grid({
  projectId,
  lines,
  shown,
  columns,
  sort,
  onSort,
  selection,
  onFold,
  onDelete,
}: GridProps): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const name = useId();
  const isNarrow = useNarrow();
  const printing = usePrinting();
  const addressOf = useAddressOf();
  const { begin, keep } = useKeptScroll('list');
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    ...begin,
    estimateSize: (at) =>
      lines[at]?.kind === 'group' ? rowPixels.group : isNarrow ? rowPixels.narrow : rowPixels.wide,
    getItemKey: (at) => lines[at]?.key ?? at,
    overscan: 10,
    scrollPaddingStart: isNarrow ? 0 : headPixels,
  });
  useEffect(() => {
    // Measured rows keep their size.
    if (!isNarrow) virtual.measure();
  }, [virtual, isNarrow, lines]);
  const { active, taskId, setActiveKey, setActive, enter, openAt, toggle } = useActiveRow(
    { lines, selection, scroller, isNarrow },
    (at) => virtual.scrollToIndex(at),
  );
  const isByHand = sort[0]?.id === 'hand';
  const { dropAt, handlers, onKey, announcement } = useRowOrder({
    ...{ projectId, lines, selection, active, isByHand },
    scrollTo: (at) => virtual.scrollToIndex(at),
  });
  const idOf = (key: string): string => `${name}${key}`;
  const activeId = lines[active] === undefined ? undefined : idOf(lines[active].key);
  const pick = usePick({ lines, active, activeId, scroller, selection, setActiveKey });
  const { tracks, pixels } = useMemo(() => tracksOf(columns), [columns]);
  const height = scroller.current?.clientHeight ?? 600;
  return (
    <div
      ref={scroller}
      className={styles['grid']}
      role={lines.some(({ kind }) => kind === 'group') ? 'treegrid' : 'grid'}
      tabIndex={0}
      aria-label="Tasks"
      aria-multiselectable
      aria-rowcount={lines.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={activeId}
      data-narrow={isNarrow ? '' : undefined}
      style={
        { '--tracks': tracks, '--width': `${pixels}px`, '--printed': printedTracks(columns) } as Record<string, string>
      }
      onScroll={(event) => keep(event, virtual.measurementsCache)}
      onKeyDown={(event) =>
        onListKey(event, {
          order: onKey,
          lines,
          active,
          setActive,
          page: Math.max(1, Math.floor(height / rowPixels.wide) - 2),
          selection,
          open: enter,
          fold: onFold,
          remove: onDelete,
        })
      }
    >
      <Head {...{ columns, sort, onSort, shown, selection }} />
      <div role="rowgroup" className={styles['rows']} style={{ height: virtual.getTotalSize() }} {...handlers}>
        {(printing ? everyItem(lines) : virtual.getVirtualItems()).map(({ index, start, size, key }) => {
          const line = lines[index];
          if (line === undefined) return null;
          const common = {
            at: index,
            id: idOf(line.key),
            isActive: index === active,
            style: { transform: `translateY(${start}px)`, ...(isNarrow ? {} : { height: size }) },
            // On a phone the cells take as many lines as they need.
            measure: isNarrow && !printing ? virtual.measureElement : undefined,
          };
          return line.kind === 'group' ? (
            <GroupLine
              key={key}
              {...common}
              line={line}
              chosen={line.rows.filter(({ task }) => selection.ids.has(task.id)).length}
              onToggle={(group) => onFold(group, !line.open)}
              onSelect={selection.setMany}
            />
          ) : (
            <TaskLine
              key={key}
              {...common}
              row={line.row}
              columns={columns}
              isSelected={selection.ids.has(line.row.task.id)}
              isDraggable={isByHand}
              isOpen={line.row.task.id === taskId}
              to={addressOf(line.row.task.id)}
              onToggle={toggle}
              onOpen={openAt}
              onPick={pick}
            />
          );
        })}
        {dropAt === undefined ? null : <Mark y={virtual.measurementsCache[dropAt]?.start ?? virtual.getTotalSize()} />}
      </div>
      <Announcement text={announcement} />
    </div>
  );
}

/** Is said by screen readers. It is outside the grid, which contains rows alone. */
function Announcement({ text }: { readonly text: string }): ReactElement {
  return createPortal(
    <span role="status" className="visually-hidden">
      {text}
    </span>,
    document.body,
  );
}

/** Where dragged rows would be dropped. */
function Mark({ y }: { readonly y: number }): ReactElement {
  return <div aria-hidden className={styles['mark']} style={{ transform: `translateY(${y}px)` }} />;
}

/** The address that opens a task, by its id. */
function useAddressOf(): (id: string) => string {
  const [query] = useSearchParams();
  return useMemo(() => {
    const search = query.toString();
    return (id) => {
      const next = new URLSearchParams(search);
      next.set('task', id);
      return `?${next.toString()}`;
    };
  }, [query]);
}

/** The shares of columns in the width of the paper; others take one. */
const printedParts: Partial<Record<ColumnId, number>> = { label: 3, status: 1.3, tags: 1.6 };

function printedTracks(columns: readonly ColumnId[]): string {
  return columns.map((id) => `minmax(0, ${printedParts[id] ?? 1}fr)`).join(' ');
}

/** All of them, for paper, which places them itself. */
function everyItem(lines: readonly Line[]): readonly Pick<VirtualItem, 'index' | 'key' | 'start' | 'size'>[] {
  return lines.map(({ key }, index) => ({ index, key, start: 0, size: 0 }));
}

type HeadProps = Pick<GridProps, 'columns' | 'sort' | 'onSort' | 'shown' | 'selection'>;

function Head({ columns, sort, onSort, shown, selection }: HeadProps): ReactElement {
  const { size } = selection.ids;
  const all = size > 0 && size === shown.size;
  return (
    <div role="rowgroup" className={styles['head']}>
      <div role="row" aria-rowindex={1} className={styles['headRow']}>
        <div role="columnheader" className={styles['check']}>
          <label>
            <input
              type="checkbox"
              aria-label="Select all that are shown"
              checked={all}
              ref={(box) => {
                if (box !== null) box.indeterminate = size > 0 && !all;
              }}
              onChange={() => selection.setMany(shown, !all)}
            />
          </label>
        </div>
        {columns.map((id) => {
          const at = sort.findIndex((one) => one.id === id);
          const by = sort[at];
          const Arrow = by?.desc === true ? ArrowDown : ArrowUp;
          return (
            <div
              key={id}
              role="columnheader"
              className={styles['cell']}
              data-column={id}
              aria-sort={by === undefined ? 'none' : by.desc ? 'descending' : 'ascending'}
            >
              <button
                type="button"
                title="Sort by it; with Shift, also by it"
                onClick={(event) => onSort(id, event.shiftKey)}
              >
                {columnName(id)}
                {by === undefined ? null : <Arrow size={12} aria-hidden />}
                {sort.length > 1 && by !== undefined ? <sup>{at + 1}</sup> : null}
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
}
