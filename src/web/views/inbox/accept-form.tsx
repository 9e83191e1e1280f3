import { useState } from 'react';
import type { ReactElement } from 'react';
import type { SubmissionRow } from '../../api/submissions.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogFoot } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import styles from '../../ui/queue.module.css';

/** Accepts a submission with edited texts. */
export function AcceptForm({
  submission,
  onAccept,
  onClose,
}: {
  readonly submission: SubmissionRow;
  readonly onAccept: (task: { readonly label: string; readonly description: string }) => Promise<boolean>;
  readonly onClose: () => void;
}): ReactElement {
  const [label, setLabel] = useState(submission.title);
  const [description, setDescription] = useState(submission.body ?? '');
  const [busy, setBusy] = useState(false);
  const accept = async (): Promise<void> => {
    setBusy(true);
    // After an error the dialog stays open with the text.
    if (await onAccept({ label: label.trim(), description })) onClose();
    setBusy(false);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Accept in your own words"
      about="The task waits in Scope and says who submitted it."
    >
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          void accept();
        }}
      >
        <TextField label="Task" value={label} onChange={setLabel} maxLength={500} required autoFocus />
        <TextArea label="Description" value={description} onChange={setDescription} rows={8} />
        <DialogFoot>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={busy || label.trim() === ''}>
            Accept
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
