import type { ReactElement } from 'react';
import { useBulkChange } from '../../api/bulk.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { pickedFields } from '../../picker/fields.ts';
import { openPicker } from '../../picker/picking.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Trash2, X } from '../../ui/icons.ts';
import styles from './list.module.css';

const barFields = ['status', 'priority', 'goal_id', 'assignee', 'due_date', 'tags', 'lane', 'kind'] as const;

export interface BulkBarProps {
  readonly projectId: string;
  readonly chosen: readonly TaskRow[];
  readonly onClear: () => void;
  readonly isDeleting: boolean;
  readonly onDeleting: (isDeleting: boolean) => void;
}

/** The bulk actions of the selected tasks. */
export function BulkBar({ projectId, chosen, onClear, isDeleting, onDeleting }: BulkBarProps): ReactElement | null {
  const { remove } = useBulkChange(projectId);
  if (chosen.length === 0) return null;
  const counted = chosen.length === 1 ? '1 task' : `${chosen.length} tasks`;
  return (
    <div className={styles['bulk']} role="toolbar" aria-label="Chosen tasks">
      <span role="status">{chosen.length.toLocaleString()} selected</span>
      {barFields.map((field) => (
        <Button
          key={field}
          small
          look="ghost"
          aria-haspopup="dialog"
          title={pickedFields[field].keys}
          onClick={({ currentTarget: anchor }) => openPicker({ ids: chosen.map(({ id }) => id), field, anchor })}
        >
          {pickedFields[field].name}
        </Button>
      ))}
      <Button small look="ghost" className={styles['danger']} onClick={() => onDeleting(true)}>
        <Trash2 size={13} aria-hidden /> Delete…
      </Button>
      <IconButton small label="Clear the selection" keys="Esc" icon={<X size={14} />} onClick={onClear} />
      <Confirm
        open={isDeleting}
        onClose={() => onDeleting(false)}
        title={`Delete ${counted}?`}
        about="Their links and comments are deleted with them. Each can be restored from the trash."
        action={`Delete ${counted}`}
        onConfirm={() => void remove(chosen)}
      />
    </div>
  );
}
