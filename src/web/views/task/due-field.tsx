import { useState } from 'react';
import type { ReactElement } from 'react';
import { TextField } from '../../ui/field.tsx';

const earliest = '1970-01-01';

/** The due date. While a year is typed digit by digit the browser reports years like 0002: those are not saved. */
export function DueField({
  due,
  onChange,
}: {
  readonly due: string | null;
  readonly onChange: (due: string | null) => void;
}): ReactElement {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  return (
    <TextField
      label="Due"
      type="date"
      min={earliest}
      max="9999-12-31"
      value={typed ?? due ?? ''}
      onChange={(value) => {
        const isTyping = value !== '' && value < earliest;
        setTyped(isTyping ? value : undefined);
        if (!isTyping) onChange(value === '' ? null : value);
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
