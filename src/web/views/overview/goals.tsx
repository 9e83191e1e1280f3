import { BadgeCheck, CircleX } from '../../ui/icons.ts';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { useGoals } from '../../api/goals.ts';
import type { GoalRow } from '../../api/goals.ts';
import { useTasks } from '../../api/tasks.ts';
import { Badge, Progress } from '../../ui/badge.tsx';
import { Loaded } from '../../ui/states.tsx';
import { goalName } from '../../ui/target.tsx';
import { Ago } from '../../ui/time.tsx';
import { Card } from '../../ui/card.tsx';
import styles from './overview.module.css';

export const goalTones = { active: 'accent', paused: 'plain', blocked: 'danger', complete: 'good' } as const;

/** Every goal with the progress of its tasks and its last verification. */
export function Goals({ projectId }: { readonly projectId: string }): ReactElement {
  const goals = useGoals(projectId);
  const { data: tasks } = useTasks(projectId);
  const counts = useMemo(() => {
    const byGoal = new Map<string, { done: number; underway: number; all: number }>();
    for (const { goal_id, status } of tasks ?? []) {
      const count = byGoal.get(goal_id) ?? { done: 0, underway: 0, all: 0 };
      count.all++;
      if (status === 'done') count.done++;
      if (status === 'in_progress') count.underway++;
      byGoal.set(goal_id, count);
    }
    return byGoal;
  }, [tasks]);
  return (
    <Card title="Goals">
      <Loaded of={goals}>
        {(rows) => (
          <ul className={styles['goals']}>
            {rows.map((goal) => (
              <GoalLine
                key={goal.id}
                projectId={projectId}
                goal={goal}
                count={counts.get(goal.id) ?? { done: 0, underway: 0, all: 0 }}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

function GoalLine({
  projectId,
  goal,
  count,
}: {
  readonly projectId: string;
  readonly goal: GoalRow;
  readonly count: { readonly done: number; readonly underway: number; readonly all: number };
}): ReactElement {
  const verified = goal.last_verification;
  const name = goalName(goal)!;
  return (
    <li>
      <div className={styles['goalHead']}>
        <Link to={`/projects/${projectId}/goals/${goal.id}`}>{name}</Link>
        <Badge tone={goalTones[goal.status]}>{goal.status}</Badge>
      </div>
      <Progress {...count} label={`Tasks done for ${name}`} />
      <p className={styles['verified']}>
        {count.done} of {count.all} done
        {verified === null ? null : (
          <span className={verified.green ? styles['green'] : styles['red']}>
            {verified.green ? <BadgeCheck size={13} aria-hidden /> : <CircleX size={13} aria-hidden />}
            {verified.green ? 'Verified' : 'Not reached'} <Ago time={verified.at} />
          </span>
        )}
      </p>
    </li>
  );
}
