import type { ReactElement } from 'react';
import styles from './commands.module.css';
import { isMac } from './shortcuts.tsx';

/** Keys as labelled on the keyboard, and words between them: `g b` is two in a row. */
export function Keys({ keys }: { readonly keys: string }): ReactElement {
  return (
    <span className={styles['combination']}>
      {keys
        .split(' ')
        .map((key, at) => (/^[a-z]{2,}$/.test(key) ? <span key={at}>{key}</span> : <kbd key={at}>{labelOf(key)}</kbd>))}
    </span>
  );
}

function labelOf(key: string): string {
  if (key === 'Enter') return '↵';
  return key === 'Ctrl' && isMac ? '⌘' : key;
}
