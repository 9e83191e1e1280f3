import { Check } from './icons.ts';
import * as DropdownMenu from '@radix-ui/react-dropdown-menu';
import type { ReactElement, ReactNode } from 'react';
import styles from './ui.module.css';

export interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly onSelect: () => void;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** True if the item is selected, in a group of alternatives. */
  readonly checked?: boolean;
  /** A separator precedes it. */
  readonly separated?: boolean;
  /** The menu stays open, because several items may be selected. */
  readonly stays?: boolean;
}

export interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactElement;
  readonly label?: string;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
  /** True if the menu is open when it is first drawn. */
  readonly startsOpen?: boolean;
}

export function Menu({ trigger, label, items, align = 'start', startsOpen = false }: MenuProps): ReactElement {
  return (
    <DropdownMenu.Root defaultOpen={startsOpen}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={styles['menu']} align={align} sideOffset={4} collisionPadding={8}>
          {label === undefined ? null : (
            <DropdownMenu.Label className={styles['menuLabel']}>{label}</DropdownMenu.Label>
          )}
          {items.map((item) => (
            <MenuLine key={item.label} {...item} />
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function MenuLine({
  label,
  icon,
  onSelect,
  danger = false,
  disabled = false,
  checked,
  separated = false,
  stays = false,
}: MenuItem): ReactElement {
  const body = (
    <>
      {icon}
      <span>{label}</span>
      {checked === true ? <Check size={14} className={styles['menuCheck']} aria-hidden /> : null}
    </>
  );
  const common = {
    className: styles['menuItem'],
    disabled,
    ...(danger ? { 'data-danger': '' } : {}),
  };
  const open = stays ? { onSelect: (event: Event) => event.preventDefault() } : {};
  return (
    <>
      {separated ? <DropdownMenu.Separator className={styles['menuLine']} /> : null}
      {checked === undefined ? (
        <DropdownMenu.Item {...common} onSelect={onSelect}>
          {body}
        </DropdownMenu.Item>
      ) : (
        <DropdownMenu.CheckboxItem {...common} {...open} checked={checked} onCheckedChange={onSelect}>
          {body}
        </DropdownMenu.CheckboxItem>
      )}
    </>
  );
}
