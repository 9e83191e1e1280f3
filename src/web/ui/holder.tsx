import type { ReactElement } from 'react';
import { classes } from './class-names.ts';
import { Hand, UserRound } from './icons.ts';
import { ago, useNowAt } from './time.tsx';
import styles from './ui.module.css';

export interface HolderProps {
  readonly task: {
    readonly status: string;
    readonly assignee: string | null;
    readonly lease_expires_at: string | null;
  };
}

/** Returns whether the claim of a task ran out: another agent may take it. */
export function claimRanOut({ task }: HolderProps, now: number): boolean {
  return task.status === 'in_progress' && task.lease_expires_at !== null && Date.parse(task.lease_expires_at) <= now;
}

/** The holder of a task, or its assignee. */
export function Holder({ task }: HolderProps): ReactElement | null {
  const { status, assignee, lease_expires_at: until } = task;
  const now = useNowAt(until);
  if (assignee === null) return null;
  const isOver = claimRanOut({ task }, now);
  const holds = status === 'in_progress';
  const Icon = holds ? Hand : UserRound;
  const name = isOver ? 'Its claim ran out, held by' : holds ? 'Held by' : 'Assigned to';
  const lease = until === null || !holds ? '' : `; the claim ${isOver ? 'ran out' : 'runs out'} ${ago(until, now)}`;
  return (
    <span
      className={classes(styles['holder'], holds && styles['holds'], isOver && styles['ranOut'])}
      title={`${name} ${assignee}${lease}`}
    >
      <Icon size={12} role="img" aria-label={name} />
      <span>{assignee}</span>
    </span>
  );
}
