import { X } from './icons.ts';
import * as Parts from '@radix-ui/react-dialog';
import { useId, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Button, IconButton } from './button.tsx';
import { classes } from './class-names.ts';
import { TextField } from './field.tsx';
import styles from './ui.module.css';

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** The description below the title, also for screen readers. */
  readonly about?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A window over the page: the focus stays in it, Escape closes it. */
export function Dialog({ open, onClose, title, about, wide = false, children }: DialogProps): ReactElement {
  const before = useFocusBefore(open);
  return (
    <Parts.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Parts.Portal>
        <Parts.Overlay className={styles['overlay']} />
        <Parts.Content
          className={classes(styles['dialog'], wide && styles['wide'])}
          // Without an autofocus element the dialog itself gets the focus: on the close button the focus would open its tooltip, and the
          // first Escape would close only that.
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            (event.currentTarget as HTMLElement | null)?.focus();
          }}
          onCloseAutoFocus={(event) => {
            // The dialog has no trigger: the focus is restored to the former element.
            event.preventDefault();
            if (before?.isConnected === true) before.focus();
          }}
          {...(about === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <div className={styles['dialogHead']}>
            <Parts.Title asChild>
              <h2>{title}</h2>
            </Parts.Title>
            <Parts.Close asChild>
              <IconButton label="Close" icon={<X size={16} />} small />
            </Parts.Close>
          </div>
          <div className={styles['dialogBody']}>
            {about === undefined ? null : (
              <Parts.Description asChild>
                <div className={styles['hint']}>{about}</div>
              </Parts.Description>
            )}
            {children}
          </div>
        </Parts.Content>
      </Parts.Portal>
    </Parts.Root>
  );
}

/** The element that had the focus before a dialog opened; for a menu item, which no longer exists, the button of the menu. */
function useFocusBefore(open: boolean): HTMLElement | null {
  const [was, setWas] = useState<{ readonly open: boolean; readonly element: HTMLElement | null }>({
    open: false,
    element: null,
  });
  if (was.open !== open) setWas({ open, element: open ? focused() : was.element });
  return was.element;
}

function focused(): HTMLElement | null {
  const element = document.activeElement as HTMLElement | null;
  const opener = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return opener == null ? element : document.getElementById(opener);
}

/** The buttons at the end of a dialog. */
export function DialogFoot({ children }: { readonly children: ReactNode }): ReactElement {
  return <div className={styles['dialogFoot']}>{children}</div>;
}

export interface ConfirmProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly about: ReactNode;
  /** The label of the button: a verb. */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly danger?: boolean;
  /** The text that must be typed to confirm, if the action is destructive. */
  readonly typed?: string;
}

/** Confirms an action that is hard to undo. */
export function Confirm(props: ConfirmProps): ReactElement {
  // Mounted each time it opens, so that previously typed text is cleared.
  return props.open ? <OpenConfirm {...props} /> : <></>;
}

function OpenConfirm({
  open,
  onClose,
  title,
  about,
  action,
  onConfirm,
  danger = true,
  typed,
}: ConfirmProps): ReactElement {
  const [text, setText] = useState('');
  const form = useId();
  const ready = typed === undefined || text.trim() === typed.trim();
  return (
    <Dialog open={open} onClose={onClose} title={title} about={about}>
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!ready) return;
          onConfirm();
          onClose();
        }}
      >
        {typed === undefined ? null : (
          <TextField
            label={`Type “${typed}” to confirm`}
            value={text}
            onChange={setText}
            autoFocus
            autoComplete="off"
          />
        )}
      </form>
      <DialogFoot>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          form={form}
          look={danger ? 'danger' : 'primary'}
          disabled={!ready}
          autoFocus={typed === undefined}
        >
          {action}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
