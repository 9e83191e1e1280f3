import type { ReactElement } from 'react';
import { Bot } from './icons.ts';
import styles from './ui.module.css';

/** The first letters of a person's name in a circle, or the sign of an agent. */
export function Initials({
  name,
  isAgent = false,
}: {
  readonly name: string;
  readonly isAgent?: boolean;
}): ReactElement {
  const letters = name.split(/[\s._@-]+/).flatMap((word) => [...word].slice(0, 1));
  return (
    <span className={styles['initials']} aria-hidden>
      {isAgent ? <Bot size={12} /> : letters.slice(0, 2).join('').toUpperCase()}
    </span>
  );
}
