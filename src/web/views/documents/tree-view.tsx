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
import type { CollisionDetection, DragEndEvent, Over } from '@dnd-kit/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { FileText, Folder } from '../../ui/icons.ts';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { CSSProperties, ReactElement } from 'react';
import { folderPaths, useMoveDocuments, useUpdateFolder } from '../../api/documents.ts';
import type { DocumentTree } from '../../api/documents.ts';
import { classes } from '../../ui/class-names.ts';
import styles from './documents.module.css';
import { linesOf } from './lines.ts';
import type { Line } from './lines.ts';
import { matching } from './matching.ts';
import type { Dragged, TreeActions } from './tree-actions.ts';
import { DocumentLine, FolderLine } from './tree-lines.tsx';

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
  /** The folder under a drag; null for the top level, undefined without a drag. */
  const [target, setTarget] = useState<string | null | undefined>(undefined);
  const moveDocuments = useMoveDocuments();
  const updateFolder = useUpdateFolder();
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 250, tolerance: 6 } }),
  );
  const isFiltered = filter.trim() !== '';
  const shown = useMemo(() => (isFiltered ? matching(tree, filter) : tree), [tree, filter, isFiltered]);
  const paths = useMemo(() => folderPaths(tree.folders), [tree]);
  const isClosed = useCallback((id: string) => !isFiltered && closed.has(id), [closed, isFiltered]);
  const move = (what: Dragged, to: string | null): void => {
    if (what.from === to || what.id === to) return;
    if (what.kind === 'document')
      moveDocuments.mutate({ project_id: projectId, document_ids: [what.id], folder_id: to });
    else updateFolder.mutate({ project_id: projectId, folder_id: what.id, parent_folder_id: to });
  };
  const actions: TreeActions = {
    projectId,
    openId,
    paths,
    move,
    onNewDocument,
    onNewFolder,
    toggle: (id) => {
      const next = new Set(closed);
      if (!next.delete(id)) next.add(id);
      localStorage.setItem(closedKey(projectId), JSON.stringify([...next]));
      setClosed(next);
    },
  };
  const end = (): void => {
    setDragged(undefined);
    setTarget(undefined);
  };
  const drop = ({ active, over }: DragEndEvent): void => {
    end();
    if (over !== null) move(active.data.current as Dragged, folderUnder(over));
  };
  const lines = useMemo(() => linesOf(shown, isClosed), [shown, isClosed]);
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={lineUnderPointer}
      onDragStart={({ active }) => setDragged(active.data.current as Dragged)}
      onDragOver={({ over }) => setTarget(over === null ? undefined : folderUnder(over))}
      onDragCancel={end}
      onDragEnd={drop}
      accessibility={{ screenReaderInstructions: { draggable: 'Open the menu of this line to move it.' } }}
    >
      <Lines {...{ lines, actions, target }} none={isFiltered ? 'No matching titles.' : 'Nothing yet.'} />
      <DragOverlay dropAnimation={null}>
        {dragged === undefined ? null : (
          <div className={styles['dragged']}>
            {dragged.kind === 'folder' ? <Folder size={15} aria-hidden /> : <FileText size={15} aria-hidden />}
            <span dir="auto">{dragged.title}</span>
          </div>
        )}
      </DragOverlay>
    </DndContext>
  );
}

/** The estimated height of a line in pixels until it is rendered. */
const linePixels = 30;
/** The space around the lines: a drop there moves out of all folders. */
const aroundId = 'around';

function folderUnder(over: Over): string | null {
  return (over.data.current as { readonly folderId: string | null }).folderId;
}

function lineUnderPointer(args: Parameters<CollisionDetection>[0]): ReturnType<CollisionDetection> {
  const under = pointerWithin(args);
  const lines = under.filter(({ id }) => id !== aroundId);
  return lines.length > 0 ? lines : under;
}

/** Only visible lines are rendered. */
function Lines({
  lines,
  actions,
  target,
  none,
}: {
  readonly lines: readonly Line[];
  readonly actions: TreeActions;
  readonly target: string | null | undefined;
  readonly none: string;
}): ReactElement {
  const scroller = useRef<HTMLElement>(null);
  const { setNodeRef } = useDroppable({ id: aroundId, data: { folderId: null } });
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => linePixels,
    getItemKey: (at) => lines[at]!.key,
    overscan: 10,
  });
  const showOpen = useEffectEvent(() => {
    const at = lines.findIndex(({ key }) => key === actions.openId);
    if (at >= 0) virtual.scrollToIndex(at);
  });
  // After opening an address, scroll to the document in the tree, unless its folder is closed.
  useEffect(() => showOpen(), [actions.openId]);
  return (
    <nav
      ref={(node) => {
        scroller.current = node;
        setNodeRef(node);
      }}
      aria-label="Documents"
      className={styles['tree']}
    >
      {lines.length === 0 ? <p className={styles['none']}>{none}</p> : null}
      <ul className={styles['lines']} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => (
          <TreeLine
            key={key}
            {...{ index, start, actions }}
            line={lines[index]!}
            measure={virtual.measureElement}
            isTarget={target !== undefined && lines[index]!.folderId === target}
          />
        ))}
      </ul>
    </nav>
  );
}

function TreeLine({
  line,
  index,
  start,
  measure,
  isTarget,
  actions,
}: {
  readonly line: Line;
  readonly index: number;
  /** Pixels from the top of the first line. */
  readonly start: number;
  readonly measure: (node: Element | null) => void;
  readonly isTarget: boolean;
  readonly actions: TreeActions;
}): ReactElement {
  const { setNodeRef } = useDroppable({ id: `onto ${line.key}`, data: { folderId: line.folderId } });
  return (
    <li
      ref={(node) => {
        setNodeRef(node);
        measure(node);
      }}
      data-index={index}
      aria-level={line.depth + 1}
      className={classes(styles['at'], isTarget && styles['over'])}
      style={{ transform: `translateY(${start}px)`, '--depth': line.depth } as CSSProperties}
    >
      <LineContent line={line} actions={actions} />
    </li>
  );
}

function LineContent({ line, actions }: { readonly line: Line; readonly actions: TreeActions }): ReactElement {
  switch (line.kind) {
    case 'folder':
      return <FolderLine folder={line.folder} isClosed={line.isClosed} actions={actions} />;
    case 'document':
      return <DocumentLine document={line.document} folderId={line.folderId} actions={actions} />;
    case 'empty':
      return <p className={styles['none']}>Empty</p>;
    case 'unfiled':
      return <h2 className={styles['unfiledName']}>Unfiled</h2>;
  }
}

function closedKey(projectId: string): string {
  return `planner.folders.${projectId}`;
}

/** The closed folders are stored in this browser. */
function keptClosed(projectId: string): ReadonlySet<string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(closedKey(projectId)) ?? '[]');
    return new Set(Array.isArray(kept) ? kept.map(String) : []);
  } catch {
    return new Set();
  }
}
