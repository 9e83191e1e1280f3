import { ChevronLeft } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { useTask } from '../../api/tasks.ts';
import { Keys } from '../../shell/shortcut-list.tsx';
import { Button } from '../../ui/button.tsx';
import { MarkdownView } from '../../ui/markdown/markdown-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { TargetLink } from '../../ui/target.tsx';
import { LazyCommentThread } from '../comments/lazy.tsx';
import type { Action } from './action.ts';
import type { Entry } from './entries.ts';
import { Facts } from './facts.tsx';
import styles from '../../ui/queue.module.css';

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
      {actions.length === 0 ? null : (
        <div className={styles['actions']} role="toolbar" aria-label="Decide">
          {actions.map(({ keys, name, icon, look, run }) => (
            <Button key={keys} look={look ?? 'plain'} onClick={run}>
              {icon}
              {name}
              <Keys keys={keys} />
            </Button>
          ))}
        </div>
      )}
      {entry.kind === 'submission' ? (
        <SubmissionBody projectId={projectId} entry={entry} />
      ) : (
        <TaskText projectId={projectId} taskId={entry.id} />
      )}
    </article>
  );
}

function SubmissionBody({
  projectId,
  entry: { submission },
}: {
  readonly projectId: string;
  readonly entry: Extract<Entry, { readonly kind: 'submission' }>;
}): ReactElement {
  const { body = '', task_ref: about, linked_task_id: linked } = submission;
  return (
    <>
      {linked == null ? null : (
        <p className={styles['about']}>
          Accepted into <TargetLink projectId={projectId} type="task" id={linked} />
        </p>
      )}
      {about == null ? null : <p className={styles['about']}>About: {about}</p>}
      {body.trim() === '' ? (
        <p className={styles['none']}>Nothing more was written.</p>
      ) : (
        <MarkdownView text={body} projectId={projectId} />
      )}
      <section className={styles['comments']}>
        <h3>Comments</h3>
        <LazyCommentThread key={submission.id} projectId={projectId} targetType="submission" targetId={submission.id} />
      </section>
    </>
  );
}

function TaskText({ projectId, taskId }: { readonly projectId: string; readonly taskId: string }): ReactElement {
  const { data } = useTask(projectId, taskId);
  if (data === undefined) return <Loading lines={3} />;
  const text = data.description ?? '';
  return text.trim() === '' ? (
    <p className={styles['none']}>No description.</p>
  ) : (
    <MarkdownView text={text} projectId={projectId} />
  );
}
