import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useUpdateTask } from '../../api/tasks.ts';
import type { TaskDetail } from '../../api/tasks.ts';
import styles from './task.module.css';

/** True if the browser makes a field as high as its text, without a layout here. */
const isSizedByStyle = CSS.supports('field-sizing', 'content');

/** The label, edited in place: Enter or blur saves it, Escape cancels. */
export function LabelField({ task }: { readonly task: TaskDetail }): ReactElement {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  const { mutate } = useUpdateTask();
  const text = typed ?? task.label;
  useEffect(() => {
    if (isSizedByStyle) return;
    const area = field.current!;
    area.style.height = '0';
    area.style.height = `${area.scrollHeight}px`;
  }, [text]);
  const keep = (): void => {
    if (typed !== undefined && typed.trim() !== '' && typed !== task.label)
      mutate({ task_id: task.id, project_id: task.project_id, label: typed });
    setTyped(undefined);
  };
  return (
    <textarea
      ref={field}
      className={styles['title']}
      dir="auto"
      aria-label="Label"
      rows={1}
      maxLength={500}
      value={text}
      onChange={({ target }) => setTyped(target.value.replaceAll('\n', ' '))}
      onBlur={keep}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          event.preventDefault();
          event.currentTarget.blur();
        }
        if (event.key === 'Escape' && typed !== undefined) {
          event.stopPropagation();
          setTyped(undefined);
        }
      }}
    />
  );
}
