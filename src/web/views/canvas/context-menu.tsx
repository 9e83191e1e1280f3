import * as DropdownMenu from '@radix-ui/react-dropdown-menu';
import type { ReactElement } from 'react';
import type { TaskStatus } from '../../rest/types.ts';
import { statuses, statusNames } from '../../api/tasks.ts';
import { StatusIcon } from '../../ui/status-icon.tsx';
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
  /** Sets the status of the selected tasks; undefined without selected tasks. */
  readonly onStatus?: ((status: TaskStatus) => void) | undefined;
  readonly onClose: () => void;
}

/** The menu of a node, an edge or the canvas, at the pointer or the focused element. */
export function ContextMenu({ at, items, onStatus, onClose }: ContextMenuProps): ReactElement {
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
          {onStatus === undefined ? null : (
            <>
              <DropdownMenu.Separator className={ui['menuLine']} />
              <DropdownMenu.Label className={ui['menuLabel']}>Status</DropdownMenu.Label>
              {statuses.map((status) => (
                <DropdownMenu.Item key={status} className={ui['menuItem']} onSelect={() => onStatus(status)}>
                  <StatusIcon status={status} size={14} />
                  <span>{statusNames[status]}</span>
                </DropdownMenu.Item>
              ))}
            </>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
