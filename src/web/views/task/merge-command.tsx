import type { ReactElement } from 'react';
import { useRunsOfTask } from '../../api/runs.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { Command } from '../../ui/copy.tsx';
import styles from './task.module.css';

/** The command that merges the branch of an approved task; nothing without a branch. In lane auto the runner has merged it. */
export function MergeCommand({
  task: { id, project_id: projectId, label, lane, verified_at: at },
}: {
  readonly task: Pick<TaskRow, 'id' | 'project_id' | 'label' | 'lane' | 'verified_at'>;
}): ReactElement | null {
  const { data: runs = [] } = useRunsOfTask(projectId, id);
  const branch = runs.findLast(({ status }) => status === 'completed')?.branch ?? null;
  if (branch === null || at === null || lane === 'auto') return null;
  return (
    <div className={styles['merge']}>
      <p>
        “{label}” is approved. In the repository, this merges <code>{branch}</code>:
      </p>
      <Command text={`planner merge ${id}`} />
    </div>
  );
}
