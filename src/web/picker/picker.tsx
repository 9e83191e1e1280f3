import * as Dialog from '@radix-ui/react-dialog';
import * as Popper from '@radix-ui/react-popper';
import { Command } from 'cmdk';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTasks } from '../api/tasks.ts';
import { later } from '../loading/later.tsx';
import { useShortcuts } from '../shell/shortcuts.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { fieldNames, pickedFields } from './fields.ts';
import { closePicker, openPicker, subjectNow, usePicking } from './picking.ts';
import type { Picking } from './picking.ts';
import type { LinesProps } from './lines.tsx';
import styles from './picker.module.css';

/** The input takes the keys that follow the one which opens the picker, also while the lines load. */
const Lines = later<LinesProps>(
  async () => (await import('./lines.tsx')).Lines,
  () => <Skeleton />,
);

/** The picker of the page: one for every field of a task, wherever tasks are shown, with its keys. */
export function Picker({ projectId }: { readonly projectId: string }): ReactElement | null {
  const picking = usePicking();
  useShortcuts(
    'Tasks, focused or selected',
    [...fieldNames, 'answer' as const].flatMap((field) => {
      const { keys, name } = pickedFields[field];
      const run = (): void => {
        const subject = subjectNow();
        if (subject !== undefined) openPicker({ ...subject, field });
      };
      return keys === undefined ? [] : [{ keys, name, run }];
    }),
  );
  return picking === undefined ? null : <Open projectId={projectId} picking={picking} />;
}

function Open({ projectId, picking }: { readonly projectId: string; readonly picking: Picking }): ReactElement {
  const { field, anchor, ids } = picking;
  const tasks = useTasks(projectId);
  const [typed, setTyped] = useState({ field, text: '' });
  const [marked, setMarked] = useState('');
  const [formerFocus] = useState(() => document.activeElement);
  const one = ids.length === 1 ? tasks.data?.find(({ id }) => id === ids[0]) : undefined;
  const name = field === undefined ? 'Change' : pickedFields[field].name;
  const of = ids.length > 1 ? `${ids.length} tasks` : one === undefined ? 'a task' : `“${one.label}”`;
  const text = typed.field === field ? typed.text : '';
  return (
    <Dialog.Root open onOpenChange={closePicker}>
      <Popper.Root>
        <Popper.Anchor virtualRef={{ current: anchor }} />
        <Dialog.Portal>
          <Popper.Content asChild align="start" sideOffset={4} collisionPadding={8}>
            <Dialog.Content
              className={styles['picker']}
              aria-describedby={undefined}
              onCloseAutoFocus={(event) => {
                event.preventDefault();
                if (formerFocus instanceof HTMLElement && formerFocus.isConnected) formerFocus.focus();
              }}
            >
              <Dialog.Title className="visually-hidden">
                {name}: {of}
              </Dialog.Title>
              <Command shouldFilter={false} label={name} loop value={marked} onValueChange={setMarked}>
                <Command.Input
                  autoFocus
                  value={text}
                  onValueChange={(now) => setTyped({ field, text: now })}
                  placeholder={ids.length > 1 ? `${name} of ${of}` : name}
                />
                <Command.List>
                  <Loaded of={tasks}>
                    {(rows) => (
                      <Lines
                        key={field}
                        {...{ projectId, picking, tasks: rows, typed: text, onMark: setMarked }}
                        onStay={() => setTyped({ field, text: '' })}
                      />
                    )}
                  </Loaded>
                </Command.List>
              </Command>
            </Dialog.Content>
          </Popper.Content>
        </Dialog.Portal>
      </Popper.Root>
    </Dialog.Root>
  );
}
