import { BadgeCheck, CircleX } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { choosableGoals, useGoals, useTaskCounts } from '../../api/goals.ts';
import type { GoalRow, TaskCounts } from '../../api/goals.ts';
import { Loaded } from '../../ui/states.tsx';
import { goalName } from '../../ui/target.tsx';
import { Ago } from '../../ui/time.tsx';
import { Card } from '../../ui/card.tsx';
import { GoalStatusBadge, ReportedBy, TasksDone } from '../goals/goal-status.tsx';
import styles from './overview.module.css';

/** Every goal that is not archived, with the progress of its tasks and its last verification. */
export function Goals({ projectId }: { readonly projectId: string }): ReactElement {
  const goals = useGoals(projectId);
  const countsOf = useTaskCounts(projectId);
  return (
    <Card title="Goals">
      <Loaded of={goals}>
        {(rows) => (
          <ul className={styles['goals']}>
            {choosableGoals(rows).map((goal) => (
              <GoalLine key={goal.id} projectId={projectId} goal={goal} count={countsOf(goal.id)} />
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
  readonly count: TaskCounts | undefined;
}): ReactElement {
  const verified = goal.last_verification;
  const name = goalName(goal);
  return (
    <li>
      <div className={styles['goalHead']}>
        <Link to={`/projects/${projectId}/goals/${goal.id}`} dir="auto">
          {name}
        </Link>
        <GoalStatusBadge goal={goal} counts={count} />
      </div>
      <TasksDone
        counts={count}
        label={`Tasks done for ${name}`}
        className={styles['verified']}
        beside={
          verified === null ? null : (
            <span className={verified.green ? styles['green'] : styles['red']}>
              {verified.green ? <BadgeCheck size={13} aria-hidden /> : <CircleX size={13} aria-hidden />}
              {verified.green ? 'Verified' : 'Not reached'} <Ago time={verified.at} />
              <ReportedBy of={verified} />
            </span>
          )
        }
      />
    </li>
  );
}
