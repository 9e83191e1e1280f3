import type { ReactElement } from 'react';
import { lastSignOf, runStateAt, runStatusNames, silentFrom } from '../../api/runs.ts';
import type { RunRow, RunState } from '../../api/runs.ts';
import { Badge } from '../badge.tsx';
import { CircleCheck, CircleX, LoaderCircle, MessageSquare, TriangleAlert } from '../icons.ts';
import { Ago, useNowAt } from '../time.tsx';
import styles from './runs.module.css';

const looks = {
  running: { tone: 'info', icon: LoaderCircle },
  completed: { tone: 'good', icon: CircleCheck },
  failed: { tone: 'danger', icon: CircleX },
  asks: { tone: 'warn', icon: MessageSquare },
  silent: { tone: 'warn', icon: TriangleAlert },
} as const;

const names: Readonly<Record<RunState, string>> = { ...runStatusNames, asks: 'Asks', silent: 'Silent, last line' };

/** The state of a run, again when it counts as silent. */
export function useRunState(run: RunRow | undefined): RunState | undefined {
  const now = useNowAt(run === undefined ? null : silentFrom(run));
  return run && runStateAt(run, now);
}

/** The status of a run, or that it asks or is silent. */
export function RunStatus({ run }: { readonly run: RunRow }): ReactElement {
  const shown = useRunState(run)!;
  const { tone, icon: Icon } = looks[shown];
  const turning = shown === 'running' ? styles['turning'] : undefined;
  return (
    <Badge tone={tone} icon={<Icon size={13} aria-hidden className={turning} />}>
      {names[shown]} {shown === 'silent' ? <Ago time={lastSignOf(run)} /> : null}
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
