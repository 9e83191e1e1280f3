import {
  DndContext,
  DragOverlay,
  MouseSensor,
  pointerWithin,
  TouchSensor,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import type { DragEndEvent } from '@dnd-kit/core';
import { FileText, Folder } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { folderPaths, useMoveDocuments, useUpdateFolder } from '../../api/documents.ts';
import type { DocumentTree } from '../../api/documents.ts';
import { classes } from '../../ui/class-names.ts';
import { DocumentLine, FolderLine } from './tree-lines.tsx';
import type { Dragged, TreeActions } from './tree-actions.ts';
import styles from './documents.module.css';
import { matching } from './matching.ts';

export interface TreeViewProps {
  readonly projectId: string;
  readonly tree: DocumentTree;
  readonly openId: string;
  readonly filter: string;
  readonly onNewDocument: (folderId: string | null) => void;
  readonly onNewFolder: (parentId: string | null) => void;
}

/** The tree of folders. Documents and folders are moved by dragging them, or by the menu of each. */
export function TreeView({ projectId, tree, openId, filter, onNewDocument, onNewFolder }: TreeViewProps): ReactElement {
  const [closed, setClosed] = useState<ReadonlySet<string>>(() => keptClosed(projectId));
  const [dragged, setDragged] = useState<Dragged | undefined>(undefined);
  const moveDocuments = useMoveDocuments();
  const updateFolder = useUpdateFolder();
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 250, tolerance: 6 } }),
  );
  const shown = filter.trim() === '' ? tree : matching(tree, filter);
  const paths = folderPaths(tree.folders);
  const move = (what: Dragged, target: string | null): void => {
    if (what.from === target || what.id === target) return;
    if (what.kind === 'document')
      moveDocuments.mutate({ project_id: projectId, document_ids: [what.id], folder_id: target });
    else updateFolder.mutate({ project_id: projectId, folder_id: what.id, parent_folder_id: target });
  };
  const actions: TreeActions = {
    projectId,
    openId,
    paths,
    move,
    onNewDocument,
    onNewFolder,
    isClosed: (id) => filter.trim() === '' && closed.has(id),
    toggle: (id) => {
      const next = new Set(closed);
      if (!next.delete(id)) next.add(id);
      localStorage.setItem(closedKey(projectId), JSON.stringify([...next]));
      setClosed(next);
    },
  };
  const drop = ({ active, over }: DragEndEvent): void => {
    setDragged(undefined);
    if (over === null) return;
    move(active.data.current as Dragged, over.id === unfiledId ? null : String(over.id));
  };
  const folders = shown.folders ?? [];
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={pointerWithin}
      onDragStart={({ active }) => setDragged(active.data.current as Dragged)}
      onDragCancel={() => setDragged(undefined)}
      onDragEnd={drop}
      accessibility={{ screenReaderInstructions: { draggable: 'Open the menu of this line to move it.' } }}
    >
      <nav aria-label="Documents" className={styles['tree']}>
        {folders.length === 0 && shown.documents.length === 0 ? (
          <p className={styles['none']}>{filter.trim() === '' ? 'Nothing yet.' : 'No title has that in it.'}</p>
        ) : null}
        <ul>
          {folders.map((folder) => (
            <FolderLine key={folder.id} folder={folder} actions={actions} />
          ))}
        </ul>
        <Unfiled isTarget={dragged !== undefined && dragged.from !== null} named={folders.length > 0}>
          <ul>
            {shown.documents.map((document) => (
              <DocumentLine key={document.id} document={document} folderId={null} actions={actions} />
            ))}
          </ul>
        </Unfiled>
      </nav>
      <DragOverlay dropAnimation={null}>
        {dragged === undefined ? null : (
          <div className={styles['dragged']}>
            {dragged.kind === 'folder' ? <Folder size={15} aria-hidden /> : <FileText size={15} aria-hidden />}
            {dragged.title}
          </div>
        )}
      </DragOverlay>
    </DndContext>
  );
}

const unfiledId = 'unfiled';

/** What lies in no folder. */
function Unfiled({
  isTarget,
  named,
  children,
}: {
  readonly isTarget: boolean;
  readonly named: boolean;
  readonly children: ReactElement;
}): ReactElement {
  const { setNodeRef, isOver } = useDroppable({ id: unfiledId });
  return (
    <div
      ref={setNodeRef}
      className={classes(styles['unfiled'], isTarget && styles['target'], isTarget && isOver && styles['over'])}
    >
      {named ? <h2 className={styles['unfiledName']}>Unfiled</h2> : null}
      {children}
    </div>
  );
}

function closedKey(projectId: string): string {
  return `planner.folders.${projectId}`;
}

/** Which folders are closed is this browser's own. */
function keptClosed(projectId: string): ReadonlySet<string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(closedKey(projectId)) ?? '[]');
    return new Set(Array.isArray(kept) ? kept.map(String) : []);
  } catch {
    return new Set();
  }
}
