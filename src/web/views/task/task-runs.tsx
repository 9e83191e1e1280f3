import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { soFar } from '../../api/cache.ts';
import { askingThenNewest, useRunsOfTask, workerOf } from '../../api/runs.ts';
import type { RunRow } from '../../api/runs.ts';
import { LazyMarkdownView } from '../../ui/markdown/lazy.tsx';
import { AnswerForm } from '../../ui/runs/answer-form.tsx';
import { RunFacts } from '../../ui/runs/run-facts.tsx';
import { durationText, RunStatus } from '../../ui/runs/run-status.tsx';
import { Ago } from '../../ui/time.tsx';
import { Commits } from './commits.tsx';
import styles from './task.module.css';

const shownMax = 3;

/** The last runs that worked on a task; one that asks or runs comes first. */
export function TaskRuns({
  projectId,
  taskId,
}: {
  readonly projectId: string;
  readonly taskId: string;
}): ReactElement | null {
  const { data } = useRunsOfTask(projectId, taskId);
  const runs = useMemo(() => soFar(data).toSorted(askingThenNewest), [data]);
  if (runs.length === 0) return null;
  return (
    <section aria-labelledby="task-runs">
      <h3 id="task-runs">Agents</h3>
      <ul className={styles['runs']}>
        {runs.slice(0, shownMax).map((run) => (
          <li key={run.id}>
            <TaskRun projectId={projectId} run={run} />
          </li>
        ))}
      </ul>
      {runs.length > shownMax ? <Link to={`/projects/${projectId}/agents`}>All {runs.length} runs</Link> : null}
    </section>
  );
}

function TaskRun({ projectId, run }: { readonly projectId: string; readonly run: RunRow }): ReactElement {
  const { label, started_at: began, completed_at: ended, awaiting } = run;
  const last = run.events.at(-1);
  const isAsked = awaiting !== null && last?.created_at === awaiting.asked_at;
  return (
    <>
      <div className={styles['runHead']}>
        <span dir="auto">{workerOf(run) ?? label ?? 'A run'}</span>
        <RunStatus run={run} />
      </div>
      <p className={styles['runFacts']}>
        <span>
          Began <Ago time={began} />
        </span>
        {ended === null ? null : <span>took {durationText(began, ended)}</span>}
        <RunFacts run={run} />
      </p>
      <Commits projectId={projectId} commits={run.commits} />
      <AnswerForm key={awaiting?.asked_at} run={run} />
      {last === undefined || isAsked ? null : <LazyMarkdownView text={last.message} projectId={projectId} />}
    </>
  );
}
