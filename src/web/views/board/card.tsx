import { useDraggable } from '@dnd-kit/core';
import { Lock } from '../../ui/icons.ts';
import { memo, useState } from 'react';
import type { ReactElement } from 'react';
import type { TaskStatus } from '../../rest/types.ts';
import { statuses, statusNames } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { TagBadge } from '../../ui/badge.tsx';
import { classes } from '../../ui/class-names.ts';
import { Due } from '../../ui/due.tsx';
import { Holder } from '../../ui/runs/holder.tsx';
import { Menu } from '../../ui/menu.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import { PriorityIcon } from '../../ui/priority-icon.tsx';
import { VerifiedMark } from '../../ui/verified-mark.tsx';
import styles from './board.module.css';

export interface CardProps {
  readonly task: TaskRow;
  readonly onOpen: (id: string) => void;
  readonly onMove: (task: TaskRow, status: TaskStatus) => void;
}

/** A task on the board. It is rendered again only if the task has changed. */
export const Card = memo(CardButton);

function CardButton({ task, onOpen, onMove }: CardProps): ReactElement {
  const { setNodeRef, listeners, isDragging } = useDraggable({ id: task.id });
  return (
    <div className={styles['whole']}>
      <button
        type="button"
        ref={setNodeRef}
        className={classes(styles['card'], isDragging && styles['gone'])}
        data-task={task.id}
        onClick={() => onOpen(task.id)}
        {...listeners}
      >
        <CardFace task={task} />
      </button>
      <StatusControl task={task} onMove={onMove} />
    </div>
  );
}

/** The status as a menu. The menu is made when it is first opened: a board has many cards. */
function StatusControl({ task, onMove }: Pick<CardProps, 'task' | 'onMove'>): ReactElement {
  const [opened, setOpened] = useState(false);
  const button = (
    <button
      type="button"
      // Keys move a card with Ctrl and an arrow.
      tabIndex={-1}
      className={styles['status']}
      aria-label={`Status of ${task.label}: ${statusNames[task.status]}`}
      onClick={() => setOpened(true)}
    >
      <StatusIcon status={task.status} size={15} />
    </button>
  );
  if (!opened) return button;
  return (
    <Menu
      align="end"
      startsOpen
      trigger={button}
      items={statuses.map((status) => ({
        label: statusNames[status],
        icon: <StatusIcon status={status} size={15} />,
        checked: status === task.status,
        onSelect: () => onMove(task, status),
      }))}
    />
  );
}

export function CardFace({
  task,
  lifted = false,
}: {
  readonly task: TaskRow;
  readonly lifted?: boolean;
}): ReactElement {
  return (
    <span className={classes(styles['face'], lifted && styles['lifted'])}>
      <span className={styles['label']}>
        <span dir="auto">{task.label}</span>
        <VerifiedMark at={task.verified_at} by={task.verified_ref} isStale={task.verification_state === 'stale'} />
        {task.priority === null ? null : <PriorityIcon priority={task.priority} />}
      </span>
      <span className={styles['foot']}>
        {task.blocked ? (
          <span className={styles['blocked']} title={`Waits for ${task.waiting_on.length} tasks that are not done`}>
            <Lock size={12} role="img" aria-label="Blocked, waits for" /> {task.waiting_on.length}
          </span>
        ) : null}
        {task.tags.map(({ id, name, color }) => (
          <TagBadge key={id} name={name} color={color} />
        ))}
        <Due task={task} hasIcon />
        <Holder task={task} />
      </span>
    </span>
  );
}
