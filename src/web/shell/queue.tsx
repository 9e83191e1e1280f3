import { useRef, useState } from 'react';
import type { ReactElement, ReactNode, RefObject } from 'react';
import { Button } from '../ui/button.tsx';
import { ChevronLeft } from '../ui/icons.ts';
import styles from '../ui/queue.module.css';
import { useQueryValue } from './query-state.ts';
import { Keys } from './keys.tsx';
import { useShortcuts } from './shortcuts.tsx';

/** An entry that waits in a queue. */
export interface Queued {
  readonly id: string;
  readonly title: string;
}

/** An action on the selected entry, by button or key. */
export interface Action {
  readonly keys: string;
  readonly name: string;
  readonly icon: ReactElement;
  readonly look?: 'primary' | 'danger';
  readonly run: () => void;
}

export interface Actions {
  readonly actions: readonly Action[];
  /** The open dialogs. */
  readonly windows: ReactNode;
}

/** A queue, its selected entry and the moves in it. */
export interface QueueState<E extends Queued> {
  readonly entries: readonly E[];
  /** The first one unless the address names another. */
  readonly chosen: E | undefined;
  /** True if the address names an entry: on a phone it is shown instead of the list. */
  readonly isOpen: boolean;
  readonly shown: number;
  readonly list: RefObject<HTMLUListElement | null>;
  readonly select: (id: string) => void;
  readonly showMore: () => void;
  readonly move: (by: number) => void;
  /** The selected entry leaves the queue: the next one is selected. */
  readonly goOn: () => void;
}

/** Entries that are shown at first, and with each press of the button below them. */
const shownFirst = 100;

/** The selection in a queue, in the address. */
export function useQueue<E extends Queued>(entries: readonly E[]): QueueState<E> {
  const [item, setItem] = useQueryValue<string>('item', '');
  const [shown, setShown] = useState(shownFirst);
  const list = useRef<HTMLUListElement>(null);
  const found = entries.findIndex(({ id }) => id === item);
  const at = Math.max(0, found);
  return {
    ...{ entries, chosen: entries[at], isOpen: found >= 0, shown, list, select: setItem },
    showMore: () => setShown(shown + shownFirst),
    move: (by) => {
      const next = entries[at + by];
      if (next === undefined) return;
      if (at + by >= shown) setShown(at + by + shownFirst);
      setItem(next.id);
      focusRow(list.current, next.id);
    },
    goOn: () => {
      const next = entries[at + 1] ?? entries[at - 1];
      setItem(next?.id ?? '');
      if (next !== undefined) focusRow(list.current, next.id);
    },
  };
}

/** j and k select the entries of a queue; each action has its key. */
export function useQueueShortcuts(
  name: string,
  { move }: Pick<QueueState<Queued>, 'move'>,
  actions: readonly Action[],
): void {
  useShortcuts(name, [
    { keys: 'j', name: 'Next', run: () => move(1) },
    { keys: 'k', name: 'Previous', run: () => move(-1) },
    ...actions.map(({ keys, name: action, run }) => ({ keys, name: action, run })),
  ]);
}

/** The list of a queue, and next to it the selected entry in full: its actions, and `children`. */
export function Queue<E extends Queued>({
  of: { entries, isOpen, shown, list, select, showMore },
  chosen,
  label,
  facts,
  actions,
  children,
}: {
  readonly of: QueueState<E>;
  readonly chosen: E;
  readonly label: string;
  /** The content of a row below its title. */
  readonly facts: (entry: E) => ReactNode;
  readonly actions: readonly Action[];
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div className={styles['split']} data-open={isOpen ? '' : undefined}>
      <div className={styles['list']}>
        <ul ref={list} aria-label={label}>
          {entries.slice(0, shown).map((entry) => (
            <li key={entry.id}>
              <button
                type="button"
                data-entry={entry.id}
                className={styles['row']}
                aria-current={entry === chosen ? 'true' : undefined}
                onClick={() => select(entry.id)}
              >
                <span className={styles['rowTitle']} dir="auto">
                  {entry.title}
                </span>
                {facts(entry)}
              </button>
            </li>
          ))}
        </ul>
        {entries.length > shown ? (
          <div className={styles['more']}>
            <Button small look="ghost" onClick={showMore}>
              Show more of {entries.length}
            </Button>
          </div>
        ) : null}
      </div>
      <article className={styles['detail']} aria-label={chosen.title}>
        <Button small look="ghost" className={styles['back']} onClick={() => select('')}>
          <ChevronLeft size={14} aria-hidden /> All
        </Button>
        <h2>{chosen.title}</h2>
        {facts(chosen)}
        {actions.length === 0 ? null : (
          <div className={styles['actions']} role="toolbar" aria-label="Decide">
            {actions.map(({ keys, name, icon, look, run }) => (
              <Button key={keys} look={look ?? 'plain'} onClick={run}>
                {icon}
                {name}
                <Keys keys={keys} />
              </Button>
            ))}
          </div>
        )}
        {children}
      </article>
    </div>
  );
}

/** After it is rendered. */
function focusRow(list: HTMLElement | null, id: string): void {
  requestAnimationFrame(() => {
    const row = list?.querySelector<HTMLElement>(`[data-entry="${CSS.escape(id)}"]`);
    row?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  });
}
