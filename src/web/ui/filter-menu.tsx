import { ChevronDown } from './icons.ts';
import type { ReactElement } from 'react';
import { Button } from './button.tsx';
import { Menu } from './menu.tsx';
import type { Choice } from './field.tsx';

export interface FilterMenuProps {
  readonly name: string;
  readonly choices: readonly Choice<string>[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** A filter by any of several values. Its button shows the number of selected ones. */
export function FilterMenu({ name, choices, chosen, onChange }: FilterMenuProps): ReactElement {
  const one = chosen.length === 1 ? choices.find(({ value }) => value === chosen[0])?.label : undefined;
  return (
    <Menu
      trigger={
        <Button small look={chosen.length === 0 ? 'ghost' : 'plain'}>
          {name}
          {chosen.length === 0 ? '' : `: ${one ?? chosen.length}`}
          <ChevronDown size={13} aria-hidden />
        </Button>
      }
      items={[
        ...choices.map(({ value, label }) => ({
          label,
          stays: true,
          checked: chosen.includes(value),
          onSelect: () =>
            onChange(chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value]),
        })),
        ...(chosen.length === 0 ? [] : [{ label: 'Any', separated: true, onSelect: () => onChange([]) }]),
      ]}
    />
  );
}
