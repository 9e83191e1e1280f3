import { useState } from 'react';
import type { ReactElement } from 'react';
import { authorOf } from '../../rest/author.ts';
import { useRestoreFromTrash, useTrash } from '../../api/trash.ts';
import type { TrashEntry } from '../../api/trash.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useTitle } from '../../shell/title.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Trash2 } from '../../ui/icons.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Ago, dayText } from '../../ui/time.tsx';
import ui from '../../ui/ui.module.css';
import styles from './trash.module.css';

const kinds: Readonly<Record<TrashEntry['target_type'], string>> = {
  task: 'Task',
  document: 'Document',
  note: 'Note',
  artifact: 'Artifact',
  goal: 'Goal',
  comment: 'Comment',
  edge: 'Edge',
  folder: 'Folder',
  prototype: 'Prototype',
  tag: 'Tag',
  view: 'Saved view',
};

/** Everything that was deleted in the last 30 days, to be restored. */
export function TrashView(): ReactElement {
  const projectId = useProjectId();
  useTitle('Trash');
  const trash = useTrash(projectId);
  return (
    <Page
      title="Trash"
      about="What is deleted here stays for 30 days and returns with its links, comments and contents. It is kept on the service’s machine, not in the plan’s files."
    >
      <Loaded of={trash} view="rows">
        {(entries) =>
          entries.length === 0 ? (
            <Empty icon={Trash2} title="The trash is empty">
              Deleted tasks, documents, comments and the like appear here.
            </Empty>
          ) : (
            <Entries entries={entries.toSorted(newestFirst)} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** Updates insert rows in the order of creation. */
function newestFirst(a: TrashEntry, b: TrashEntry): number {
  return `${a.created_at} ${a.id}` < `${b.created_at} ${b.id}` ? 1 : -1;
}

const shownAtFirst = 200;

function Entries({ entries }: { readonly entries: readonly TrashEntry[] }): ReactElement {
  const [all, setAll] = useState(false);
  const shown = all ? entries : entries.slice(0, shownAtFirst);
  return (
    <>
      <ul className={`${ui['card']} ${styles['list']}`} aria-label="Deleted">
        {shown.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ul>
      {shown.length < entries.length ? (
        <Button onClick={() => setAll(true)}>Show all {entries.length.toLocaleString()}</Button>
      ) : null}
    </>
  );
}

function Entry({ entry }: { readonly entry: TrashEntry }): ReactElement {
  const { label, target_type: type, deleted_by: by, created_at: at, expires_at: until, restorable } = entry;
  const { restore, isPending } = useRestoreFromTrash();
  const contents = contentsOf(entry);
  return (
    <li className={styles['entry']}>
      <div className={styles['what']}>
        <span className={styles['label']} dir="auto">
          {label === '' ? 'Without a text' : label}
        </span>
        <span className={styles['facts']}>
          Deleted by {authorOf(by).name} <Ago time={at} />, until {dayText(until)}
          {contents === '' ? '' : `, with ${contents}`}
        </span>
      </div>
      <Badge>{kinds[type]}</Badge>
      <Button
        small
        disabled={isPending || !restorable}
        title={restorable ? undefined : 'Its content was too large for the trash.'}
        aria-label={`Restore ${kinds[type].toLowerCase()} ${label}`}
        onClick={() => restore(entry)}
      >
        Restore
      </Button>
    </li>
  );
}

/** The records that return with an entry. */
function contentsOf({ edges, comments, records }: TrashEntry): string {
  return [
    edges === 0 ? '' : edges === 1 ? '1 link' : `${edges} links`,
    comments === 0 ? '' : comments === 1 ? '1 comment' : `${comments} comments`,
    records === 0 ? '' : records === 1 ? '1 record in it' : `${records} records in it`,
  ]
    .filter((text) => text !== '')
    .join(', ');
}
