import type { ReactElement, ReactNode } from 'react';
import { classes } from './class-names.ts';
import styles from './ui.module.css';

export interface BadgeProps {
  readonly tone?: 'plain' | 'good' | 'warn' | 'danger' | 'info' | 'accent';
  readonly icon?: ReactNode;
  readonly title?: string;
  readonly children: ReactNode;
}

export function Badge({ tone = 'plain', icon, title, children }: BadgeProps): ReactElement {
  return (
    <span className={classes(styles['badge'], tone !== 'plain' && styles[`tone-${tone}`])} title={title}>
      {icon}
      <span>{children}</span>
    </span>
  );
}

/** A tag with its colour as a dot, so that every colour is readable in both themes. */
export function TagBadge({ name, color }: { readonly name: string; readonly color: string | null }): ReactElement {
  return (
    <Badge icon={<span className={styles['dot']} style={color === null ? {} : { background: color }} aria-hidden />}>
      {name}
    </Badge>
  );
}

export interface ProgressProps {
  readonly done: number;
  readonly underway?: number;
  readonly all: number;
  readonly label: string;
}

export function Progress({ done, underway = 0, all, label }: ProgressProps): ReactElement {
  const share = (count: number): string => `${all === 0 ? 0 : (count / all) * 100}%`;
  return (
    <div
      className={styles['progress']}
      role="progressbar"
      aria-label={label}
      aria-valuenow={done}
      aria-valuemin={0}
      aria-valuemax={all}
    >
      <span style={{ width: share(done) }} />
      <span style={{ width: share(underway) }} />
    </div>
  );
}
