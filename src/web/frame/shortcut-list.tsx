import { useState } from 'react';
import type { ReactElement } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import styles from '../shell/commands.module.css';
import { Keys } from '../shell/keys.tsx';
import type { KeyList } from '../shell/key-list.ts';
import { isMac, shortcutsNow } from '../shell/shortcuts.tsx';
import { viewKeys } from './view-keys.ts';

/** Every shortcut: the active ones, then the keys of each view. */
export function ShortcutList({ onClose }: { readonly onClose: () => void }): ReactElement {
  // The state when it was opened: the view below may change.
  const [groups] = useState(shortcutsNow);
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts" wide>
      <div className={styles['groups']} tabIndex={0} role="group" aria-label="Keyboard shortcuts">
        {groups.map(({ name, shortcuts }) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl className={styles['keys']}>
              {name === 'Everywhere' ? (
                <div>
                  <dt>Search, go and do</dt>
                  <dd>
                    <kbd>{isMac ? '⌘' : 'Ctrl'}</kbd> <kbd>K</kbd>
                  </dd>
                </div>
              ) : null}
              {shortcuts.map((shortcut) => (
                <Line key={shortcut.keys} keys={shortcut.keys} action={shortcut.name} />
              ))}
              {name === 'Everywhere'
                ? undoKeys.map(([keys, action]) => <Line key={keys} {...{ keys, action }} />)
                : null}
            </dl>
          </section>
        ))}
        {Object.entries(viewKeys).map(([name, list]) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl className={styles['keys']}>
              {list.map(([keys, action]) => (
                <Line key={keys} keys={keys} action={action} />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

const undoKeys: KeyList = [
  ['Ctrl Z', 'Undo the last change'],
  ['Ctrl Shift Z', 'Redo it'],
];

function Line({ keys, action }: { readonly keys: string; readonly action: string }): ReactElement {
  return (
    <div>
      <dt>{action}</dt>
      <dd>
        <Keys keys={keys} />
      </dd>
    </div>
  );
}
