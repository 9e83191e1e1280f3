import type { ReactElement } from 'react';
import { useResponse } from '../../api/cache.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { Loaded } from '../../ui/states.tsx';
import { PriorityIcon } from '../../ui/priority-icon.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import { Card } from '../../ui/card.tsx';
import styles from './overview.module.css';

const reasons = {
  ok: '',
  no_tasks: 'There is no task yet.',
  no_todo_tasks: 'There is nothing to do: release tasks from Scope, or plan more.',
  all_blocked: 'Every task in To do waits for another task.',
  no_active_goal: 'No goal is active.',
  multiple_active_goals: 'Several goals are active; each has its own next task.',
} as const;

/** The task that an agent would get now. */
export function NextTask({ projectId }: { readonly projectId: string }): ReactElement {
  const next = useResponse('get_next_task', { project_id: projectId });
  const { open } = useOpenTask();
  return (
    <Card title="Next task">
      <Loaded of={next}>
        {({ next_task: task, reason, blocked_total: blocked }) =>
          task === null ? (
            <p className={styles['none']}>
              {reasons[reason]}
              {blocked > 0 ? ` ${blocked} are blocked.` : ''}
            </p>
          ) : (
            <button type="button" className={styles['next']} onClick={() => open(task.id)}>
              <StatusIcon status={task.status} />
              <span>{task.label}</span>
              {task.priority === null || task.priority === undefined ? null : <PriorityIcon priority={task.priority} />}
            </button>
          )
        }
      </Loaded>
    </Card>
  );
}
