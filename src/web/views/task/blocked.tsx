import { Lock } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { useTasks } from '../../api/tasks.ts';
import type { TaskDetail } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import styles from './task.module.css';

const shown = 3;

/** The prerequisites that a blocked task waits for, by name. */
export function Blocked({ task }: { readonly task: TaskDetail }): ReactElement | null {
  const { data: tasks } = useTasks(task.project_id);
  const { open } = useOpenTask();
  if (!task.blocked) return null;
  const { waiting_on: ids } = task;
  const labels = new Map(tasks?.map(({ id, label }) => [id, label]));
  return (
    <p className={styles['blocked']}>
      <Lock size={14} aria-hidden />
      <span>
        Blocked by{' '}
        {ids.slice(0, shown).map((id, at) => (
          <span key={id}>
            {at === 0 ? '' : ', '}
            <button type="button" onClick={() => open(id)}>
              {labels.get(id) ?? (tasks === undefined ? '…' : id)}
            </button>
          </span>
        ))}
        {ids.length > shown ? ` and ${ids.length - shown} more` : ''}
      </span>
    </p>
  );
}
