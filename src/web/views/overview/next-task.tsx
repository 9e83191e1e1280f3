import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { useResponse } from '../../api/cache.ts';
import type { Answer, ServiceError } from '../../rest/client.ts';
import { useTasks } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { PriorityIcon } from '../../ui/priority-icon.tsx';
import { Loaded, None } from '../../ui/states.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import { goalName } from '../../ui/target.tsx';
import styles from './overview.module.css';

type Next = Answer<'get_next_task'>;
type GoalNext = NonNullable<Next['active_goals']>[number];
type Reason = Next['reason'];

const reasons: Readonly<Record<Reason, string>> = {
  ok: '',
  no_tasks: 'There is no task yet.',
  no_todo_tasks: 'There is nothing to do: release tasks from Scope, or plan more.',
  all_blocked: 'Every task in To do waits for another task.',
  goal_blocked: 'The current goal is blocked: its verification was red.',
  no_active_goal: 'No goal is active.',
  multiple_active_goals: '',
};

/** The reason in one of several goals. */
const goalReasons: Readonly<Record<Reason, string>> = {
  ...reasons,
  no_tasks: 'no task yet',
  no_todo_tasks: 'nothing in To do',
  all_blocked: 'all blocked',
};

const goalsShown = 8;

export function useNextTask(projectId: string): UseQueryResult<Next, ServiceError> {
  return useResponse('get_next_task', { project_id: projectId, limit: 1 });
}

/** The task that an agent would get now; of several active goals, each one's. */
export function NextTask({ projectId }: { readonly projectId: string }): ReactElement {
  const next = useNextTask(projectId);
  return (
    <Card title={next.data?.active_goals?.[1] === undefined ? 'Next task' : 'Next tasks'}>
      <Loaded of={next}>
        {({ next_task: task, reason, blocked_total: blocked, active_goals: goals }) =>
          goals !== undefined ? (
            <NextOfGoals projectId={projectId} goals={goals} current={task?.goal_id} />
          ) : task === null ? (
            <None>
              {reasons[reason]}
              {blocked > 0 ? ` ${blocked} are blocked.` : ''}
            </None>
          ) : (
            <Task task={task} priority={task.priority} />
          )
        }
      </Loaded>
    </Card>
  );
}

/** Goals with a task first. The rest is on the page of goals. */
function NextOfGoals({
  projectId,
  goals,
  current,
}: {
  readonly projectId: string;
  readonly goals: readonly GoalNext[];
  readonly current: string | undefined;
}): ReactElement {
  const { data: tasks } = useTasks(projectId);
  const withTask = goals.filter(({ next_task: task }) => task != null);
  const without = goals.filter(({ next_task: task }) => task == null);
  const shown = [...withTask, ...without].slice(0, goalsShown);
  return (
    <>
      <ul className={styles['nexts']}>
        {shown.map((goal) => (
          <li key={goal.id}>
            <p className={styles['nextGoal']}>
              <Link to={`/projects/${projectId}/goals/${goal.id}`}>{goalName(goal)}</Link>
              {goal.id === current ? <Badge tone="accent">Current</Badge> : null}
              {goal.next_task == null ? <span>{goalReasons[goal.reason ?? 'no_todo_tasks']}</span> : null}
            </p>
            {goal.next_task == null ? null : (
              <Task
                task={goal.next_task}
                priority={tasks?.find(({ id }) => id === goal.next_task?.id)?.priority ?? null}
              />
            )}
          </li>
        ))}
      </ul>
      {goals.length > shown.length ? (
        <Link to={`/projects/${projectId}/goals?status=active`}>{goals.length - shown.length} more active goals</Link>
      ) : null}
    </>
  );
}

function Task({
  task,
  priority,
}: {
  readonly task: Pick<NonNullable<GoalNext['next_task']>, 'id' | 'label' | 'status'>;
  readonly priority: Parameters<typeof PriorityIcon>[0]['priority'] | null;
}): ReactElement {
  const { open } = useOpenTask();
  return (
    <button type="button" className={styles['next']} onClick={() => open(task.id)}>
      <StatusIcon status={task.status} />
      <span dir="auto">{task.label}</span>
      {priority === null ? null : <PriorityIcon priority={priority} />}
    </button>
  );
}
