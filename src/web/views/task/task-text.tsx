import type { ReactElement } from 'react';
import { useTask } from '../../api/tasks.ts';
import { MarkdownView } from '../../ui/markdown/markdown-view.tsx';
import styles from '../../ui/queue.module.css';
import { Loading } from '../../ui/states.tsx';

/** The description of a task in a queue. */
export function TaskText({ projectId, taskId }: { readonly projectId: string; readonly taskId: string }): ReactElement {
  const { data } = useTask(projectId, taskId);
  if (data === undefined) return <Loading lines={3} />;
  const text = data.description ?? '';
  return text.trim() === '' ? (
    <p className={styles['none']}>No description.</p>
  ) : (
    <MarkdownView text={text} projectId={projectId} />
  );
}
