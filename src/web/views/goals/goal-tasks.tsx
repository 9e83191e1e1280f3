import { Plus } from '../../ui/icons.ts';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { soFar } from '../../api/cache.ts';
import { runCommandOf } from '../../api/goals.ts';
import type { GoalDetail } from '../../api/goals.ts';
import { byUrgency } from '../../api/task-filter.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { Badge, Progress } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { Command } from '../../ui/copy.tsx';
import { useQuickAdd } from '../../ui/quick-add.tsx';
import { TextField } from '../../ui/field.tsx';
import { Holder } from '../../ui/runs/holder.tsx';
import { PriorityIcon } from '../../ui/priority-icon.tsx';
import { Card } from '../../ui/card.tsx';
import { None, Skeleton, UnknownLine } from '../../ui/states.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import styles from './goals.module.css';

/** Tasks in progress first, done tasks last. */
const rank = new Map(['in_progress', 'todo', 'scope', 'backlog', 'done'].map((status, at) => [status, at]));

const shownFirst = 50;
const shownMore = 200;

/** The tasks of a goal, and a line to add one. `tasks`: undefined while they load. */
export function GoalTasks({
  projectId,
  goal,
  tasks,
}: {
  readonly projectId: string;
  readonly goal: GoalDetail;
  readonly tasks: readonly TaskRow[] | undefined;
}): ReactElement {
  const [shown, setShown] = useState(shownFirst);
  const { open } = useOpenTask();
  const ordered = useMemo(
    () => soFar(tasks).toSorted((a, b) => (rank.get(a.status) ?? 9) - (rank.get(b.status) ?? 9) || byUrgency(a, b)),
    [tasks],
  );
  return (
    <Card title="Tasks" beside={tasks === undefined ? <UnknownLine width="9ch" /> : <Counts tasks={tasks} />} flush>
      {tasks === undefined ? <Skeleton /> : null}
      <ul className={styles['tasks']}>
        {ordered.slice(0, shown).map((task) => (
          <li key={task.id}>
            <button type="button" className={styles['task']} onClick={() => open(task.id)}>
              <StatusIcon status={task.status} named />
              <span dir="auto" className={classes(task.status === 'done' && styles['taskDone'])}>
                {task.label}
              </span>
              {task.status === 'done' ? null : <Holder task={task} />}
              {task.blocked && task.status !== 'done' ? <Badge tone="warn">Blocked</Badge> : null}
              {task.priority === null ? null : <PriorityIcon priority={task.priority} />}
            </button>
          </li>
        ))}
      </ul>
      {ordered.length > shown ? (
        <div className={styles['more']}>
          <Button small look="ghost" onClick={() => setShown(shown + shownMore)}>
            Show more of {ordered.length}
          </Button>
        </div>
      ) : null}
      <AddTask projectId={projectId} goalId={goal.id} />
      {goal.status === 'active' && goal.archived_at === null && ordered.some(({ status }) => status === 'todo') ? (
        <div className={styles['more']}>
          <None>In the repository, this lets coding agents work what is in To do:</None>
          <Command text={runCommandOf(goal)} />
        </div>
      ) : null}
    </Card>
  );
}

function Counts({ tasks }: { readonly tasks: readonly TaskRow[] }): ReactElement {
  const count = (status: TaskRow['status']): number => tasks.filter((task) => task.status === status).length;
  const done = count('done');
  return (
    <>
      <span className={styles['facts']}>
        {done} of {tasks.length} done
      </span>
      <span className={styles['share']}>
        <Progress done={done} underway={count('in_progress')} all={tasks.length} label="Tasks done" />
      </span>
    </>
  );
}

function AddTask({ projectId, goalId }: { readonly projectId: string; readonly goalId: string }): ReactElement {
  const { text, setText, isEmpty, add, chips } = useQuickAdd(projectId, { goal_id: goalId });
  return (
    <form
      className={classes(styles['more'], styles['item'])}
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <TextField label="New task" hideLabel placeholder="Add a task…" value={text} onChange={setText} maxLength={500} />
      <Button type="submit" disabled={isEmpty}>
        <Plus size={14} aria-hidden /> Add
      </Button>
      {chips}
    </form>
  );
}
