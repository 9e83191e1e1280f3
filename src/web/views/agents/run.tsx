import { CircleCheck, CircleX, LoaderCircle } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { runStatusNames, useCloseRun } from '../../api/runs.ts';
import type { RunRow } from '../../api/runs.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { MarkdownView } from '../../ui/markdown/markdown-view.tsx';
import { Ago } from '../../ui/time.tsx';
import { AnswerDialog } from '../review/answer-dialog.tsx';
import styles from './agents.module.css';

const looks = {
  running: { tone: 'info', icon: LoaderCircle },
  completed: { tone: 'good', icon: CircleCheck },
  failed: { tone: 'danger', icon: CircleX },
} as const;

/** The number of messages shown at first: of a finished run, its result. */
const newestShown = { running: 5, completed: 1, failed: 2 } as const;

/** A run with its progress as a timeline, newest first. */
export function Run({
  projectId,
  run,
  held,
}: {
  readonly projectId: string;
  readonly run: RunRow;
  readonly held: readonly TaskRow[];
}): ReactElement {
  const { tone, icon: Icon } = looks[run.status];
  const [all, setAll] = useState(false);
  const newest = run.events.toReversed();
  const shown = all ? newest : newest.slice(0, newestShown[run.status]);
  return (
    <article className={styles['run']}>
      <div className={styles['head']}>
        <h2>{run.label ?? run.agent_ref ?? 'A run without a name'}</h2>
        <Badge
          tone={tone}
          icon={<Icon size={13} aria-hidden className={run.status === 'running' ? styles['turning'] : undefined} />}
        >
          {runStatusNames[run.status]}
        </Badge>
      </div>
      <p className={styles['facts']}>
        {run.asks ? <Answer projectId={projectId} run={run} /> : null}
        {run.agent_ref === null || run.label === null ? null : <span>{run.agent_ref}</span>}
        <span>
          Began <Ago time={run.started_at} />
        </span>
        {run.completed_at === null ? null : <span>took {durationText(run.started_at, run.completed_at)}</span>}
        {run.status === 'running' && newest[0] !== undefined ? (
          <span>
            Last message <Ago time={newest[0].created_at} />
          </span>
        ) : null}
        {run.status === 'running' ? <Close projectId={projectId} runId={run.id} /> : null}
      </p>
      <Held tasks={held} />
      {newest.length === 0 ? (
        <p className={styles['none']}>
          {run.status === 'running' ? 'It has not reported progress yet.' : 'It reported no progress.'}
        </p>
      ) : (
        <ol className={styles['timeline']} aria-label="Progress, newest first">
          {shown.map((event) => (
            <li key={event.id}>
              <span className={styles['when']}>
                <Ago time={event.created_at} />
              </span>
              <MarkdownView text={event.message} projectId={projectId} />
            </li>
          ))}
        </ol>
      )}
      {newest.length > shown.length ? (
        <Button small look="ghost" className={styles['more']} onClick={() => setAll(true)}>
          Show all {newest.length} steps
        </Button>
      ) : null}
    </article>
  );
}

function Held({ tasks }: { readonly tasks: readonly TaskRow[] }): ReactElement | null {
  const { open } = useOpenTask();
  if (tasks.length === 0) return null;
  return (
    <p className={styles['held']}>
      Works on{' '}
      {tasks.map(({ id, label }) => (
        <button key={id} type="button" className={styles['taskLink']} onClick={() => open(id)}>
          {label}
        </button>
      ))}
    </p>
  );
}

function Answer({ projectId, run }: { readonly projectId: string; readonly run: RunRow }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        Answer…
      </Button>
      {isOpen ? <AnswerDialog projectId={projectId} run={run} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

/** A run whose agent has disappeared remains `running` until a person closes it. */
function Close({ projectId, runId }: { readonly projectId: string; readonly runId: string }): ReactElement {
  const [isConfirming, setConfirming] = useState(false);
  const close = useCloseRun();
  return (
    <>
      <button type="button" className={styles['taskLink']} onClick={() => setConfirming(true)}>
        Close…
      </button>
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title="Close this run as failed?"
        about="For a run whose agent is gone. It takes no more progress; what the agent has claimed stays claimed until the claim runs out."
        action="Close run"
        onConfirm={() => close.mutate({ project_id: projectId, run_id: runId, status: 'failed' })}
      />
    </>
  );
}

/** A duration: `3 min`, `2 h 5 min`. */
function durationText(from: string, to: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} days`;
}
