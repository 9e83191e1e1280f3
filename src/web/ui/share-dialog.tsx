import { useState } from 'react';
import type { ReactElement } from 'react';
import { useChange } from '../api/change.ts';
import type { Answer, Input } from '../rest/client.ts';
import { Button } from './button.tsx';
import { CopyLine } from './copy.tsx';
import { Dialog, DialogFoot } from './dialog.tsx';
import { SelectField } from './field.tsx';
import { dayText } from './time.tsx';
import styles from './share-dialog.module.css';

export type ShareOperation = 'share_task' | 'share_document' | 'share_prototype';

export interface ShareDialogProps<N extends ShareOperation> {
  readonly operation: N;
  readonly input: Input<N>;
  /** The title of the shared resource. */
  readonly name: string;
  readonly onClose: () => void;
}

const lifetimes = [
  { value: '1h', label: '1 hour' },
  { value: '24h', label: '1 day' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
] as const;

/** Creates a link to one resource, for people and agents without an account. It is shown once. */
export function ShareDialog<N extends ShareOperation>({
  operation,
  input,
  name,
  onClose,
}: ShareDialogProps<N>): ReactElement {
  const [expires, setExpires] = useState<string>('24h');
  const share = useChange<ShareOperation>(operation, {
    shownBy: ['list_shares'],
    failed: 'The link could not be created',
  });
  const link: Answer<ShareOperation> | undefined = share.data;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Share “${name}”`}
      about="Anyone with the link can read this and nothing else, until it expires or you revoke it in Settings."
    >
      {link === undefined ? (
        <>
          <SelectField label="The link works for" value={expires} onChange={setExpires} choices={lifetimes} />
          <DialogFoot>
            <Button onClick={onClose}>Cancel</Button>
            <Button look="primary" disabled={share.isPending} onClick={() => share.mutate({ ...input, expires })}>
              Create link
            </Button>
          </DialogFoot>
        </>
      ) : (
        <>
          <CopyLine label="For people" text={link.url} />
          <CopyLine label="For agents (Markdown)" text={link.markdown_url} />
          <p className={styles['note']}>
            It works until {dayText(link.expires_at)}. Copy it now: it is not shown again.
          </p>
          <DialogFoot>
            <Button look="primary" onClick={onClose}>
              Done
            </Button>
          </DialogFoot>
        </>
      )}
    </Dialog>
  );
}
