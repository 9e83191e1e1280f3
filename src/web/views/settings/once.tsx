import { useId } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog, DialogFoot } from '../../ui/dialog.tsx';
import styles from './settings.module.css';

/** A secret, shown once: the service stores only its hash. */
export function ShownOnce({
  title,
  label,
  secret,
  about,
  onClose,
}: {
  readonly title: string;
  readonly label: string;
  readonly secret: string;
  readonly about: string;
  readonly onClose: () => void;
}): ReactElement {
  const id = useId();
  return (
    <Dialog open onClose={onClose} title={title} about={about}>
      <div className={styles['once']}>
        <label htmlFor={id}>{label}</label>
        <input id={id} readOnly value={secret} onFocus={({ target }) => target.select()} spellCheck={false} />
      </div>
      <DialogFoot>
        <CopyButton named text={secret} label="Copy" />
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
