import { Button } from './button.tsx';
import { Search } from './icons.ts';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import styles from './search-field.module.css';

const restMs = 150;

/** A filter by words. The field updates immediately, the address after a debounce; a new `from` resets it. */
export function SearchField({
  from,
  onChange,
}: {
  readonly from: string;
  readonly onChange: (text: string) => void;
}): ReactElement {
  const [text, setText] = useState(from);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <label className={styles['search']}>
      <Search size={14} aria-hidden />
      <span className="visually-hidden">Filter by words</span>
      <input
        type="search"
        placeholder="Filter…"
        value={text}
        onChange={({ target: { value } }) => {
          setText(value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => onChange(value), restMs);
        }}
      />
    </label>
  );
}

/** Returns whether the words may be in descriptions, too. */
export function DescriptionsToggle({
  on,
  onChange,
}: {
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}): ReactElement {
  return (
    <Button small look="ghost" className={styles['toggle']} aria-pressed={on} onClick={() => onChange(!on)}>
      Search descriptions
    </Button>
  );
}
