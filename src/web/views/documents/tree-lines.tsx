import { useDraggable } from '@dnd-kit/core';
import {
  ChevronRight,
  Ellipsis,
  FilePlus,
  FileText,
  Folder,
  FolderInput,
  FolderPlus,
  Pencil,
  Trash2,
} from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { NavLink } from 'react-router';
import { useDeleteFolder, useUpdateFolder } from '../../api/documents.ts';
import type { DocumentFolder, DocumentRow } from '../../api/documents.ts';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { DeleteDocument } from './delete-document.tsx';
import styles from './documents.module.css';
import { MoveDialog } from './move-dialog.tsx';
import { NameDialog } from './name-dialog.tsx';
import type { Dragged, TreeActions } from './tree-actions.ts';

export function DocumentLine({
  document: { id, title },
  folderId,
  actions,
}: {
  readonly document: DocumentRow;
  readonly folderId: string | null;
  readonly actions: TreeActions;
}): ReactElement {
  const what: Dragged = { kind: 'document', id, title, from: folderId };
  const { setNodeRef, listeners, isDragging } = useDraggable({ id, data: what });
  const [dialog, setDialog] = useState<'move' | 'delete' | undefined>(undefined);
  const done = (): void => setDialog(undefined);
  return (
    <>
      <div ref={setNodeRef} {...listeners} className={classes(styles['line'], isDragging && styles['isDragged'])}>
        <NavLink
          to={`/projects/${actions.projectId}/documents/${id}`}
          draggable={false}
          className={({ isActive }) => classes(styles['name'], isActive && styles['here'])}
        >
          <FileText size={15} aria-hidden />
          <span dir="auto">{title}</span>
        </NavLink>
        <Menu
          align="end"
          trigger={
            <IconButton small className={styles['more']} label={`More about ${title}`} icon={<Ellipsis size={15} />} />
          }
          items={[
            { label: 'Move to…', icon: <FolderInput size={14} />, onSelect: () => setDialog('move') },
            { label: 'Delete…', icon: <Trash2 size={14} />, danger: true, onSelect: () => setDialog('delete') },
          ]}
        />
      </div>
      {dialog === 'move' ? <MoveDialog what={what} actions={actions} onClose={done} /> : null}
      {dialog === 'delete' ? (
        <DeleteDocument projectId={actions.projectId} documentId={id} title={title} onClose={done} />
      ) : null}
    </>
  );
}

export function FolderLine({
  folder: { id, name, parent_folder_id: parent },
  isClosed,
  actions,
}: {
  readonly folder: DocumentFolder;
  readonly isClosed: boolean;
  readonly actions: TreeActions;
}): ReactElement {
  const what: Dragged = { kind: 'folder', id, title: name, from: parent };
  const { setNodeRef, listeners, isDragging } = useDraggable({ id: `drag ${id}`, data: what });
  return (
    <div ref={setNodeRef} {...listeners} className={classes(styles['line'], isDragging && styles['isDragged'])}>
      <button type="button" className={styles['name']} aria-expanded={!isClosed} onClick={() => actions.toggle(id)}>
        <ChevronRight size={14} aria-hidden className={classes(styles['chevron'], !isClosed && styles['isOpened'])} />
        <Folder size={15} aria-hidden />
        <span dir="auto">{name}</span>
      </button>
      <FolderMenu what={what} actions={actions} />
    </div>
  );
}

function FolderMenu({ what, actions }: { readonly what: Dragged; readonly actions: TreeActions }): ReactElement {
  const { id, title } = what;
  const { projectId } = actions;
  const [dialog, setDialog] = useState<'rename' | 'move' | 'delete' | undefined>(undefined);
  const update = useUpdateFolder();
  const remove = useDeleteFolder();
  const done = (): void => setDialog(undefined);
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton
            small
            className={styles['more']}
            label={`More about the folder ${title}`}
            icon={<Ellipsis size={15} />}
          />
        }
        items={[
          { label: 'New document in it', icon: <FilePlus size={14} />, onSelect: () => actions.onNewDocument(id) },
          { label: 'New folder in it', icon: <FolderPlus size={14} />, onSelect: () => actions.onNewFolder(id) },
          { label: 'Rename', icon: <Pencil size={14} />, separated: true, onSelect: () => setDialog('rename') },
          { label: 'Move to…', icon: <FolderInput size={14} />, onSelect: () => setDialog('move') },
          {
            label: 'Delete…',
            icon: <Trash2 size={14} />,
            danger: true,
            separated: true,
            onSelect: () => setDialog('delete'),
          },
        ]}
      />
      {dialog === 'rename' ? (
        <NameDialog
          title="Rename the folder"
          label="Name"
          action="Rename"
          begin={title}
          onClose={done}
          onName={(name) => update.mutate({ project_id: projectId, folder_id: id, name })}
        />
      ) : null}
      {dialog === 'move' ? <MoveDialog what={what} actions={actions} onClose={done} /> : null}
      <Confirm
        open={dialog === 'delete'}
        onClose={done}
        title={`Delete the folder “${title}”?`}
        about="Its contents stay: they move to the parent folder."
        action="Delete the folder"
        onConfirm={() => remove.mutate({ project_id: projectId, folder_id: id })}
      />
    </>
  );
}
