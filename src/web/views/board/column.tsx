import { useDroppable } from '@dnd-kit/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { VirtualItem } from '@tanstack/react-virtual';
import { ChevronLeft, Plus } from '../../ui/icons.ts';
import { memo, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ReactElement, RefObject } from 'react';
import type { TaskStatus } from '../../rest/types.ts';
import { statusNames } from '../../api/tasks.ts';
import { useKeptScroll } from '../../shell/use-kept-scroll.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { useQuickAdd } from '../../ui/quick-add.tsx';
import { usePrinting } from '../../ui/printing.ts';
import { StatusIcon } from '../../ui/status-icon.tsx';
import styles from './board.module.css';
import { Card } from './card.tsx';
import type { CardProps } from './card.tsx';
import type { Entry } from './groups.ts';

/** A card to focus, and its column. */
export interface FocusTarget {
  readonly id: string;
  readonly status: TaskStatus;
}

export interface ColumnProps {
  readonly projectId: string;
  readonly status: TaskStatus;
  readonly entries: readonly Entry[];
  /** The number of tasks that are left out because they were done long ago. */
  readonly older: number;
  readonly onOlder: () => void;
  readonly onOpen: (id: string) => void;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: CardProps['onSelect'];
  readonly isFolded: boolean;
  readonly onFold: (status: TaskStatus) => void;
  /** The entry ahead of which the dragged card would be dropped. */
  readonly dropAt: number | undefined;
  readonly focusTarget: FocusTarget | undefined;
  readonly onReached: () => void;
}

/** The estimated height of a card in pixels until it is rendered. */
const cardPixels = 76;

/** One status. Only visible cards are rendered. */
export const Column = memo(StatusColumn);

function StatusColumn({
  projectId,
  status,
  entries,
  older,
  onOlder,
  onOpen,
  selected,
  onSelect,
  isFolded,
  onFold,
  dropAt,
  focusTarget,
  onReached,
}: ColumnProps): ReactElement {
  const { setNodeRef, isOver } = useDroppable({ id: status });
  const scroller = useRef<HTMLDivElement>(null);
  const [adding, setAdding] = useState(false);
  const printing = usePrinting();
  const { begin, keep } = useKeptScroll(status);
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    ...begin,
    estimateSize: (at) => (entries[at]!.kind === 'group' ? 34 : cardPixels),
    getItemKey: (at) => keyOf(entries[at]!),
    overscan: 6,
  });
  useFocusOn(scroller, virtual, entries, focusTarget, onReached);
  const count = entries.reduce((sum, { kind }) => (kind === 'task' ? sum + 1 : sum), older);
  if (isFolded && !printing) return <Folded {...{ status, count, isOver, onFold }} place={setNodeRef} />;
  return (
    <section
      ref={setNodeRef}
      className={classes(styles['column'], isOver && styles['over'])}
      aria-labelledby={`column-${status}`}
      data-status={status}
    >
      <header className={styles['head']}>
        <StatusIcon status={status} />
        <h2 id={`column-${status}`}>
          {statusNames[status]} <span className={styles['count']}>{count}</span>
        </h2>
        <IconButton
          small
          label={`Fold ${statusNames[status]}`}
          icon={<ChevronLeft size={15} />}
          onClick={() => onFold(status)}
        />
        <IconButton
          small
          label={`Add a task to ${statusNames[status]}`}
          icon={<Plus size={15} />}
          onClick={() => setAdding(true)}
        />
      </header>
      {adding ? <QuickAdd projectId={projectId} status={status} onClose={() => setAdding(false)} /> : null}
      <div
        className={styles['scroll']}
        ref={scroller}
        tabIndex={-1}
        onScroll={(event) => keep(event, virtual.measurementsCache)}
      >
        <ul className={styles['cards']} style={{ height: virtual.getTotalSize() }}>
          {(printing ? everyItem(entries) : virtual.getVirtualItems()).map(({ index, key, start }) => {
            const entry = entries[index]!;
            return (
              <li
                key={key}
                data-index={index}
                ref={printing ? undefined : virtual.measureElement}
                style={{ transform: `translateY(${start}px)` }}
              >
                {entry.kind === 'task' ? (
                  <Card
                    task={entry.task}
                    onOpen={onOpen}
                    isSelected={selected.has(entry.task.id)}
                    onSelect={onSelect}
                  />
                ) : (
                  <h3 className={styles['groupHead']}>
                    {entry.name} <span className={styles['count']}>{entry.count}</span>
                  </h3>
                )}
              </li>
            );
          })}
          {dropAt === undefined ? null : (
            <li
              aria-hidden
              className={styles['mark']}
              style={{
                transform: `translateY(${virtual.measurementsCache[dropAt]?.start ?? virtual.getTotalSize()}px)`,
              }}
            />
          )}
        </ul>
        {older === 0 ? null : (
          <Button small look="ghost" onClick={onOlder}>
            Show {older} older
          </Button>
        )}
      </div>
    </section>
  );
}

interface FoldedProps extends Pick<ColumnProps, 'status' | 'onFold'> {
  readonly count: number;
  readonly isOver: boolean;
  readonly place: (element: HTMLElement | null) => void;
}

/** A column without its cards, on which cards can be dropped. */
function Folded({ status, count, isOver, onFold, place }: FoldedProps): ReactElement {
  return (
    <section
      ref={place}
      className={classes(styles['column'], styles['folded'], isOver && styles['over'])}
      aria-labelledby={`column-${status}`}
      data-status={status}
    >
      <button type="button" aria-expanded={false} onClick={() => onFold(status)}>
        <StatusIcon status={status} />
        <h2 id={`column-${status}`}>
          {statusNames[status]} <span className={styles['count']}>{count}</span>
        </h2>
      </button>
    </section>
  );
}

/** Scrolls to the requested card and focuses it once it is rendered in this column. */
function useFocusOn(
  scroller: RefObject<HTMLElement | null>,
  virtual: { readonly scrollToIndex: (index: number) => void },
  entries: readonly Entry[],
  focusTarget: FocusTarget | undefined,
  onReached: () => void,
): void {
  const at =
    focusTarget === undefined
      ? -1
      : entries.findIndex((entry) => entry.kind === 'task' && entry.task.id === focusTarget.id);
  const scrollTo = useEffectEvent((index: number) => virtual.scrollToIndex(index));
  useEffect(() => {
    if (focusTarget === undefined || at < 0) return undefined;
    scrollTo(at);
    let frame = requestAnimationFrame(function look() {
      const card = scroller.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(focusTarget.id)}"]`);
      if (card == null) {
        frame = requestAnimationFrame(look);
        return;
      }
      card.focus({ preventScroll: true });
      onReached();
    });
    return () => cancelAnimationFrame(frame);
  }, [at, focusTarget, onReached, scroller]);
}

/** All of them, for paper, which places them itself. */
function everyItem(entries: readonly Entry[]): readonly Pick<VirtualItem, 'index' | 'key' | 'start'>[] {
  return entries.map((entry, index) => ({ index, key: keyOf(entry), start: 0 }));
}

function keyOf(entry: Entry): string {
  return entry.kind === 'task' ? entry.task.id : `group ${entry.name}`;
}

/** Enter creates a task with the typed label; the field remains open for the next one. */
function QuickAdd({
  projectId,
  status,
  onClose,
}: Pick<ColumnProps, 'projectId' | 'status'> & { readonly onClose: () => void }): ReactElement {
  const { text, setText, isEmpty, add, chips } = useQuickAdd(projectId, { status });
  return (
    <form
      className={styles['add']}
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <input
        autoFocus
        aria-label={`New task in ${statusNames[status]}`}
        placeholder="What is to be done?"
        value={text}
        maxLength={500}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key }) => key === 'Escape' && onClose()}
        onBlur={() => text.trim() === '' && onClose()}
      />
      <Button type="submit" small look="primary" disabled={isEmpty}>
        Add
      </Button>
      {chips}
    </form>
  );
}
