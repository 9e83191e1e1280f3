import { useState } from 'react';
import type { ReactElement } from 'react';
import { soFar, useResponse } from '../../api/cache.ts';
import { useCopyScreen, useMoveScreen } from '../../api/prototypes.ts';
import type { PrototypeDetail, ScreenRow } from '../../api/prototypes.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogFoot } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/states.tsx';
import styles from './prototypes.module.css';

export interface ScreenTargetProps {
  readonly prototype: PrototypeDetail;
  readonly screen: ScreenRow;
  readonly how: 'move' | 'copy';
  readonly onClose: () => void;
}

/** Prompts for the prototype that a screen is moved or copied to. */
export function ScreenTarget({ prototype, screen, how, onClose }: ScreenTargetProps): ReactElement {
  const { id, project_id: projectId } = prototype;
  const { data } = useResponse('list_prototypes', { project_id: projectId });
  const others = soFar(data?.prototypes).filter((one) => how === 'copy' || one.id !== id);
  const [target, setTarget] = useState(how === 'copy' ? id : '');
  const [title, setTitle] = useState(`${screen.title} copy`);
  const move = useMoveScreen();
  const copy = useCopyScreen();
  const chosen = target === '' ? others[0]?.id : target;
  return (
    <Dialog
      open
      onClose={onClose}
      title={how === 'move' ? `Move “${screen.title}”` : `Copy “${screen.title}”`}
      about={how === 'move' ? 'It stays the same screen, with its annotations.' : 'Annotations stay with the original.'}
    >
      {data === undefined ? (
        <Skeleton />
      ) : chosen === undefined ? (
        <p>There is no other prototype. Create one first.</p>
      ) : (
        <form
          className={styles['form']}
          onSubmit={(event) => {
            event.preventDefault();
            const named = { project_id: projectId, artifact_id: screen.id, prototype_id: chosen };
            if (how === 'move') move.mutate(named);
            else copy.mutate(title.trim() === '' ? named : { ...named, title: title.trim() });
            onClose();
          }}
        >
          <SelectField
            label="To the prototype"
            value={chosen}
            onChange={setTarget}
            choices={others.map((one) => ({ value: one.id, label: one.name }))}
          />
          {how === 'copy' ? <TextField label="Title" value={title} onChange={setTitle} maxLength={500} /> : null}
          <DialogFoot>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary">
              {how === 'move' ? 'Move' : 'Copy'}
            </Button>
          </DialogFoot>
        </form>
      )}
    </Dialog>
  );
}
