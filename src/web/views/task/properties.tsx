import type { ReactElement, ReactNode } from 'react';
import { useGoals } from '../../api/goals.ts';
import { isAgent, useRuns } from '../../api/runs.ts';
import { statusNames } from '../../api/tasks.ts';
import type { TaskDetail } from '../../api/tasks.ts';
import { fieldIcons } from '../../picker/field-icons.tsx';
import { pickedFields } from '../../picker/fields.ts';
import type { PickedField } from '../../picker/fields.ts';
import { openPicker } from '../../picker/picking.ts';
import { capitalised } from '../../rest/field-names.ts';
import { TagBadge } from '../../ui/badge.tsx';
import { classes } from '../../ui/class-names.ts';
import { Due } from '../../ui/due.tsx';
import { Ellipsis } from '../../ui/icons.ts';
import { Initials } from '../../ui/initials.tsx';
import { PriorityIcon } from '../../ui/priority-icon.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import { goalName } from '../../ui/target.tsx';
import styles from './task.module.css';

/** The fields of a task in one quiet line: each opens the picker. Rare fields are shown if they have a value. */
export function Properties({ task }: { readonly task: TaskDetail }): ReactElement {
  const { status, priority, goal_id: goalId, assignee, due_date: due, tags, kind, lane, severity } = task;
  const { data: goals } = useGoals(task.project_id);
  const { data: runs } = useRuns(task.project_id);
  const goal = goals?.find(({ id }) => id === goalId);
  const property = (field: PickedField, text: string | null | undefined, shown?: ReactNode): ReactElement => (
    <Property key={field} {...{ task, field, text }}>
      {shown}
    </Property>
  );
  return (
    <div role="group" aria-label="Properties" data-fields className={styles['properties']}>
      {property('status', statusNames[status], <StatusIcon status={status} size={14} />)}
      {property(
        'priority',
        priority && capitalised(priority),
        priority && <PriorityIcon priority={priority} size={14} />,
      )}
      {property('assignee', assignee, assignee && <Initials name={assignee} isAgent={isAgent(runs, assignee)} />)}
      {property('due_date', due && '', <Due task={task} hasIcon />)}
      {property('goal_id', goals === undefined ? '…' : goal && goalName(goal))}
      {property(
        'tags',
        tags.length === 0 ? null : '',
        tags.map(({ id, name, color }) => <TagBadge key={id} {...{ name, color }} />),
      )}
      {kind === 'decision' ? property('kind', 'Decision') : null}
      {lane === null ? null : property('lane', `${capitalised(lane)} lane`)}
      {severity === null ? null : property('severity', `${capitalised(severity)} severity`)}
      <button
        type="button"
        className={styles['property']}
        aria-label="All properties"
        aria-haspopup="dialog"
        onClick={({ currentTarget: anchor }) => openPicker({ ids: [task.id], anchor })}
      >
        <Ellipsis size={14} />
      </button>
    </div>
  );
}

interface PropertyProps {
  readonly task: TaskDetail;
  readonly field: PickedField;
  /** Null: no value. Empty: `children` show it. */
  readonly text: string | null | undefined;
  /** The value, or its sign. */
  readonly children: ReactNode;
}

function Property({ task, field, text, children }: PropertyProps): ReactElement {
  const { name, keys } = pickedFields[field];
  return (
    <button
      type="button"
      className={classes(styles['property'], text == null && styles['unset'])}
      data-field={field}
      aria-haspopup="dialog"
      title={keys === undefined ? name : `${name} (${keys})`}
      onClick={({ currentTarget: anchor }) => openPicker({ ids: [task.id], field, anchor })}
    >
      <span className="visually-hidden">{name}: </span>
      {text == null ? fieldIcons[field] : (children ?? fieldIcons[field])}
      {text == null ? <span aria-hidden>{name}</span> : text === '' ? null : <span dir="auto">{text}</span>}
      {text == null ? <span className="visually-hidden">none</span> : null}
    </button>
  );
}
