import { useState } from 'react';
import type { ReactElement } from 'react';
import { useResponse } from '../../api/cache.ts';
import type { TaskDetail } from '../../api/tasks.ts';
import { Activity } from '../../ui/activity.tsx';
import { Holder } from '../../ui/runs/holder.tsx';
import { InTurn } from '../../ui/in-turn.tsx';
import { Loaded, None } from '../../ui/states.tsx';
import { Ago, dayText, useNowAt } from '../../ui/time.tsx';
import { LazyCommentThread } from '../comments/lazy.tsx';
import { Blocked } from './blocked.tsx';
import { Description } from './description.tsx';
import { LabelField } from './label-field.tsx';
import { Links } from './links.tsx';
import { Prerequisites } from './prerequisites.tsx';
import { Properties } from './properties.tsx';
import { TaskRuns } from './task-runs.tsx';
import styles from './task.module.css';
import { Verification } from './verification.tsx';

function ClaimText({ until }: { readonly until: string }): ReactElement {
  const isOver = Date.parse(until) <= useNowAt(until);
  return (
    <span>
      The claim {isOver ? 'ended' : 'ends'} <Ago time={until} />
    </span>
  );
}

export function TaskBody({ task }: { readonly task: TaskDetail }): ReactElement {
  return (
    <div className={styles['body']}>
      <InTurn>
        <>
          <LabelField task={task} />
          <Properties task={task} />
          <Blocked task={task} />
          {task.status === 'in_progress' && task.assignee !== null ? (
            <p className={styles['lease']}>
              <Holder task={task} />
              {task.lease_expires_at === null ? null : <ClaimText until={task.lease_expires_at} />}
            </p>
          ) : null}
        </>
        <section aria-labelledby="task-description">
          <h3 id="task-description" className="visually-hidden">
            Description
          </h3>
          <Description task={task} />
        </section>
        <TaskRuns projectId={task.project_id} taskId={task.id} />
        <Verification task={task} />
        <>
          <Prerequisites task={task} />
          <Links task={task} />
        </>
        <section>
          <h3>Comments</h3>
          <LazyCommentThread projectId={task.project_id} targetType="task" targetId={task.id} />
        </section>
        <>
          <History task={task} />
          <p className={styles['born']}>
            Created {dayText(task.created_at)}, changed <Ago time={task.updated_at} />.
          </p>
        </>
      </InTurn>
    </div>
  );
}

const shown = 5;

/** The latest changes, and all of them on request. */
function History({ task }: { readonly task: TaskDetail }): ReactElement | null {
  const [all, setAll] = useState(false);
  const revisions = useResponse('list_revisions', {
    project_id: task.project_id,
    target_type: 'task',
    target_id: task.id,
    ...(all ? {} : { limit: shown }),
  });
  return (
    <section aria-labelledby="task-history">
      <h3 id="task-history">History</h3>
      <Loaded of={revisions} parts={2}>
        {({ revisions: rows, next_cursor: more }) => (
          <>
            {rows.length === 0 ? <None>Not changed since it was created.</None> : <Activity revisions={rows} />}
            {more === undefined ? null : (
              <button type="button" className={styles['more']} onClick={() => setAll(true)}>
                Show all changes
              </button>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
