import { Inbox as InboxIcon } from '../../ui/icons.ts';
import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useQueryValue } from '../../shell/query-state.ts';
import { useShortcuts } from '../../shell/shortcuts.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/states.tsx';
import { useActions } from './actions.tsx';
import { Detail } from './detail.tsx';
import type { Entry, Tab } from './entries.ts';
import { EntryRow } from './entry-row.tsx';
import styles from './inbox.module.css';

const empty: Readonly<Record<Tab, { readonly title: string; readonly about: string }>> = {
  submissions: {
    title: 'Nothing to triage',
    about: 'Submissions of participants wait here. Create participant links in Settings.',
  },
  proposals: {
    title: 'No proposals',
    about: 'Tasks in Scope wait here for release: accepted submissions, remediation tasks, ideas.',
  },
  backlog: { title: 'The backlog is empty', about: 'Tasks that are not scheduled yet wait here.' },
  decided: { title: 'Nothing decided yet', about: 'Submissions that were accepted or rejected stay here.' },
};

const shownFirst = 100;

/** A list with the selected entry beside it. j and k select, one key per action decides. */
export function Triage({
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
  /** A decided entry leaves the list: the next one is selected. */
  const goOn = (): void => {
    const next = entries[at + 1] ?? entries[at - 1];
    setItem(next?.id ?? '');
    if (next !== undefined) focusRow(list.current, next.id);
  };
  const { actions, windows } = useActions({ projectId, tab, entry: chosen, goOn });
  useShortcuts('Inbox', [
    { keys: 'j', name: 'Next', run: () => go(at + 1) },
    { keys: 'k', name: 'Previous', run: () => go(at - 1) },
    ...actions.map(({ keys, name, run }) => ({ keys, name, run })),
  ]);
  if (chosen === undefined)
    return (
      <Empty icon={<InboxIcon size={28} aria-hidden />} title={empty[tab].title}>
        {empty[tab].about}
      </Empty>
    );
  return (
    <div className={styles['split']} data-open={found < 0 ? undefined : ''}>
      <div className={styles['list']}>
        <ul ref={list} aria-label="To triage">
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
