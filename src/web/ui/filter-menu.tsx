import { ChevronDown } from './icons.ts';
import type { ReactElement } from 'react';
import { Button } from './button.tsx';
import { Menu } from './menu.tsx';
import type { Choice } from './field.tsx';
import styles from './ui.module.css';

export interface FilterMenuProps {
  readonly name: string;
  readonly choices: readonly Choice<string>[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly operator?: 'any' | 'all' | 'not';
  /** Goes on to the next operator. */
  readonly onOperator?: () => void;
  /** Asks for a range of its own. */
  readonly onRange?: () => void;
  readonly startsOpen?: boolean;
}

/** A filter by several values. Once some are chosen it is a chip, with its operator and the number of values. */
export function FilterMenu({
  name,
  choices,
  chosen,
  onChange,
  operator = 'any',
  onOperator,
  onRange,
  startsOpen = false,
}: FilterMenuProps): ReactElement {
  const one = chosen.length === 1 ? choices.find(({ value }) => value === chosen[0])?.label : undefined;
  const isChosen = chosen.length > 0;
  const isChip = isChosen && onOperator !== undefined;
  const text = `${name}${isChosen ? `: ${one ?? chosen.length}` : ''}`;
  const is = operator === 'not' ? 'is not' : operator === 'any' && chosen.length === 1 ? 'is' : `is ${operator} of`;
  return (
    <span className={isChip ? styles['filter'] : undefined}>
      {isChip ? (
        <>
          <span>{name}</span>
          <Button
            small
            look="ghost"
            aria-label={`${name} ${is}`}
            title="Change how it is compared"
            onClick={onOperator}
          >
            {is}
          </Button>
        </>
      ) : null}
      <Menu
        startsOpen={startsOpen}
        trigger={
          <Button small look={isChosen && !isChip ? 'plain' : 'ghost'} aria-label={text}>
            {isChip ? (one ?? chosen.length) : text}
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
          ...(onRange === undefined ? [] : [{ label: 'Between…', onSelect: onRange }]),
          ...(isChosen ? [{ label: 'Any', separated: true, onSelect: () => onChange([]) }] : []),
        ]}
      />
    </span>
  );
}
