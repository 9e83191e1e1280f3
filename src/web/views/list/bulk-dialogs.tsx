import { useId, useState } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogFoot } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import styles from './list.module.css';

interface Common {
  /** The number of tasks as text. */
  readonly about: string;
  readonly onClose: () => void;
}

export interface AssigneeDialogProps extends Common {
  readonly people: readonly string[];
  readonly onAssign: (name: string | null) => void;
}

export function AssigneeDialog({ about, people, onClose, onAssign }: AssigneeDialogProps): ReactElement {
  const [name, setName] = useState('');
  const list = useId();
  const assign = (to: string | null): void => {
    onAssign(to);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={`Assign ${about}`}>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') assign(name.trim());
        }}
      >
        <TextField
          label="Assignee"
          value={name}
          onChange={setName}
          list={list}
          maxLength={500}
          autoFocus
          autoComplete="off"
        />
        <datalist id={list}>
          {people.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <DialogFoot>
          <Button onClick={() => assign(null)}>Nobody</Button>
          <Button type="submit" look="primary" disabled={name.trim() === ''}>
            Assign
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

export interface TagsDialogProps extends Common {
  readonly known: readonly string[];
  /** The tags of any of the tasks. */
  readonly present: readonly string[];
  readonly onChange: (add: readonly string[], takeOff: readonly string[]) => void;
}

export function TagsDialog({ about, known, present, onClose, onChange }: TagsDialogProps): ReactElement {
  const [typed, setTyped] = useState('');
  const [takeOff, setTakeOff] = useState<readonly string[]>([]);
  const list = useId();
  const add = typed
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const ready = add.length > 0 || takeOff.length > 0;
  return (
    <Dialog open onClose={onClose} title={`Tags of ${about}`}>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (!ready) return;
          onChange(add, takeOff);
          onClose();
        }}
      >
        <TextField
          label="Add"
          hint="Separate several with commas. New ones are created."
          value={typed}
          onChange={setTyped}
          list={list}
          autoFocus
          autoComplete="off"
        />
        <datalist id={list}>
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        {present.length === 0 ? null : (
          <fieldset className={styles['takeOff']}>
            <legend>Take off</legend>
            {present.map((name) => (
              <label key={name}>
                <input
                  type="checkbox"
                  checked={takeOff.includes(name)}
                  onChange={({ target }) =>
                    setTakeOff(target.checked ? [...takeOff, name] : takeOff.filter((each) => each !== name))
                  }
                />
                {name}
              </label>
            ))}
          </fieldset>
        )}
        <DialogFoot>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!ready}>
            Change tags
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
