import { Fragment } from 'react';
import type { ReactElement } from 'react';
import styles from './unified-diff.module.css';

type Kind = 'added' | 'removed' | 'same' | 'place';

interface Line {
  readonly kind: Kind;
  readonly text: string;
}

/** The lines of a unified diff, without its header and the marks of missing line ends. */
function diffLines(unified: string): readonly Line[] {
  const begin = unified.search(/^@@/m);
  if (begin < 0) return [];
  return unified
    .slice(begin)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('\\'))
    .map((line) => ({ kind: kindOf(line), text: line.startsWith('@@') ? placeOf(line) : line.slice(1) }));
}

function kindOf(line: string): Kind {
  return line.startsWith('@@') ? 'place' : line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
}

function placeOf(line: string): string {
  const [, at = '1'] = /\+(\d+)/.exec(line) ?? [];
  return `Line ${Math.max(1, Number(at))}`;
}

const marks = { added: '+', removed: '−', same: ' ', place: ' ' } as const;
const spoken = { added: 'Added: ', removed: 'Removed: ', same: '', place: '' } as const;

/** The changed lines of a text, distinguished by signs and colours. */
export function UnifiedDiff({ unified }: { readonly unified: string }): ReactElement {
  const lines = diffLines(unified);
  return (
    <pre className={styles['diff']} tabIndex={0} aria-label="What changed in the text">
      {lines.map(({ kind, text }, at) => (
        <Fragment key={at}>
          <span className={styles[kind]}>
            <span className={styles['mark']} aria-hidden>
              {marks[kind]}
            </span>
            <span>
              {spoken[kind] === '' ? null : <span className="visually-hidden">{spoken[kind]}</span>}
              {text === '' ? ' ' : text}
            </span>
          </span>
        </Fragment>
      ))}
    </pre>
  );
}
