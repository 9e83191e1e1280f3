import { useState } from 'react';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { useCreateProject } from '../../api/projects.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogFoot } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import styles from './home.module.css';

export function CreateProject({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const create = useCreateProject();
  const navigate = useNavigate();
  const submit = async (): Promise<void> => {
    const described = description.trim() === '' ? {} : { description };
    const made = await create.mutateAsync({ name: name.trim(), ...described }).catch(() => undefined);
    if (made === undefined) return;
    onClose();
    await navigate(`/projects/${made.id}`);
  };
  return (
    <Dialog open onClose={onClose} title="New project">
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          maxLength={500}
          required
          autoFocus
          error={create.error?.field === 'name' ? create.error.message : undefined}
        />
        <TextArea label="What it is about (optional)" value={description} onChange={setDescription} />
        <DialogFoot>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={name.trim() === '' || create.isPending}>
            Create project
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
