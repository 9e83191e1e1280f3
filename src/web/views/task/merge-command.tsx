import type { ReactElement } from 'react';
import type { TaskRow } from '../../api/tasks.ts';
import { Command } from '../../ui/copy.tsx';
import styles from './task.module.css';

/** The command that merges the branch of an approved task; nothing once it is merged. */
export function MergeCommand({
  task: { id, label, branch, verified_at: at },
}: {
  readonly task: Pick<TaskRow, 'id' | 'label' | 'branch' | 'verified_at'>;
}): ReactElement | null {
  if (branch === null || at === null) return null;
  return (
    <div className={styles['merge']}>
      <p>
        “{label}” is approved. In the repository, this merges <code>{branch}</code>:
      </p>
      <Command text={`planner merge ${id}`} />
    </div>
  );
}
