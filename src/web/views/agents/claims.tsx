import { Hand } from '../../ui/icons.ts';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTasks, useUpdateTask } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { authorOf } from '../../rest/author.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Loaded } from '../../ui/states.tsx';
import { ago, useNow } from '../../ui/time.tsx';
import styles from './agents.module.css';

/** The claimed tasks, their holders and expiry. */
export function Claims({ projectId }: { readonly projectId: string }): ReactElement {
  const tasks = useTasks(projectId);
  return (
    <Card title="Claimed now" flush>
      <Loaded of={tasks}>{(rows) => <Claimed projectId={projectId} tasks={rows} />}</Loaded>
    </Card>
  );
}

function Claimed({
  projectId,
  tasks,
}: {
  readonly projectId: string;
  readonly tasks: readonly TaskRow[];
}): ReactElement {
  const { open } = useOpenTask();
  const release = useUpdateTask();
  const byAgent = useMemo(() => claimedBy(tasks), [tasks]);
  if (byAgent.length === 0)
    return (
      <p className={styles['nothing']}>
        <Hand size={15} aria-hidden /> No task is claimed.
      </p>
    );
  return (
    <ul className={styles['agents']}>
      {byAgent.map(([agent, held]) => (
        <li key={agent}>
          <h3>{authorOf(agent).kind === 'system' ? agent : authorOf(agent).name}</h3>
          <ul>
            {held.map((task) => (
              <li key={task.id} className={styles['claim']}>
                <button type="button" dir="auto" className={styles['taskLink']} onClick={() => open(task.id)}>
                  {task.label}
                </button>
                <Lease until={task.lease_expires_at} />
                <Button
                  small
                  look="ghost"
                  onClick={() =>
                    release.mutate({ task_id: task.id, project_id: projectId, status: 'todo', assignee: null })
                  }
                >
                  Release
                </Button>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

function claimedBy(tasks: readonly TaskRow[]): readonly (readonly [string, readonly TaskRow[]])[] {
  const by = new Map<string, TaskRow[]>();
  for (const task of tasks) {
    if (task.assignee === null || task.status !== 'in_progress') continue;
    const held = by.get(task.assignee);
    if (held === undefined) by.set(task.assignee, [task]);
    else held.push(task);
  }
  return [...by].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The expiry of a claim; without a lease it does not expire. */
function Lease({ until }: { readonly until: string | null }): ReactElement {
  const now = useNow(15_000);
  if (until === null) return <Badge>No end</Badge>;
  const over = Date.parse(until) <= now;
  return (
    <Badge tone={over ? 'warn' : 'info'} title={until}>
      {over ? 'ran out' : 'holds'} {over ? ago(until, now) : `until ${ago(until, now)}`.replace('until in', 'for')}
    </Badge>
  );
}
