import type { ReactElement } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { PriorityIcon } from '../../ui/priority-icon.tsx';
import { Ago } from '../../ui/time.tsx';
import type { Entry } from './entries.ts';
import styles from '../../ui/queue.module.css';

const tones = { low: 'plain', medium: 'warn', high: 'danger' } as const;

export function Facts({ entry }: { readonly entry: Entry }): ReactElement {
  if (entry.kind === 'submission') {
    const { participant_name: who, severity, status, created_at: at } = entry.submission;
    return (
      <span className={styles['facts']}>
        <span>{who}</span>
        <Ago time={at} />
        {severity == null ? null : <Badge tone={tones[severity]}>{severity} severity</Badge>}
        {status === 'pending' ? null : <Badge tone={status === 'accepted' ? 'good' : 'plain'}>{status}</Badge>}
      </span>
    );
  }
  const { priority, created_at: at, blocked, tags } = entry.task;
  return (
    <span className={styles['facts']}>
      {priority === null ? null : <PriorityIcon priority={priority} />}
      <Ago time={at} />
      {blocked ? <Badge tone="warn">Blocked</Badge> : null}
      {tags.slice(0, 3).map(({ id, name }) => (
        <span key={id}>#{name}</span>
      ))}
    </span>
  );
}
