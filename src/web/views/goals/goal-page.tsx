import { ChevronLeft, Pencil } from '../../ui/icons.ts';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { soFar } from '../../api/cache.ts';
import { contractFields, countsByGoal, noTaskCounts, useGoal } from '../../api/goals.ts';
import type { GoalDetail } from '../../api/goals.ts';
import { useTasks } from '../../api/tasks.ts';
import { useOpened } from '../../shell/recent.ts';
import { useTitle } from '../../shell/title.ts';
import { Button } from '../../ui/button.tsx';
import { MarkdownView } from '../../ui/markdown/markdown-view.tsx';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { goalName } from '../../ui/target.tsx';
import { Ago } from '../../ui/time.tsx';
import ui from '../../ui/ui.module.css';
import { GoalActions } from './goal-actions.tsx';
import { GoalForm } from './goal-form.tsx';
import { GoalStatusBadge } from './goal-status.tsx';
import { GoalTasks } from './goal-tasks.tsx';
import styles from './goals.module.css';
import { Verification } from './verification.tsx';

/** One goal: its contract, its verification and its tasks. */
export function GoalPage({ projectId, goalId }: { readonly projectId: string; readonly goalId: string }): ReactElement {
  const goal = useGoal(projectId, goalId);
  useTitle(goal.data && goalName(goal.data), 'Goals');
  useOpened(projectId, 'goal', goalId, goal.data && goalName(goal.data));
  return (
    <Loaded of={goal} view="panel">
      {(data) => <Shown projectId={projectId} goal={data} />}
    </Loaded>
  );
}

function Shown({ projectId, goal }: { readonly projectId: string; readonly goal: GoalDetail }): ReactElement {
  const { data: all } = useTasks(projectId);
  const tasks = useMemo(() => all?.filter(({ goal_id: of }) => of === goal.id), [all, goal.id]);
  const [editing, setEditing] = useState(false);
  return (
    <Page
      title={goalName(goal)}
      up={
        <Link to={`/projects/${projectId}/goals`} className={styles['up']}>
          <ChevronLeft size={14} aria-hidden /> Goals
        </Link>
      }
      actions={
        <>
          <GoalStatusBadge goal={goal} counts={tasks && (countsByGoal(tasks).get(goal.id) ?? noTaskCounts)} />
          <GoalActions projectId={projectId} goal={goal} />
          <Button onClick={() => setEditing(true)}>
            <Pencil size={14} aria-hidden /> Edit
          </Button>
        </>
      }
    >
      <div className={styles['columns']}>
        <div className={styles['column']}>
          <Card title="Objective">
            <MarkdownView text={goal.objective} projectId={projectId} />
          </Card>
          <GoalTasks projectId={projectId} goal={goal} tasks={tasks} />
        </div>
        <div className={styles['column']}>
          <Verification projectId={projectId} goal={goal} tasks={soFar(tasks)} />
          <Contract goal={goal} />
        </div>
      </div>
      {editing ? <GoalForm projectId={projectId} goal={goal} onClose={() => setEditing(false)} /> : null}
    </Page>
  );
}

function Contract({ goal }: { readonly goal: GoalDetail }): ReactElement {
  return (
    <Card title="Contract">
      <dl className={styles['contract']}>
        {contractFields.map(({ field, name, about }) => (
          <div key={field}>
            <dt title={about}>{name}</dt>
            <dd className={goal[field] === null ? ui['none'] : undefined}>{goal[field] ?? 'Not specified'}</dd>
          </div>
        ))}
        <div>
          <dt>Created</dt>
          <dd>
            <Ago time={goal.created_at} />
          </dd>
        </div>
      </dl>
    </Card>
  );
}
