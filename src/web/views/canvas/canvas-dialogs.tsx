import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import type { CanvasEdge } from '../../api/canvas.ts';
import { useDocumentTree } from '../../api/documents.ts';
import type { DocumentFolder, DocumentRow } from '../../api/documents.ts';
import { ChooserDialog } from '../../ui/chooser.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog, DialogFoot } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { keyList } from './canvas-keys.ts';
import styles from './canvas.module.css';
import { EdgeDialog } from './edge-dialog.tsx';
import type { Item } from './model/model.ts';
import type { OpenDialog } from './use-canvas-view.ts';
import type { Ends } from './use-operations.ts';

export interface CanvasDialogsProps {
  readonly projectId: string;
  readonly dialog: OpenDialog | undefined;
  readonly onClose: () => void;
  readonly items: readonly Item[];
  readonly edges: readonly CanvasEdge[];
  readonly selected: readonly Item[];
  readonly onCreate: (label: string) => void;
  readonly onPlace: (documentId: string) => void;
  readonly onFind: (id: string) => void;
  readonly onArrange: () => void;
  readonly onDelete: () => void;
  readonly onConnect: (ends: Ends, label: string | null) => void;
  readonly onEdge: (edge: CanvasEdge, ends: Ends, label: string | null) => void;
  readonly onDeleteEdge: (edge: CanvasEdge) => void;
}

/** The dialogs of the canvas. */
export function CanvasDialogs(props: CanvasDialogsProps): ReactElement | null {
  const { projectId, dialog, onClose, items, edges, selected } = props;
  if (dialog === undefined) return null;
  switch (dialog.kind) {
    case 'task':
      return <NewTask onClose={onClose} onCreate={props.onCreate} />;
    case 'document':
      return <DocumentChooser projectId={projectId} items={items} onClose={onClose} onPick={props.onPlace} />;
    case 'find':
      return <ChooserDialog title="Find a node" items={items} onClose={onClose} onPick={props.onFind} />;
    case 'arrange': {
      const some = selected.length > 1;
      const counted = some ? `the ${selected.length} selected nodes` : `all ${items.length} nodes`;
      return (
        <Confirm
          open
          danger={false}
          onClose={onClose}
          title={`Arrange ${counted}?`}
          about="They are arranged from left to right in the order of work, for everyone. Undo restores the positions."
          action="Arrange"
          onConfirm={props.onArrange}
        />
      );
    }
    case 'delete':
      return <DeleteNodes selected={selected} onClose={onClose} onDelete={props.onDelete} />;
    case 'connect':
      return <EdgeDialog items={items} from={dialog.from} to={dialog.to} onClose={onClose} onSave={props.onConnect} />;
    case 'edge': {
      const edge = edges.find(({ id }) => id === dialog.id);
      if (edge === undefined) return null;
      return (
        <EdgeDialog
          items={items}
          edge={edge}
          onClose={onClose}
          onSave={(ends, label) => props.onEdge(edge, ends, label)}
          onDelete={() => props.onDeleteEdge(edge)}
        />
      );
    }
    case 'keys':
      return (
        <Dialog open onClose={onClose} title="Keys of the canvas">
          <dl className={styles['keys']}>
            {keyList.map(([keys, what]) => (
              <div key={keys}>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      );
  }
}

function DeleteNodes({
  selected,
  onClose,
  onDelete,
}: {
  readonly selected: readonly Item[];
  readonly onClose: () => void;
  readonly onDelete: () => void;
}): ReactElement {
  const tasks = selected.filter(({ type }) => type === 'task');
  const documents = selected.length - tasks.length;
  const [only] = selected;
  const named = selected.length === 1 ? `“${only!.label}”` : undefined;
  const parts = [
    ...(tasks.length > 0 ? [`Delete ${tasks.length === 1 ? (named ?? '1 task') : `${tasks.length} tasks`}`] : []),
    ...(documents > 0
      ? [
          `${tasks.length > 0 ? 'take' : 'Take'} ${named ?? (documents === 1 ? '1 document' : `${documents} documents`)} off the canvas`,
        ]
      : []),
  ];
  return (
    <Confirm
      open
      onClose={onClose}
      title={`${parts.join(' and ')}?`}
      about={
        tasks.length === 0
          ? 'The document itself stays where it is.'
          : 'Tasks are deleted with their edges and comments, for everyone. Undo or the trash restores them.'
      }
      action={tasks.length === 0 ? 'Take off' : 'Delete'}
      danger={tasks.length > 0}
      onConfirm={onDelete}
    />
  );
}

function NewTask({
  onClose,
  onCreate,
}: {
  readonly onClose: () => void;
  readonly onCreate: (label: string) => void;
}): ReactElement {
  const [label, setLabel] = useState('');
  const ready = label.trim() !== '';
  return (
    <Dialog open onClose={onClose} title="New task">
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (!ready) return;
          onCreate(label.trim());
          onClose();
        }}
      >
        <TextField
          label="What is to be done"
          value={label}
          onChange={setLabel}
          maxLength={500}
          autoFocus
          autoComplete="off"
        />
        <DialogFoot>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!ready}>
            Create task
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

function DocumentChooser({
  projectId,
  items,
  onClose,
  onPick,
}: {
  readonly projectId: string;
  readonly items: readonly Item[];
  readonly onClose: () => void;
  readonly onPick: (id: string) => void;
}): ReactElement | null {
  const { data } = useDocumentTree(projectId);
  const choosable = useMemo(() => {
    const shown = new Set(items.map(({ id }) => id));
    const all = data === undefined ? [] : inFolder(data);
    return all.filter(({ id }) => !shown.has(id)).map(({ id, title }) => ({ id, label: title }));
  }, [data, items]);
  if (data === undefined) return null;
  const about =
    choosable.length === 0
      ? 'Every document of the project is on the canvas already, or there is none yet.'
      : 'It is shown there from then on, and can be connected with tasks.';
  return (
    <ChooserDialog
      title="Put a document on the canvas"
      about={about}
      items={choosable}
      onClose={onClose}
      onPick={onPick}
    />
  );
}

function inFolder({ documents = [], folders = [] }: Partial<DocumentFolder>): readonly DocumentRow[] {
  return [...documents, ...folders.flatMap(inFolder)];
}
