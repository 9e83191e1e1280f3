import { useState } from 'react';
import type { ReactElement } from 'react';
import { TextField } from '../../ui/field.tsx';

/** A text that is saved on blur or Enter. */
export function KeptText({
  label,
  kept,
  placeholder,
  onKeep,
}: {
  readonly label: string;
  readonly kept: string;
  readonly placeholder: string;
  readonly onKeep: (text: string) => void;
}): ReactElement {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  return (
    <TextField
      label={label}
      placeholder={placeholder}
      value={typed ?? kept}
      onChange={setTyped}
      onBlur={() => {
        if (typed !== undefined && typed.trim() !== kept) onKeep(typed.trim());
        setTyped(undefined);
      }}
      onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
    />
  );
}
