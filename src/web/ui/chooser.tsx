import { Command } from 'cmdk';
import { FileText } from './icons.ts';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { hasWordsOf } from '../api/words.ts';
import type { TaskStatus } from '../rest/types.ts';
import { Dialog } from './dialog.tsx';
import { StatusIcon } from './status-icon.tsx';
import styles from './chooser.module.css';

export interface Choosable {
  readonly id: string;
  readonly label: string;
  /** A task's; without one it is a document. */
  readonly status?: TaskStatus | undefined;
}

export interface ChooserProps {
  /** The label for screen readers. */
  readonly name: string;
  readonly items: readonly Choosable[];
  readonly onPick: (id: string) => void;
}

const shown = 50;

/** Finds one record of many by words of its label: type, arrows, Enter. */
export function Chooser({ name, items, onPick }: ChooserProps): ReactElement {
  const [text, setText] = useState('');
  const found = useMemo(() => {
    const hasWords = hasWordsOf(text);
    const matches: Choosable[] = [];
    for (const item of items) {
      if (hasWords(item.label)) matches.push(item);
      if (matches.length === shown) break;
    }
    return matches;
  }, [items, text]);
  return (
    <Command shouldFilter={false} label={name} className={styles['chooser']}>
      <Command.Input autoFocus value={text} onValueChange={setText} placeholder="Words of its name" />
      <Command.List>
        <Command.Empty>No results</Command.Empty>
        {found.map(({ id, label, status }) => (
          <Command.Item key={id} value={id} onSelect={() => onPick(id)}>
            {status === undefined ? <FileText size={14} aria-hidden /> : <StatusIcon status={status} size={14} named />}
            <span dir="auto">{label}</span>
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  );
}

export function ChooserDialog({
  title,
  about,
  onClose,
  ...chooser
}: Omit<ChooserProps, 'name'> & {
  readonly title: string;
  readonly about?: string;
  readonly onClose: () => void;
}): ReactElement {
  return (
    <Dialog open onClose={onClose} title={title} {...(about === undefined ? {} : { about })}>
      <Chooser
        {...chooser}
        name={title}
        onPick={(id) => {
          onClose();
          chooser.onPick(id);
        }}
      />
    </Dialog>
  );
}
