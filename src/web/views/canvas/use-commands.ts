import { useReactFlow } from '@xyflow/react';
import type { Connection } from '@xyflow/react';
import type { RefObject } from 'react';
import type { TaskStatus } from '../../rest/types.ts';
import type { Point } from '../../api/canvas.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useSubject } from '../../picker/picking.ts';
import type { CanvasKeys } from './canvas-keys.ts';
import type { FlowEdge, FlowNode } from './model/canvas-store.ts';
import type { Item } from './model/model.ts';
import { neighbourOf } from './model/neighbours.ts';
import { nodeSizes } from './model/sizes.ts';
import type { CanvasBoard } from './use-board.ts';
import type { OpenDialog } from './use-canvas-view.ts';
import type { Drawing } from './use-drawing.ts';
import type { Ends, Operations } from './use-operations.ts';

export interface CommandSources {
  readonly frame: RefObject<HTMLElement | null>;
  readonly board: CanvasBoard;
  /** Shows everything. */
  readonly fit: () => void;
  readonly drawing: Drawing;
  readonly operations: Operations;
  readonly byId: ReadonlyMap<string, Item>;
  readonly tasks: readonly TaskRow[];
  readonly openDialog: (dialog: OpenDialog) => void;
  readonly edit: (id: string) => void;
  readonly openItem: (id: string) => void;
  readonly focusNode: (id: string) => void;
  /** Read out. */
  readonly announce: (text: string) => void;
}

export interface Commands {
  readonly keys: CanvasKeys;
  readonly selected: readonly FlowNode[];
  readonly selectedEdges: readonly FlowEdge[];
  readonly endsOf: (connection: Pick<Connection, 'source' | 'target'>) => Ends | undefined;
  readonly turnEdge: () => void;
  /** The centre of the visible area, minus half a node. */
  readonly middle: () => Point;
}

/** The node that has the focus, by its id. */
function focusedNode(): string | undefined {
  return document.activeElement?.closest('.react-flow__node')?.getAttribute('data-id') ?? undefined;
}

/** The commands of keys, buttons and dialogs on the selection. */
export function useCommands(sources: CommandSources): Commands {
  const { frame, board, fit, drawing, operations, byId, tasks, openDialog, edit, openItem, focusNode, announce } =
    sources;
  const { store, history, drawn } = board;
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const shown = drawn.nodes.filter(({ hidden }) => hidden !== true);
  const selected = drawn.nodes.filter((node) => node.selected);
  const selectedEdges = drawn.edges.filter((edge) => edge.selected);
  const targetId = (): string | undefined => focusedNode() ?? selected[0]?.id;
  useSubject(() => {
    const focused = focusedNode();
    const meant = selected.length > 0 ? selected.map(({ id }) => id) : focused === undefined ? [] : [focused];
    const ids = meant.filter((id) => byId.get(id)?.type === 'task');
    const anchor = document.querySelector(`.react-flow__node[data-id="${CSS.escape(ids[0] ?? '')}"]`) ?? frame.current;
    return ids.length === 0 || anchor === null ? undefined : { ids, anchor };
  });
  const step = (way: 'undo' | 'redo'): void =>
    void history.go(way).then((what) => {
      if (what !== undefined) announce(`${way === 'undo' ? 'Undone' : 'Redone'}: ${what}`);
    });
  const endsOf: Commands['endsOf'] = ({ source, target }) => {
    const [from, to] = [byId.get(source), byId.get(target)];
    return from === undefined || to === undefined || from === to ? undefined : { from, to };
  };
  const setStatus = (status: TaskStatus): void => {
    const ids = new Set(selected.map(({ id }) => id));
    const meantTasks = tasks.filter(({ id, status: now }) => ids.has(id) && now !== status);
    void operations.setStatus(meantTasks, status);
  };
  const keys: CanvasKeys = {
    undo: () => step('undo'),
    redo: () => step('redo'),
    selectAll: () => store.select(shown.map(({ id }) => id)),
    selectNone: () => (drawing.isOn ? drawing.set(false) : store.select([])),
    draw: () => drawing.set(!drawing.isOn),
    remove: () => {
      if (selected.length > 0) openDialog({ kind: 'delete' });
      else if (selectedEdges.length > 0)
        void operations.deleteEdges(selectedEdges.flatMap(({ data }) => data?.link.edge ?? []));
    },
    open: () => {
      const id = targetId();
      const [edge] = selectedEdges;
      if (id !== undefined) openItem(id);
      else if (edge !== undefined) openDialog({ kind: 'edge', id: edge.id });
    },
    rename: () => {
      const id = targetId();
      if (id !== undefined) edit(id);
    },
    connect: () => openDialog({ kind: 'connect', from: selected[0]?.id ?? focusedNode(), to: selected[1]?.id }),
    create: () => openDialog({ kind: 'task' }),
    find: () => openDialog({ kind: 'find' }),
    fit,
    zoom: (nearer) => void (nearer ? flow.zoomIn() : flow.zoomOut()),
    go: (direction) => {
      const from = drawn.nodes.find(({ id }) => id === targetId());
      const next = from === undefined ? shown[0] : neighbourOf(from, shown, direction);
      if (next === undefined) return;
      store.select([next.id]);
      focusNode(next.id);
    },
    setStatus,
  };
  const turnEdge = (): void => {
    const edge = selectedEdges[0]?.data?.link.edge;
    const ends = edge && endsOf({ source: edge.to_id, target: edge.from_id });
    if (edge !== undefined && ends !== undefined) void operations.changeEdge(edge, ends, edge.label);
  };
  const middle = (): Point => {
    const { left = 0, top = 0, width = 0, height = 0 } = frame.current?.getBoundingClientRect() ?? {};
    const at = flow.screenToFlowPosition({ x: left + width / 2, y: top + height / 2 });
    return { x: Math.round(at.x - nodeSizes.task.width / 2), y: Math.round(at.y - nodeSizes.task.height / 2) };
  };
  return { keys, selected, selectedEdges, endsOf, turnEdge, middle };
}
