import { Bot, FilePen, Settings2, UserRound } from './icons.ts';
import type { ReactElement } from 'react';
import { authorOf } from '../rest/author.ts';
import type { Answer } from '../rest/client.ts';
import { fieldName } from '../rest/field-names.ts';
import styles from './activity.module.css';
import { DeletedName } from './deleted-name.tsx';
import { TargetLink } from './target.tsx';
import { Ago } from './time.tsx';

type Revision = Answer<'list_revisions'>['revisions'][number];

const kinds = { human: UserRound, agent: Bot, file: FilePen, system: Settings2 } as const;

export function AuthorIcon({ author, size = 15 }: { readonly author: string; readonly size?: number }): ReactElement {
  const { kind } = authorOf(author);
  const Icon = kinds[kind];
  return (
    <Icon
      size={size}
      role="img"
      aria-label={kind === 'human' ? 'Person' : kind === 'agent' ? 'Agent' : kind === 'file' ? 'File' : 'System'}
    />
  );
}

/** The display names of fields; only the first few. */
export function fieldsText(fields: readonly string[]): string {
  const names = [...new Set(fields.map(fieldName))];
  return names.length <= 3 ? names.join(', ') : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;
}

/** Changes, newest first, a line each. */
export function Activity({ revisions }: { readonly revisions: readonly Revision[] }): ReactElement {
  return (
    <ul className={styles['list']}>
      {revisions.map((revision) => (
        <li key={revision.id} className={styles['line']}>
          <AuthorIcon author={revision.author} />
          <p>
            <strong>{authorOf(revision.author).name}</strong>{' '}
            {revision.changed_fields[0] === 'deleted' ? (
              'deleted'
            ) : (
              <>changed {fieldsText(revision.changed_fields)} of</>
            )}{' '}
            {revision.changed_fields[0] === 'deleted' ? (
              <DeletedName projectId={revision.project_id} revision={revision} />
            ) : (
              <TargetLink projectId={revision.project_id} type={revision.target_type} id={revision.target_id} />
            )}
          </p>
          <span className={styles['when']}>
            <Ago time={revision.created_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
