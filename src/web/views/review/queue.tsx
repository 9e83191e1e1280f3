import { BadgeCheck } from '../../ui/icons.ts';
import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useQueryValue } from '../../shell/query-state.ts';
import { useShortcuts } from '../../shell/shortcuts.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/states.tsx';
import styles from '../inbox/inbox.module.css';
import { useReviewActions } from './actions.tsx';
import { Detail } from './detail.tsx';
import type { Entry, Tab } from './entries.ts';
import { EntryRow } from './entry-row.tsx';

const empty: Readonly<Record<Tab, { readonly title: string; readonly about: string }>> = {
  all: { title: 'Nothing to review', about: 'Finished tasks that are not verified, and agents that ask, wait here.' },
  questions: {
    title: 'No questions',
    about: 'A run whose newest message ends with a question mark waits here for an answer.',
  },
  approval: { title: 'Nothing to approve', about: 'Finished tasks in the lanes Approve and Full wait here.' },
  finished: {
    title: 'Nothing to verify',
    about: 'Finished tasks without a verification wait here, except in lane Auto.',
  },
};

const shownFirst = 100;

/** The queue with the selected entry beside it. j and k select, a approves, r sends back. */
export function Queue({
  projectId,
  tab,
  entries,
}: {
  readonly projectId: string;
  readonly tab: Tab;
  readonly entries: readonly Entry[];
}): ReactElement {
  const [item, setItem] = useQueryValue<string>('item', '');
  const [shown, setShown] = useState(shownFirst);
  const list = useRef<HTMLUListElement>(null);
  const found = entries.findIndex(({ id }) => id === item);
  const at = Math.max(0, found);
  const chosen = entries[at];
  const go = (to: number): void => {
    const next = entries[to];
    if (next === undefined) return;
    if (to >= shown) setShown(to + shownFirst);
    setItem(next.id);
    focusRow(list.current, next.id);
  };
  /** A reviewed entry leaves the queue: the next one is selected. */
  const goOn = (): void => {
    const next = entries[at + 1] ?? entries[at - 1];
    setItem(next?.id ?? '');
    if (next !== undefined) focusRow(list.current, next.id);
  };
  const { actions, windows } = useReviewActions(projectId, chosen, goOn);
  useShortcuts('Review', [
    { keys: 'j', name: 'Next', run: () => go(at + 1) },
    { keys: 'k', name: 'Previous', run: () => go(at - 1) },
    ...actions.map(({ keys, name, run }) => ({ keys, name, run })),
  ]);
  if (chosen === undefined)
    return (
      <>
        <Empty icon={<BadgeCheck size={28} aria-hidden />} title={empty[tab].title}>
          {empty[tab].about}
        </Empty>
        {windows}
      </>
    );
  return (
    <div className={styles['split']} data-open={found < 0 ? undefined : ''}>
      <div className={styles['list']}>
        <ul ref={list} aria-label="To review">
          {entries.slice(0, shown).map((entry) => (
            <EntryRow key={entry.id} entry={entry} current={entry === chosen} onChoose={() => setItem(entry.id)} />
          ))}
        </ul>
        {entries.length > shown ? (
          <div className={styles['more']}>
            <Button small look="ghost" onClick={() => setShown(shown + shownFirst)}>
              Show more of {entries.length}
            </Button>
          </div>
        ) : null}
      </div>
      <Detail projectId={projectId} entry={chosen} actions={actions} onBack={() => setItem('')} />
      {windows}
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
