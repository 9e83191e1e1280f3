import type { ReactElement } from 'react';
import styles from './segments.module.css';

export interface Segment<V extends string> {
  readonly value: V;
  readonly label: string;
  readonly count?: number | undefined;
}

export interface SegmentsProps<V extends string> {
  /** The label for screen readers. */
  readonly label: string;
  readonly value: V;
  readonly onChange: (value: V) => void;
  readonly choices: readonly Segment<V>[];
}

/** A choice among a few alternatives, one button each. */
export function Segments<V extends string>({ label, value, onChange, choices }: SegmentsProps<V>): ReactElement {
  return (
    <div className={styles['segments']} role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          className={styles['segment']}
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.label}
          {choice.count === undefined ? null : <span className={styles['count']}>{choice.count}</span>}
        </button>
      ))}
    </div>
  );
}
