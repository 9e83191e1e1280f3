import type { ReactElement } from 'react';
import { useTask } from '../../api/tasks.ts';
import { MarkdownView } from '../../ui/markdown/markdown-view.tsx';
import { None, Skeleton } from '../../ui/states.tsx';

/** The description of a task in a queue. */
export function TaskText({ projectId, taskId }: { readonly projectId: string; readonly taskId: string }): ReactElement {
  const { data } = useTask(projectId, taskId);
  if (data === undefined) return <Skeleton />;
  const text = data.description ?? '';
  return text.trim() === '' ? <None>No description.</None> : <MarkdownView text={text} projectId={projectId} />;
}
