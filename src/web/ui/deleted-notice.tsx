import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { authorOf } from '../rest/author.ts';
import { useRestoreFromTrash, useTrash } from '../api/trash.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import styles from './deleted-notice.module.css';
import { Ago } from './time.tsx';

/** A text of a deleted record. */
export interface KeptText {
  readonly name: string;
  readonly text: string;
}

export interface DeletedNoticeProps {
  readonly projectId: string;
  readonly kind: 'task' | 'document' | 'note' | 'artifact';
  readonly id: string;
  readonly title: string;
  /** The texts as they were shown last, and texts that were typed and not saved. Empty ones are omitted. */
  readonly texts: readonly KeptText[];
  readonly onClose?: () => void;
}

/**
 * The remains of a record that was deleted while it was open: who deleted it, its texts to copy, and a button to
 * restore it.
 */
export function DeletedNotice({ projectId, kind, id, title, texts, onClose }: DeletedNoticeProps): ReactElement {
  const { data: entries } = useTrash(projectId, id);
  const { restore, isPending } = useRestoreFromTrash();
  const entry = entries?.[0];
  const { name = 'someone', kind: by = 'human' } = entry === undefined ? {} : authorOf(entry.deleted_by);
  return (
    <div className={styles['notice']}>
      <div role="alert" className={styles['head']}>
        <h2>
          “{title}” was deleted{entry === undefined ? '' : ` by ${by === 'agent' ? `the agent ${name}` : name}`}
        </h2>
        <p>
          {entry === undefined ? (
            'Its file was removed, or it is not in the trash any more.'
          ) : (
            <>
              Deleted <Ago time={entry.created_at} />. It can be restored with its links and comments.
            </>
          )}{' '}
          Its text is kept below.
        </p>
        <div className={styles['actions']}>
          {entry === undefined ? (
            <Link to={`/projects/${projectId}/history?type=${kind}&target=${id}`}>Look in the history</Link>
          ) : (
            <Button look="primary" disabled={isPending || !entry.restorable} onClick={() => restore(entry)}>
              Restore
            </Button>
          )}
          {onClose === undefined ? null : <Button onClick={onClose}>Close</Button>}
        </div>
      </div>
      {texts
        .filter(({ text }) => text.trim() !== '')
        .map(({ name: what, text }) => (
          <section key={what} className={styles['text']} aria-label={what}>
            <div className={styles['textHead']}>
              <h3>{what}</h3>
              <CopyButton text={text} label={`Copy: ${what}`} />
            </div>
            <pre tabIndex={0} dir="auto">
              {text}
            </pre>
          </section>
        ))}
    </div>
  );
}
