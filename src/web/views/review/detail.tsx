import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { QueueDetail } from '../../shell/queue.tsx';
import type { Action } from '../../shell/queue.tsx';
import { MarkdownView } from '../../ui/markdown/markdown-view.tsx';
import { TargetLink } from '../../ui/target.tsx';
import { Ago } from '../../ui/time.tsx';
import { LazyCommentThread } from '../comments/lazy.tsx';
import styles from '../../ui/queue.module.css';
import { Commits } from '../task/commits.tsx';
import { TaskText } from '../task/task-text.tsx';
import type { Entry, TaskEntry } from './entries.ts';
import { Facts } from './facts.tsx';

const messagesShown = 4;

/** The selected entry in full, with its actions. */
export function Detail({
  projectId,
  entry,
  actions,
  onBack,
}: {
  readonly projectId: string;
  readonly entry: Entry;
  readonly actions: readonly Action[];
  readonly onBack: () => void;
}): ReactElement {
  return (
    <QueueDetail title={entry.title} facts={<Facts entry={entry} />} actions={actions} onBack={onBack}>
      {entry.kind === 'task' ? (
        <FinishedTask key={entry.id} projectId={projectId} entry={entry} />
      ) : (
        <>
          {entry.run.events.slice(-messagesShown).map(({ id, message, created_at: at }) => (
            <div key={id}>
              <span className={styles['facts']}>
                <Ago time={at} />
              </span>
              <MarkdownView text={message} projectId={projectId} />
            </div>
          ))}
          <p className={styles['about']}>
            <Link to={`/projects/${projectId}/agents?run=${entry.id}`}>All of its progress</Link>
          </p>
        </>
      )}
    </QueueDetail>
  );
}

function FinishedTask({
  projectId,
  entry: { task },
}: {
  readonly projectId: string;
  readonly entry: TaskEntry;
}): ReactElement {
  return (
    <>
      <p className={styles['about']}>
        Goal: <TargetLink projectId={projectId} type="goal" id={task.goal_id} />
      </p>
      <Commits projectId={projectId} commits={task.commit_refs} />
      <TaskText projectId={projectId} taskId={task.id} />
      <section className={styles['comments']}>
        <h3>Comments</h3>
        <LazyCommentThread projectId={projectId} targetType="task" targetId={task.id} />
      </section>
    </>
  );
}
