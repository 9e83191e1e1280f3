import { Command } from 'cmdk';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { matcher } from '../../api/task-filter.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import styles from './task.module.css';

export interface TaskPickerProps {
  readonly title: string;
  readonly tasks: readonly TaskRow[];
  readonly onPick: (id: string) => void;
  readonly onClose: () => void;
}

const shown = 50;

/** Finds one task of many by words of its label. */
export function TaskPicker({ title, tasks, onPick, onClose }: TaskPickerProps): ReactElement {
  const [text, setText] = useState('');
  const found = useMemo(() => tasks.filter(matcher({ text })).slice(0, shown), [tasks, text]);
  return (
    <Dialog open onClose={onClose} title={title}>
      <Command shouldFilter={false} label={title} className={styles['picker']}>
        <Command.Input autoFocus value={text} onValueChange={setText} placeholder="Words of its label" />
        <Command.List>
          <Command.Empty>No matching tasks.</Command.Empty>
          {found.map(({ id, label, status }) => (
            <Command.Item
              key={id}
              value={id}
              onSelect={() => {
                onPick(id);
                onClose();
              }}
            >
              <StatusIcon status={status} size={14} named />
              <span dir="auto">{label}</span>
            </Command.Item>
          ))}
        </Command.List>
      </Command>
    </Dialog>
  );
}
