import type { ReactElement, ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog, DialogFoot } from './dialog.tsx';
import styles from './ui.module.css';

/** A dialog with a form: `action` names the button that submits it, which works unless `disabled`. */
export function FormDialog({
  title,
  action,
  disabled,
  onSubmit,
  onClose,
  children,
}: {
  readonly title: string;
  readonly action: string;
  readonly disabled: boolean;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <Dialog open onClose={onClose} title={title}>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (!disabled) onSubmit();
        }}
      >
        {children}
        <DialogFoot>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={disabled}>
            {action}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
