import { useState } from 'react';
import type { ReactElement } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import styles from './commands.module.css';
import { isMac, shortcutsNow } from './shortcuts.tsx';

/** Every shortcut of the current view, and useful keys of the browser. */
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
                <div key={shortcut.keys}>
                  <dt>{shortcut.name}</dt>
                  <dd>
                    <Keys keys={shortcut.keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** Keys as labelled on the keyboard: `g b` is two in a row. */
export function Keys({ keys }: { readonly keys: string }): ReactElement {
  return (
    <span className={styles['combination']}>
      {keys.split(' ').map((key, at) => (
        <kbd key={at}>{key === 'Enter' ? '↵' : key}</kbd>
      ))}
    </span>
  );
}
