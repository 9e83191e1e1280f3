import { useState } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogFoot } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';

export interface NameDialogProps {
  readonly title: string;
  readonly label: string;
  readonly action: string;
  readonly begin?: string;
  readonly onClose: () => void;
  readonly onName: (name: string) => void;
}

/** Prompts for a name. */
export function NameDialog({ title, label, action, begin = '', onClose, onName }: NameDialogProps): ReactElement {
  const [name, setName] = useState(begin);
  return (
    <Dialog open onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() === '') return;
          onName(name.trim());
          onClose();
        }}
      >
        <TextField
          label={label}
          value={name}
          onChange={setName}
          maxLength={500}
          autoFocus
          onFocus={(event) => event.target.select()}
        />
        <DialogFoot>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={name.trim() === ''}>
            {action}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
