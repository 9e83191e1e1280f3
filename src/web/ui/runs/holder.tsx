import type { ReactElement } from 'react';
import { cameBack, isAgent, newestRun, useRuns } from '../../api/runs.ts';
import type { RunRow, RunState } from '../../api/runs.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { openPicker } from '../../picker/picking.ts';
import { classes } from '../class-names.ts';
import { Bot, CircleX, Hand, MessageSquare, TriangleAlert, UserRound } from '../icons.ts';
import { plainText } from '../plain-text.ts';
import { useRunState } from './run-status.tsx';
import { Ago, ago, useNowAt } from '../time.tsx';
import styles from '../ui.module.css';

export interface HolderProps {
  readonly task: Pick<TaskRow, 'id' | 'project_id' | 'status' | 'assignee' | 'lease_expires_at'>;
}

/** Returns whether the claim of a task ran out: another agent may take it. */
export function claimRanOut({ task }: HolderProps, now: number): boolean {
  return task.status === 'in_progress' && task.lease_expires_at !== null && Date.parse(task.lease_expires_at) <= now;
}

const looks = {
  asks: { icon: MessageSquare, look: 'waits', name: 'Asks a person' },
  ranOut: { icon: Hand, look: 'waits', name: 'Its claim ran out, held by' },
  silent: { icon: TriangleAlert, look: 'waits', name: 'Silent' },
  running: { icon: Bot, look: 'holds', name: 'Worked on by' },
  holds: { icon: Hand, look: 'holds', name: 'Held by' },
  cameBack: { icon: CircleX, look: 'cameBack', name: 'Came back' },
  assigned: { icon: UserRound, look: '', name: 'Assigned to' },
} as const;

function workOn(
  { task }: HolderProps,
  run: RunRow | undefined,
  state: RunState | undefined,
  now: number,
): keyof typeof looks | undefined {
  if (state === 'asks') return state;
  if (claimRanOut({ task }, now)) return 'ranOut';
  if (state === 'running' || state === 'silent') return state;
  if (cameBack(task, run)) return 'cameBack';
  if (task.assignee === null) return undefined;
  return task.status === 'in_progress' ? 'holds' : 'assigned';
}

/** Shows the agent or person that works on a task, since when, and whether it asks, is silent or failed; else the assignee. */
export function Holder({ task }: HolderProps): ReactElement | null {
  const { project_id: projectId, assignee, lease_expires_at: until } = task;
  const { data: runs } = useRuns(projectId);
  const run = runs && newestRun(runs, task);
  const now = useNowAt(until);
  const work = workOn({ task }, run, useRunState(run), now);
  if (work === undefined) return null;
  const { icon, look, name } = looks[work];
  const Icon = work === 'assigned' && isAgent(runs, assignee!) ? Bot : icon;
  const isOfRun = work === 'asks' || work === 'running' || work === 'silent' || work === 'cameBack';
  const by =
    (isOfRun ? run?.agent : undefined) ?? assignee ?? (work === 'cameBack' ? null : (run?.agent_ref ?? run?.label));
  return (
    <span
      className={classes(styles['holder'], styles[look])}
      onClick={(event) => {
        // Keys and the menu of the card or row answer, too.
        if (work !== 'asks') return;
        event.stopPropagation();
        openPicker({ ids: [task.id], field: 'answer', anchor: event.currentTarget });
      }}
      title={`${name} ${by ?? ''}${leaseText(task, now)}${look === '' ? '' : lineText(run)}`}
    >
      <Icon size={12} role="img" aria-label={name} />
      {by == null ? null : <span dir="auto">{by}</span>}
      <WorkState work={work} run={run} />
    </span>
  );
}

/** Since when an agent works, or why its work waits. */
function WorkState({
  work,
  run,
}: {
  readonly work: keyof typeof looks;
  readonly run: RunRow | undefined;
}): ReactElement | null {
  if (work === 'asks' || work === 'silent') return <strong>{work}</strong>;
  if (run === undefined) return null;
  if (work === 'running') return <Ago time={run.started_at} />;
  if (work !== 'cameBack') return null;
  return (
    <strong>
      failed <Ago time={run.completed_at ?? run.started_at} />
    </strong>
  );
}

function leaseText({ status, lease_expires_at: until }: HolderProps['task'], now: number): string {
  if (until === null || status !== 'in_progress') return '';
  return `; the claim ${Date.parse(until) <= now ? 'ran' : 'runs'} out ${ago(until, now)}`;
}

function lineText(run: RunRow | undefined): string {
  const line = run?.events.at(-1)?.message;
  return line === undefined ? '' : `: ${plainText(line)}`;
}
