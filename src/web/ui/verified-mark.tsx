import type { ReactElement } from 'react';
import { BadgeCheck } from './icons.ts';
import { dayText } from './time.tsx';
import styles from './ui.module.css';

/** The mark of a task that is verified, on cards and in rows. */
export function VerifiedMark({
  at,
  by,
  isStale,
}: {
  readonly at: string | null;
  readonly by: string | null;
  /** The covered files have changed since. */
  readonly isStale: boolean;
}): ReactElement | null {
  if (at === null) return null;
  const text = `Verified ${dayText(at)}${by === null ? '' : `: ${by}`}${isStale ? '; stale' : ''}`;
  return (
    <span className={styles['verifiedMark']} data-stale={isStale} title={text}>
      <BadgeCheck size={14} role="img" aria-label={text} />
    </span>
  );
}
