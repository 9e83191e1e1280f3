import { useDraggable } from '@dnd-kit/core';
import { Lock } from '../../ui/icons.ts';
import { memo } from 'react';
import type { ReactElement } from 'react';
import { statusNames } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { openPicker, subjectNow } from '../../picker/picking.ts';
import { TagBadge } from '../../ui/badge.tsx';
import { classes } from '../../ui/class-names.ts';
import { Due } from '../../ui/due.tsx';
import { Holder } from '../../ui/runs/holder.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import { PriorityIcon } from '../../ui/priority-icon.tsx';
import { VerifiedMark } from '../../ui/verified-mark.tsx';
import styles from './board.module.css';

export interface CardProps {
  readonly task: TaskRow;
  readonly onOpen: (id: string) => void;
  readonly isSelected: boolean;
  readonly onSelect: (id: string, range: boolean) => void;
}

/** A task on the board. It is rendered again only if the task has changed. */
export const Card = memo(CardButton);

function CardButton({ task, onOpen, isSelected, onSelect }: CardProps): ReactElement {
  const { setNodeRef, listeners, isDragging } = useDraggable({ id: task.id });
  return (
    <div
      className={styles['whole']}
      onContextMenu={(event) => {
        // A long press begins a drag.
        if ((event.nativeEvent as PointerEvent).pointerType === 'touch') return;
        event.preventDefault();
        const at = new DOMRect(event.clientX, event.clientY, 0, 0);
        openPicker({ ids: idsAt(event.currentTarget), anchor: { getBoundingClientRect: () => at } });
      }}
    >
      <button
        type="button"
        ref={setNodeRef}
        className={classes(styles['card'], isDragging && styles['gone'], isSelected && styles['selected'])}
        data-task={task.id}
        aria-pressed={isSelected ? true : undefined}
        onClick={({ shiftKey, ctrlKey, metaKey }) => {
          if (shiftKey || ctrlKey || metaKey) onSelect(task.id, shiftKey);
          else onOpen(task.id);
        }}
        {...listeners}
      >
        <CardFace task={task} />
      </button>
      <StatusControl task={task} />
    </div>
  );
}

/** The task of a card, or all selected ones if it is one of them. */
const idsAt = (whole: Element): readonly string[] => subjectNow(whole.querySelector('[data-task]'))?.ids ?? [];

/** Keys change the status of the focused card. */
function StatusControl({ task }: Pick<CardProps, 'task'>): ReactElement {
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles['status']}
      aria-label={`Status of ${task.label}: ${statusNames[task.status]}`}
      aria-haspopup="dialog"
      onClick={({ currentTarget: anchor }) =>
        openPicker({ ids: idsAt(anchor.parentElement!), field: 'status', anchor })
      }
    >
      <StatusIcon status={task.status} size={15} />
    </button>
  );
}

export function CardFace({
  task,
  lifted = false,
  count = 1,
}: {
  readonly task: TaskRow;
  readonly lifted?: boolean;
  /** The number of cards that are dragged together. */
  readonly count?: number;
}): ReactElement {
  return (
    <span className={classes(styles['face'], lifted && styles['lifted'])}>
      {count === 1 ? null : <span className={styles['together']}>{count}</span>}
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
