import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useUpdateTask } from '../../api/tasks.ts';
import type { TaskDetail } from '../../api/tasks.ts';
import { Button } from '../../ui/button.tsx';
import { LazyMarkdownEditor, LazyMarkdownView } from '../../ui/markdown/lazy.tsx';
import styles from './task.module.css';

const placeOf = (taskId: string): string => `planner.draft.${taskId}`;

/** What was typed and not saved. */
export function draftOf(taskId: string): string | undefined {
  return sessionStorage.getItem(placeOf(taskId)) ?? undefined;
}

/** The description, rendered or in an editor. The draft survives a reload until it is saved. */
export function Description({ task }: { readonly task: TaskDetail }): ReactElement {
  const place = placeOf(task.id);
  const [draft, setDraft] = useState<string | undefined>(() => draftOf(task.id));
  const { mutateAsync, isPending } = useUpdateTask();
  useEffect(() => {
    if (draft === undefined) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, draft);
  }, [draft, place]);
  const text = task.description ?? '';
  const keep = async (): Promise<void> => {
    if (draft === undefined) return;
    const kept =
      draft === text ||
      (await mutateAsync({ task_id: task.id, project_id: task.project_id, description: draft }).catch(
        () => undefined,
      )) !== undefined;
    if (kept) setDraft(undefined);
  };
  if (draft === undefined)
    return (
      <>
        {text === '' ? (
          <p className={styles['none']}>None yet.</p>
        ) : (
          <LazyMarkdownView text={text} projectId={task.project_id} />
        )}
        <div>
          <Button small onClick={() => setDraft(text)}>
            {text === '' ? 'Write one' : 'Edit'}
          </Button>
        </div>
      </>
    );
  return (
    <>
      <div className={styles['editor']}>
        <LazyMarkdownEditor
          value={draft}
          onChange={setDraft}
          label="Description"
          projectId={task.project_id}
          onSave={() => void keep()}
        />
      </div>
      <div className={styles['actions']}>
        <Button small look="primary" disabled={isPending} onClick={() => void keep()}>
          Save
        </Button>
        <Button small onClick={() => setDraft(undefined)}>
          Cancel
        </Button>
      </div>
    </>
  );
}
