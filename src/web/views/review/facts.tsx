import type { ReactElement } from 'react';
import { needsApproval } from '../../api/review.ts';
import { workerOf } from '../../api/runs.ts';
import { Badge } from '../../ui/badge.tsx';
import { PriorityIcon } from '../../ui/priority-icon.tsx';
import { Ago } from '../../ui/time.tsx';
import styles from '../../ui/queue.module.css';
import type { Entry } from './entries.ts';

export function Facts({ entry }: { readonly entry: Entry }): ReactElement {
  if (entry.kind === 'run') {
    const { awaiting, started_at: began } = entry.run;
    const who = workerOf(entry.run);
    return (
      <span className={styles['facts']}>
        <Badge tone="warn">Asks</Badge>
        {who === null ? null : <span>{who}</span>}
        <Ago time={awaiting?.asked_at ?? began} />
      </span>
    );
  }
  const { task } = entry;
  return (
    <span className={styles['facts']}>
      {needsApproval(task) ? <Badge tone="accent">Needs approval</Badge> : null}
      {task.priority === null ? null : <PriorityIcon priority={task.priority} />}
      {task.assignee === null ? null : <span>{task.assignee}</span>}
      <Ago time={task.updated_at} />
      {task.commit_refs.length === 0 ? null : (
        <span>{task.commit_refs.length === 1 ? '1 commit' : `${task.commit_refs.length} commits`}</span>
      )}
    </span>
  );
}
