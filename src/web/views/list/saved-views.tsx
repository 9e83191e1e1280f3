import { Copy, Ellipsis, Pencil, RotateCcw, Save, Trash2 } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Link } from 'react-router';
import { toast } from 'sonner';
import { useCreateView, useDeleteView, useUpdateView } from '../../api/views.ts';
import type { SavedView } from '../../api/views.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { copied } from '../../ui/copy.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import styles from './list.module.css';
import { toConfig } from './list-state.ts';
import type { ListLook } from './use-list-state.ts';

export interface SavedViewsProps {
  readonly projectId: string;
  readonly views: readonly SavedView[];
  readonly look: ListLook;
  /** The controls next to the views. */
  readonly children: ReactNode;
}

type OpenDialog = 'save' | 'rename' | 'delete' | undefined;

/** The saved views of the project, with the actions of the shown one. */
export function SavedViews({ projectId, views, look, children }: SavedViewsProps): ReactElement {
  const { view, isChanged } = look;
  const [dialog, setDialog] = useState<OpenDialog>(undefined);
  const update = useUpdateView();
  const close = (): void => setDialog(undefined);
  return (
    <div className={styles['views']}>
      <nav aria-label="Saved views">
        <ul>
          <ViewLink to="?" name="All tasks" isHere={view === undefined} />
          {views.filter(isOfList).map(({ id, name }) => (
            <ViewLink key={id} to={`?view=${id}`} name={name} isHere={id === view?.id} />
          ))}
        </ul>
      </nav>
      {isChanged && view !== undefined ? (
        <Button
          small
          onClick={() =>
            update.mutate(
              { view_id: view.id, project_id: projectId, config: toConfig(look.state) },
              { onSuccess: () => look.show(view.id) },
            )
          }
        >
          <Save size={13} aria-hidden /> Save changes
        </Button>
      ) : null}
      {isChanged && view === undefined ? (
        <Button small onClick={() => setDialog('save')}>
          <Save size={13} aria-hidden /> Save view
        </Button>
      ) : null}
      {children}
      <Menu
        align="end"
        trigger={<IconButton small label="More about this view" icon={<Ellipsis size={15} />} />}
        items={[
          { label: 'Copy the address', icon: <Copy size={14} aria-hidden />, onSelect: () => void copyAddress() },
          { label: 'Save as a new view…', icon: <Save size={14} aria-hidden />, onSelect: () => setDialog('save') },
          {
            label: view === undefined ? 'Show everything' : 'Undo my changes',
            icon: <RotateCcw size={14} aria-hidden />,
            disabled: !isChanged,
            onSelect: look.reset,
          },
          ...(view === undefined
            ? []
            : [
                {
                  label: 'Rename…',
                  icon: <Pencil size={14} aria-hidden />,
                  separated: true,
                  onSelect: () => setDialog('rename'),
                },
                {
                  label: 'Delete view…',
                  icon: <Trash2 size={14} aria-hidden />,
                  danger: true,
                  onSelect: () => setDialog('delete'),
                },
              ]),
        ]}
      />
      <SavedViewDialog {...{ projectId, look, dialog, close }} />
    </div>
  );
}

/** Views of other parts of the page, or of other programs, are not shown here; one without a type may be any list. */
function isOfList({ config }: SavedView): boolean {
  const type = (config as Record<string, unknown> | undefined)?.['type'];
  return type === undefined || type === 'list';
}

function ViewLink({
  to,
  name,
  isHere,
}: {
  readonly to: string;
  readonly name: string;
  readonly isHere: boolean;
}): ReactElement {
  return (
    <li>
      <Link
        to={to}
        className={classes(styles['view'], isHere && styles['here'])}
        aria-current={isHere ? 'page' : undefined}
      >
        {name}
      </Link>
    </li>
  );
}

async function copyAddress(): Promise<void> {
  if (await copied(window.location.href))
    toast.success('Address copied', { description: 'It opens the list as you see it now.' });
}

function SavedViewDialog({
  projectId,
  look,
  dialog,
  close,
}: {
  readonly projectId: string;
  readonly look: ListLook;
  readonly dialog: OpenDialog;
  readonly close: () => void;
}): ReactElement | null {
  const create = useCreateView();
  const update = useUpdateView();
  const remove = useDeleteView();
  const { view, state } = look;
  if (dialog === 'save')
    return (
      <NameDialog
        title="Save as a view"
        action="Save view"
        name=""
        onClose={close}
        onName={(name) =>
          create.mutate(
            { project_id: projectId, name, config: toConfig(state) },
            { onSuccess: ({ id }) => look.show(id) },
          )
        }
      />
    );
  if (view === undefined) return null;
  if (dialog === 'rename')
    return (
      <NameDialog
        title="Rename the view"
        action="Rename"
        name={view.name}
        onClose={close}
        onName={(name) => update.mutate({ view_id: view.id, project_id: projectId, name })}
      />
    );
  return (
    <Confirm
      open={dialog === 'delete'}
      onClose={close}
      title={`Delete the view “${view.name}”?`}
      about="The tasks stay as they are. Addresses that name the view show every task from then on."
      action="Delete view"
      onConfirm={() => {
        remove.mutate({ view_id: view.id, project_id: projectId });
        look.show(undefined);
      }}
    />
  );
}

interface NameDialogProps {
  readonly title: string;
  readonly action: string;
  readonly name: string;
  readonly onClose: () => void;
  readonly onName: (name: string) => void;
}

function NameDialog({ title, action, name, onClose, onName }: NameDialogProps): ReactElement {
  const [text, setText] = useState(name);
  const ready = text.trim() !== '' && text.trim() !== name;
  return (
    <FormDialog
      title={title}
      action={action}
      disabled={!ready}
      onSubmit={() => {
        onName(text.trim());
        onClose();
      }}
      onClose={onClose}
    >
      <TextField label="Name" value={text} onChange={setText} maxLength={500} autoFocus required />
    </FormDialog>
  );
}
