import { useId, useState } from 'react';
import type { ReactElement } from 'react';
import { isDisputed } from '../../base/merge-text.ts';
import type { Disputed, Piece } from '../../base/merge-text.ts';
import { Button } from '../ui/button.tsx';
import styles from './drafts.module.css';

type DisputedLines = Disputed<readonly string[]>;

type Choice = 'mine' | 'theirs' | 'both';

export interface ConflictViewProps<F extends Readonly<Record<string, string>>> {
  readonly pieces: Readonly<Record<string, readonly Piece[]>>;
  /** The names of the fields. */
  readonly names: Readonly<Record<keyof F & string, string>>;
  readonly onResolve: (fields: Partial<F>) => void;
}

/** Shows a concurrent change next to the local text: nothing is sent until the person has chosen. */
export function ConflictView<F extends Readonly<Record<string, string>>>({
  pieces,
  names,
  onResolve,
}: ConflictViewProps<F>): ReactElement {
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const fields = Object.entries(pieces);
  const all = fields.flatMap(([name, each]) =>
    each.flatMap((piece, at) => (isDisputed(piece) ? [`${name} ${at}`] : [])),
  );
  const left = all.filter((key) => choices[key] === undefined).length;
  const heading = useId();
  const take = (choice: Choice): void => setChoices(Object.fromEntries(all.map((key) => [key, choice])));
  return (
    <section className={styles['conflict']} aria-labelledby={heading} role="alert">
      <h2 id={heading}>Another user changed the same text</h2>
      <p>
        Everything else was merged. Choose a version for each conflict; until then nothing of yours is sent or lost.
      </p>
      {fields.map(([name, each]) => (
        <div key={name} className={styles['field']}>
          <h3>{(names as Readonly<Record<string, string>>)[name] ?? name}</h3>
          {each.map((piece, at) =>
            isDisputed(piece) ? (
              <PieceChoice
                key={at}
                piece={piece}
                several={name !== 'title' && name !== 'status'}
                choice={choices[`${name} ${at}`]}
                onChoice={(choice) => setChoices({ ...choices, [`${name} ${at}`]: choice })}
              />
            ) : null,
          )}
        </div>
      ))}
      <div className={styles['foot']}>
        <Button onClick={() => take('theirs')}>Theirs everywhere</Button>
        <Button onClick={() => take('mine')}>Mine everywhere</Button>
        <Button
          look="primary"
          disabled={left > 0}
          onClick={() =>
            onResolve(
              Object.fromEntries(fields.map(([name, each]) => [name, textOf(name, each, choices)])) as Partial<F>,
            )
          }
        >
          {left === 0 ? 'Save this' : `Choose ${left} ${left === 1 ? 'conflict' : 'conflicts'}`}
        </Button>
      </div>
    </section>
  );
}

function textOf(name: string, pieces: readonly Piece[], choices: Readonly<Record<string, Choice>>): string {
  return pieces
    .flatMap((piece, at) => (isDisputed(piece) ? chosen(piece, choices[`${name} ${at}`]) : piece))
    .join('\n');
}

function chosen({ ours, theirs }: DisputedLines, choice: Choice = 'mine'): readonly string[] {
  if (choice !== 'both') return choice === 'mine' ? ours : theirs;
  return [...theirs, ...ours];
}

function PieceChoice({
  piece,
  several,
  choice,
  onChoice,
}: {
  readonly piece: DisputedLines;
  readonly several: boolean;
  readonly choice: Choice | undefined;
  readonly onChoice: (choice: Choice) => void;
}): ReactElement {
  const name = useId();
  const base = piece.base.join('\n').trim();
  const radio = (value: Choice): ReactElement => (
    <input type="radio" name={name} value={value} checked={choice === value} onChange={() => onChoice(value)} />
  );
  return (
    <fieldset className={styles['piece']}>
      <legend>It was: {base === '' ? 'nothing' : `“${base.slice(0, 160)}”`}</legend>
      <label className={styles['side']}>
        <span>{radio('mine')} Mine</span>
        <pre>{piece.ours.join('\n') || '(removed)'}</pre>
      </label>
      <label className={styles['side']}>
        <span>{radio('theirs')} Theirs</span>
        <pre>{piece.theirs.join('\n') || '(removed)'}</pre>
      </label>
      {several ? <label className={styles['both']}>{radio('both')} Both, theirs first</label> : null}
    </fieldset>
  );
}
