import { useState } from 'react';
import type { ReactElement } from 'react';
import { useResponse } from '../../api/cache.ts';
import { useCloseRun, workerOf } from '../../api/runs.ts';
import type { RunRow } from '../../api/runs.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { MarkdownView } from '../../ui/markdown/markdown-view.tsx';
import { Ago } from '../../ui/time.tsx';
import { AnswerForm } from '../../ui/runs/answer-form.tsx';
import { RunFacts } from '../../ui/runs/run-facts.tsx';
import { durationText, RunStatus } from '../../ui/runs/run-status.tsx';
import { authorOf } from '../../rest/author.ts';
import { Commits } from '../task/commits.tsx';
import ui from '../../ui/ui.module.css';
import styles from './agents.module.css';
import { None } from '../../ui/states.tsx';

/** The number of messages shown at first: of a finished run, its result. */
const newestShown = { running: 5, completed: 1, failed: 2 } as const;

/** A run: its task, what it took, its question, and its progress as a timeline, newest first. */
export function Run({
  projectId,
  run,
  tasks,
  isOpen,
}: {
  readonly projectId: string;
  readonly run: RunRow;
  readonly tasks: readonly TaskRow[];
  /** True if the address names it: then all of its progress is shown. */
  readonly isOpen: boolean;
}): ReactElement {
  const isRunning = run.status === 'running';
  // A runner names its runs after their tasks.
  const named = tasks.find(({ label }) => label === run.label);
  const others = tasks.filter((task) => task !== named);
  return (
    <article className={styles['run']} data-run={run.id} aria-label={nameOf(run)}>
      <div className={ui['itemHead']}>
        <h2>{named === undefined ? nameOf(run) : <TaskButton task={named} />}</h2>
        <RunStatus run={run} />
      </div>
      {others.length === 0 ? null : (
        <p className={styles['held']}>
          {isRunning ? 'Works on' : 'Worked on'}
          {others.map((task) => (
            <TaskButton key={task.id} task={task} />
          ))}
        </p>
      )}
      <p className={styles['facts']}>
        {run.label === null ? null : <span>{workerOf(run)}</span>}
        <span>
          Began <Ago time={run.started_at} />
        </span>
        {run.completed_at === null ? null : <span>took {durationText(run.started_at, run.completed_at)}</span>}
        <RunFacts run={run} />
        {isRunning ? <Close projectId={projectId} runId={run.id} /> : null}
      </p>
      <Commits projectId={projectId} commits={run.commits} />
      <AnswerForm key={run.awaiting?.asked_at} run={run} />
      <Timeline projectId={projectId} run={run} isOpen={isOpen} />
    </article>
  );
}

function nameOf(run: RunRow): string {
  return run.label ?? workerOf(run) ?? 'A run without a name';
}

function Timeline({
  projectId,
  run,
  isOpen,
}: {
  readonly projectId: string;
  readonly run: RunRow;
  readonly isOpen: boolean;
}): ReactElement | null {
  const [all, setAll] = useState(isOpen);
  const { data: whole } = useResponse('get_agent_run', { project_id: projectId, run_id: run.id }, { enabled: all });
  const { awaiting, status, events_total: total = 0 } = run;
  const { events } = whole === undefined ? run : whole;
  // The question above is not repeated.
  const isAsked = awaiting !== null && events.at(-1)?.created_at === awaiting.asked_at;
  const newest = (isAsked ? events.slice(0, -1) : events).toReversed();
  if (newest.length === 0)
    return awaiting === null ? (
      <None>{status === 'running' ? 'It has not reported progress yet.' : 'It reported no progress.'}</None>
    ) : null;
  const shown = all ? newest : newest.slice(0, newestShown[status]);
  return (
    <>
      <ol className={styles['timeline']} aria-label="Progress, newest first">
        {shown.map(({ id, created_at: at, author, question, message }) => (
          <li key={id}>
            <span className={styles['when']}>
              {author === undefined ? null : `${authorOf(author).name} answered `}
              <Ago time={at} />
            </span>
            {question === undefined ? null : (
              <blockquote className={styles['asked']}>
                <MarkdownView text={question} projectId={projectId} />
              </blockquote>
            )}
            <MarkdownView text={message} projectId={projectId} />
          </li>
        ))}
      </ol>
      {total > events.length || newest.length > shown.length ? (
        <Button small look="ghost" className={styles['more']} onClick={() => setAll(true)}>
          Show all {total} steps
        </Button>
      ) : null}
    </>
  );
}

function TaskButton({ task }: { readonly task: TaskRow }): ReactElement {
  const { open } = useOpenTask();
  return (
    <button type="button" dir="auto" className={styles['taskLink']} onClick={() => open(task.id)}>
      {task.label}
    </button>
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
