import * as DropdownMenu from '@radix-ui/react-dropdown-menu';
import type { ReactElement } from 'react';
import ui from '../../ui/ui.module.css';
import styles from './canvas.module.css';

export interface ContextItem {
  readonly label: string;
  readonly onSelect: () => void;
  readonly danger?: boolean;
}

export interface ContextMenuProps {
  /** The position of the pointer in the window. */
  readonly at: { readonly x: number; readonly y: number };
  readonly items: readonly ContextItem[];
  readonly onClose: () => void;
}

/** The menu of a node, an edge or the canvas, at the pointer or the focused element. */
export function ContextMenu({ at, items, onClose }: ContextMenuProps): ReactElement {
  return (
    <DropdownMenu.Root open onOpenChange={(open) => (open ? undefined : onClose())} modal={false}>
      <DropdownMenu.Trigger asChild>
        <span className={styles['pointerAt']} style={{ left: at.x, top: at.y }} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className={ui['menu']}
          align="start"
          sideOffset={2}
          collisionPadding={8}
          aria-label="Actions"
          // The canvas moves the focus to where the action needs it.
          onCloseAutoFocus={(event) => event.preventDefault()}
        >
          {items.map(({ label, onSelect, danger = false }) => (
            <DropdownMenu.Item
              key={label}
              className={ui['menuItem']}
              onSelect={onSelect}
              {...(danger ? { 'data-danger': '' } : {})}
            >
              <span>{label}</span>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
