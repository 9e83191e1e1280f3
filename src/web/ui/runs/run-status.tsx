import type { ReactElement } from 'react';
import { runStatusNames } from '../../api/runs.ts';
import type { RunRow } from '../../api/runs.ts';
import { Badge } from '../badge.tsx';
import { CircleCheck, CircleX, LoaderCircle, MessageSquare } from '../icons.ts';
import styles from './runs.module.css';

const looks = {
  running: { tone: 'info', icon: LoaderCircle },
  completed: { tone: 'good', icon: CircleCheck },
  failed: { tone: 'danger', icon: CircleX },
  asks: { tone: 'warn', icon: MessageSquare },
} as const;

/** The status of a run, or that it asks. */
export function RunStatus({ run: { status, asks } }: { readonly run: RunRow }): ReactElement {
  const shown = asks ? 'asks' : status;
  const { tone, icon: Icon } = looks[shown];
  const turning = shown === 'running' ? styles['turning'] : undefined;
  return (
    <Badge tone={tone} icon={<Icon size={13} aria-hidden className={turning} />}>
      {asks ? 'Asks' : runStatusNames[status]}
    </Badge>
  );
}

/** How long something took: `3 min`, `2 h 5 min`. */
export function durationText(from: string, to: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} days`;
}
