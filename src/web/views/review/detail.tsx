import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { useRunsOfTask } from '../../api/runs.ts';
import type { RunRow } from '../../api/runs.ts';
import { MarkdownView } from '../../ui/markdown/markdown-view.tsx';
import { ProofLine, StaleBadge } from '../../ui/proofs/proof-line.tsx';
import { TargetLink } from '../../ui/target.tsx';
import { Ago } from '../../ui/time.tsx';
import { LazyCommentThread } from '../comments/lazy.tsx';
import styles from '../../ui/queue.module.css';
import { Commits } from '../task/commits.tsx';
import { TaskRuns } from '../task/task-runs.tsx';
import { TaskText } from '../task/task-text.tsx';
import type { Entry, TaskEntry } from './entries.ts';

const messagesShown = 4;

/** The work of the selected entry, or its question. */
export function Detail({ projectId, entry }: { readonly projectId: string; readonly entry: Entry }): ReactElement {
  if (entry.kind === 'task') return <FinishedTask key={entry.id} projectId={projectId} entry={entry} />;
  return (
    <>
      <RunLines projectId={projectId} run={entry.run} />
      <p className={styles['about']}>
        <Link to={`/projects/${projectId}/agents?run=${entry.id}`}>All of its progress</Link>
      </p>
    </>
  );
}

/** The last lines of a run that asks, and its question, if that is not the last one. */
function RunLines({ projectId, run }: { readonly projectId: string; readonly run: RunRow }): ReactElement {
  const { events, awaiting } = run;
  const last = events.slice(-messagesShown);
  const isLine = awaiting === null || last.at(-1)?.created_at === awaiting.asked_at;
  const question = isLine ? [] : [{ id: run.id, message: awaiting.question, created_at: awaiting.asked_at }];
  return (
    <>
      {[...last, ...question].map(({ id, message, created_at: at }) => (
        <div key={id}>
          <span className={styles['facts']}>
            <Ago time={at} />
          </span>
          <MarkdownView text={message} projectId={projectId} />
        </div>
      ))}
    </>
  );
}

function FinishedTask({
  projectId,
  entry: { task },
}: {
  readonly projectId: string;
  readonly entry: TaskEntry;
}): ReactElement {
  const { data: runs } = useRunsOfTask(projectId, task.id);
  const inRuns = runs?.some(({ commits }) => commits.length > 0);
  return (
    <>
      <p className={styles['about']}>
        Goal: <TargetLink projectId={projectId} type="goal" id={task.goal_id} />
      </p>
      <StaleBadge state={task.verification_state} />
      <ProofLine
        projectId={projectId}
        proof={task.proof}
        state={task.verification_state}
        behind={task.verification_behind}
      />
      {inRuns !== false ? null : <Commits projectId={projectId} commits={task.commit_refs} />}
      <TaskRuns projectId={projectId} taskId={task.id} />
      <TaskText projectId={projectId} taskId={task.id} />
      <section className={styles['comments']}>
        <h3>Comments</h3>
        <LazyCommentThread projectId={projectId} targetType="task" targetId={task.id} />
      </section>
    </>
  );
}
