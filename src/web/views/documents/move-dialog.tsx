import { useState } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogFoot } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import type { Dragged, TreeActions } from './tree-actions.ts';

export interface MoveDialogProps {
  readonly what: Dragged;
  readonly actions: Pick<TreeActions, 'paths' | 'move'>;
  readonly onClose: () => void;
}

/** Moves a document or a folder without dragging it. */
export function MoveDialog({ what, actions: { paths, move }, onClose }: MoveDialogProps): ReactElement {
  const [target, setTarget] = useState(what.from ?? '');
  // A folder can be moved neither into itself nor into its contents.
  const places = paths.filter(({ ids }) => what.kind === 'document' || !ids.includes(what.id));
  return (
    <Dialog open onClose={onClose} title={`Move “${what.title}”`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          move(what, target === '' ? null : target);
          onClose();
        }}
      >
        <SelectField
          label="To"
          value={target}
          onChange={setTarget}
          choices={[
            { value: '', label: what.kind === 'document' ? 'Unfiled' : 'The top' },
            ...places.map(({ id, path }) => ({ value: id, label: path })),
          ]}
        />
        <DialogFoot>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Move
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
