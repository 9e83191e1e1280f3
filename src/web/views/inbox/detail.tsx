import type { ReactElement } from 'react';
import { MarkdownView } from '../../ui/markdown/markdown-view.tsx';
import { TargetLink } from '../../ui/target.tsx';
import { LazyCommentThread } from '../comments/lazy.tsx';
import { TaskText } from '../task/task-text.tsx';
import type { Entry } from './entries.ts';
import styles from '../../ui/queue.module.css';
import { None } from '../../ui/states.tsx';

/** The text of the selected entry, and what was said about it. */
export function Detail({ projectId, entry }: { readonly projectId: string; readonly entry: Entry }): ReactElement {
  return entry.kind === 'submission' ? (
    <SubmissionBody projectId={projectId} entry={entry} />
  ) : (
    <TaskText projectId={projectId} taskId={entry.id} />
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
