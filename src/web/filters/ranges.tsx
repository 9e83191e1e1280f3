import { useState } from 'react';
import type { ReactElement } from 'react';
import { dayOf } from '../../base/day-words.ts';
import { capitalised } from '../rest/field-names.ts';
import { TextField } from '../ui/field.tsx';
import type { Choice } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { today } from '../ui/time.tsx';

/** The ranges of days that are offered. They move on with the days. */
export const ranges = {
  due: [
    { value: '..yesterday', label: 'Before today' },
    { value: 'today', label: 'Today' },
    { value: 'today..in 7 days', label: 'In the next 7 days' },
    { value: 'none', label: 'None' },
  ],
  updated: [
    { value: 'today', label: 'Today' },
    { value: '7 days ago..', label: 'In the last 7 days' },
    { value: '..30 days ago', label: 'Over 30 days ago' },
  ],
} as const satisfies Readonly<Record<string, readonly Choice<string>[]>>;

/** `4 mar..` as a label. */
export function rangeName(range: string): string {
  const [from = '', to = from] = range.split('..');
  if (from === to) return capitalised(from);
  return from === '' ? `Until ${to}` : to === '' ? `From ${from}` : `${capitalised(from)} to ${to}`;
}

/** Asks for a range of days, in words. */
export function RangeDialog({
  name,
  onChoose,
  onClose,
}: {
  readonly name: string;
  readonly onChoose: (range: string) => void;
  readonly onClose: () => void;
}): ReactElement {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const errorOf = (words: string): string | undefined =>
    words.trim() === '' || dayOf(words, today()) !== undefined ? undefined : 'Write a day, as in 4 mar or 2 weeks ago.';
  const isRange = errorOf(from) === undefined && errorOf(to) === undefined && `${from}${to}`.trim() !== '';
  return (
    <FormDialog
      title={`${name} between`}
      action="Filter"
      disabled={!isRange}
      onClose={onClose}
      onSubmit={() => {
        onChoose(`${from.trim()}..${to.trim()}`);
        onClose();
      }}
    >
      <TextField autoFocus label="From" value={from} onChange={setFrom} error={errorOf(from)} placeholder="today" />
      <TextField
        label="To"
        value={to}
        onChange={setTo}
        error={errorOf(to)}
        placeholder="in 2 weeks"
        hint="Without one of them, the range is open there."
      />
    </FormDialog>
  );
}
