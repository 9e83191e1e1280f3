import type { ReactElement } from 'react';
import { QueueDetail } from '../../shell/queue.tsx';
import type { Action } from '../../shell/queue.tsx';
import { MarkdownView } from '../../ui/markdown/markdown-view.tsx';
import { TargetLink } from '../../ui/target.tsx';
import { LazyCommentThread } from '../comments/lazy.tsx';
import { TaskText } from '../task/task-text.tsx';
import type { Entry } from './entries.ts';
import { Facts } from './facts.tsx';
import styles from '../../ui/queue.module.css';
import { None } from '../../ui/states.tsx';

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
      {entry.kind === 'submission' ? (
        <SubmissionBody projectId={projectId} entry={entry} />
      ) : (
        <TaskText projectId={projectId} taskId={entry.id} />
      )}
    </QueueDetail>
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
      {body.trim() === '' ? <None>Nothing more was written.</None> : <MarkdownView text={body} projectId={projectId} />}
      <section className={styles['comments']}>
        <h3>Comments</h3>
        <LazyCommentThread key={submission.id} projectId={projectId} targetType="submission" targetId={submission.id} />
      </section>
    </>
  );
}
