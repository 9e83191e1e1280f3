import type { ReactElement } from 'react';
import type { TaskRow } from '../api/tasks.ts';
import { classes } from './class-names.ts';
import { CalendarDays } from './icons.ts';
import { dayText, today } from './time.tsx';
import styles from './ui.module.css';

export type DueTask = TaskRow & { readonly due_date: string };

/** Returns whether a task has a due date and is not done. */
export function isDue(task: TaskRow): task is DueTask {
  return task.due_date !== null && task.status !== 'done';
}

export function isLate(task: TaskRow): boolean {
  return isDue(task) && task.due_date < today();
}

/** The due date of a task, which is marked if it has passed; with an icon where no heading says what it is. */
export function Due({
  task,
  hasIcon = false,
}: {
  readonly task: TaskRow;
  readonly hasIcon?: boolean;
}): ReactElement | null {
  if (task.due_date === null) return null;
  const late = isLate(task);
  return (
    <span className={classes(late && styles['late'])} title={late ? 'Overdue' : undefined}>
      {hasIcon ? (
        <>
          <CalendarDays size={12} role="img" aria-label={late ? 'Overdue since' : 'Due'} />{' '}
        </>
      ) : null}
      {dayText(task.due_date)}
    </span>
  );
}
