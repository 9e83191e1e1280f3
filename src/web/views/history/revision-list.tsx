import { ChevronRight } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import type { RevisionRow } from '../../api/revisions.ts';
import { useQueryValue } from '../../shell/query-state.ts';
import { authorOf } from '../../rest/author.ts';
import { AuthorIcon, fieldsText } from '../../ui/activity.tsx';
import { DeletedName } from '../../ui/deleted-name.tsx';
import { placeOf } from '../../ui/target.tsx';
import { Ago } from '../../ui/time.tsx';
import styles from './history.module.css';
import { RevisionChanges } from './revision-changes.tsx';

interface Shared {
  readonly projectId: string;
  readonly names: ReadonlyMap<string, string>;
  readonly onAuthor: (author: string) => void;
}

const dayOf = new Intl.DateTimeFormat(undefined, { weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' });

/** Changes grouped by day. Opening one shows its fields. */
export function RevisionList({
  revisions,
  ...shared
}: Shared & { readonly revisions: readonly RevisionRow[] }): ReactElement {
  const [opened, setOpened] = useQueryValue<string>('change', '');
  const days = byDay(revisions);
  return (
    <>
      {days.map(([day, rows]) => (
        <section key={day} aria-label={day}>
          <h2 className={styles['day']}>{day}</h2>
          <ol className={styles['revisions']}>
            {rows.map((revision) => (
              <RevisionLine
                key={revision.id}
                {...shared}
                revision={revision}
                open={opened === revision.id}
                onToggle={() => setOpened(opened === revision.id ? '' : revision.id)}
              />
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}

function byDay(revisions: readonly RevisionRow[]): readonly (readonly [string, readonly RevisionRow[]])[] {
  const days = new Map<string, RevisionRow[]>();
  for (const revision of revisions) {
    const day = dayOf.format(new Date(revision.created_at));
    const rows = days.get(day);
    if (rows === undefined) days.set(day, [revision]);
    else rows.push(revision);
  }
  return [...days];
}

function RevisionLine({
  projectId,
  names,
  onAuthor,
  revision,
  open,
  onToggle,
}: Shared & {
  readonly revision: RevisionRow;
  readonly open: boolean;
  readonly onToggle: () => void;
}): ReactElement {
  const { author, target_type: type, target_id: id, created_at: at } = revision;
  const deleted = revision.changed_fields[0] === 'deleted';
  const fields = fieldsText(revision.changed_fields);
  const panel = `change-${revision.id}`;
  return (
    <li className={styles['revision']} data-open={open ? '' : undefined}>
      <div className={styles['line']}>
        <button
          type="button"
          className={styles['toggle']}
          aria-expanded={open}
          aria-controls={open ? panel : undefined}
          onClick={onToggle}
          aria-label={deleted ? `Show what was deleted` : `Show the change of ${fields}`}
        >
          <ChevronRight size={15} aria-hidden />
        </button>
        <AuthorIcon author={author} />
        <p>
          <button type="button" className={styles['author']} onClick={() => onAuthor(author)} title="Show only theirs">
            {authorOf(author).name}
          </button>{' '}
          {deleted ? 'deleted' : `changed ${fields} of`}{' '}
          {deleted ? (
            <DeletedName projectId={projectId} revision={revision} />
          ) : names.has(id) ? (
            <Link to={placeOf({ projectId, type, id })}>{names.get(id)}</Link>
          ) : (
            `a deleted ${type}`
          )}
        </p>
        <span className={styles['when']}>
          <Ago time={at} />
        </span>
      </div>
      {open ? (
        <div id={panel} className={styles['changes']}>
          <RevisionChanges projectId={projectId} revision={revision} names={names} />
        </div>
      ) : null}
    </li>
  );
}
