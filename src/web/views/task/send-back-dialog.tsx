import { useState } from 'react';
import type { ReactElement } from 'react';
import { useSendBack } from '../../api/review.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogFoot } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/field.tsx';
import { useKeptText } from '../../ui/use-kept-text.ts';
import styles from '../../ui/queue.module.css';

/** Sends a finished task back to To do, with the reason as a comment. */
export function SendBackDialog({
  task,
  onClose,
  onSend,
}: {
  readonly task: Pick<TaskRow, 'id' | 'project_id' | 'label' | 'status' | 'lane' | 'verified_at' | 'verified_ref'>;
  readonly onClose: () => void;
  /** Before the task leaves the queue. */
  readonly onSend?: () => void;
}): ReactElement {
  const [reason, setReason, end] = useKeptText(`send-back ${task.id}`, onClose);
  const [statusIsBack, setStatusIsBack] = useState(false);
  const { send, isPending } = useSendBack(task);
  const text = reason.trim();
  const submit = async (): Promise<void> => {
    if (!statusIsBack) onSend?.();
    const sent = await send(text, statusIsBack);
    if (sent === 'without_reason') setStatusIsBack(true);
    if (sent !== 'done') return;
    end();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Send back “${task.label}”?`}
      about="It returns to To do, where agents get it again, and the reason becomes a comment."
    >
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (text !== '' && !isPending) void submit();
        }}
      >
        <TextArea
          label="Reason"
          value={reason}
          onChange={setReason}
          autoFocus
          required
          rows={4}
          error={statusIsBack ? 'The task is back in To do, but the reason could not be added yet.' : undefined}
        />
        <DialogFoot>
          <Button onClick={end}>Cancel</Button>
          <Button type="submit" look="primary" disabled={text === '' || isPending}>
            {statusIsBack ? 'Add the reason' : 'Send back'}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
