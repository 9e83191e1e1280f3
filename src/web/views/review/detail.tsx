import { ChevronLeft } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { useTask } from '../../api/tasks.ts';
import { Keys } from '../../shell/shortcut-list.tsx';
import { Button } from '../../ui/button.tsx';
import { MarkdownView } from '../../ui/markdown/markdown-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { TargetLink } from '../../ui/target.tsx';
import { Ago } from '../../ui/time.tsx';
import { LazyCommentThread } from '../comments/lazy.tsx';
import styles from '../../ui/queue.module.css';
import { Commits } from '../task/commits.tsx';
import type { Action } from './actions.tsx';
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
    <article className={styles['detail']} aria-label={entry.title}>
      <Button small look="ghost" className={styles['back']} onClick={onBack}>
        <ChevronLeft size={14} aria-hidden /> All
      </Button>
      <h2>{entry.title}</h2>
      <Facts entry={entry} />
      <div className={styles['actions']} role="toolbar" aria-label="Decide">
        {actions.map(({ keys, name, icon, look, run }) => (
          <Button key={keys} look={look ?? 'plain'} onClick={run}>
            {icon}
            {name}
            <Keys keys={keys} />
          </Button>
        ))}
      </div>
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
    </article>
  );
}

function FinishedTask({
  projectId,
  entry: { task },
}: {
  readonly projectId: string;
  readonly entry: TaskEntry;
}): ReactElement {
  const { data } = useTask(projectId, task.id);
  const text = data?.description ?? '';
  return (
    <>
      <p className={styles['about']}>
        Goal: <TargetLink projectId={projectId} type="goal" id={task.goal_id} />
      </p>
      <Commits projectId={projectId} commits={task.commit_refs} />
      {data === undefined ? (
        <Loading lines={3} />
      ) : text.trim() === '' ? (
        <p className={styles['none']}>No description.</p>
      ) : (
        <MarkdownView text={text} projectId={projectId} />
      )}
      <section className={styles['comments']}>
        <h3>Comments</h3>
        <LazyCommentThread projectId={projectId} targetType="task" targetId={task.id} />
      </section>
    </>
  );
}
