import { Background, ConnectionMode, ReactFlow, useReactFlow, useStore } from '@xyflow/react';
import type { ReactFlowState } from '@xyflow/react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement, RefObject } from 'react';
import { useNavigate } from 'react-router';
import type { CanvasEdge, Point } from '../../api/canvas.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { CanvasContext } from './canvas-actions.ts';
import { CanvasDialogs } from './canvas-dialogs.tsx';
import { onCanvasKey } from './canvas-keys.ts';
import type { FlowEdge, FlowNode } from './model/canvas-store.ts';
import { useCanvasFilter } from './canvas-filter.tsx';
import type { CanvasFilter } from './canvas-filter.tsx';
import styles from './canvas.module.css';
import { ConnectionLine } from './connection-line.tsx';
import { nodeUnder } from './drop-end.ts';
import { Arrows, edgeTypes, ObstacleContext } from './edges.tsx';
import { Frames } from './frames.tsx';
import { Legend } from './legend.tsx';
import { Minimap } from './minimap.tsx';
import type { Model } from './model/model.ts';
import { nodeTypes } from './nodes.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { Toolbar, ZoomBar } from './toolbar.tsx';
import type { ToolbarProps } from './toolbar.tsx';
import { useArrange } from './use-arrange.ts';
import type { CanvasBoard } from './use-board.ts';
import { useCanvasLook } from './use-canvas-view.ts';
import type { OpenDialog, CanvasLook } from './use-canvas-view.ts';
import { useCommands } from './use-commands.ts';
import type { Commands } from './use-commands.ts';
import { useDrawing } from './use-drawing.ts';
import type { Drawing } from './use-drawing.ts';
import { useExport } from './use-export.ts';
import { useFocusNode, useKeptFocus } from './use-focus.ts';
import { useNodeActions } from './use-node-actions.ts';
import { useContextMenu } from './use-context-menu.tsx';
import type { ContextMenus } from './use-context-menu.tsx';
import type { Operations } from './use-operations.ts';
import type { FirstLayout } from './use-first-layout.ts';
import { useView } from './use-view.ts';
import type { CanvasView } from './use-view.ts';
import { farZoom, ZoomText } from './zoom-text.tsx';

const isFarOff = ({ transform }: ReactFlowState): boolean => transform[2] < farZoom;

export interface FlowProps {
  readonly projectId: string;
  readonly model: Model;
  readonly tasks: readonly TaskRow[];
  readonly board: CanvasBoard;
  readonly operations: Operations;
  readonly firstLayout: FirstLayout;
}

/** The canvas with its toolbars and dialogs, for mouse and keys. */
export function Flow({ projectId, model, tasks, board, operations, firstLayout }: FlowProps): ReactElement {
  const { drawn } = board;
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const frame = useRef<HTMLDivElement>(null);
  const look = useCanvasLook();
  const drawing = useDrawing();
  const view = useView(frame, drawn, look.viewport);
  const { open } = useOpenTask();
  const navigate = useNavigate();
  const focusNode = useFocusNode();
  const isFar = useStore(isFarOff);
  const [dialog, setDialog] = useState<OpenDialog | undefined>(undefined);
  const [editing, setEditing] = useState<string | undefined>(undefined);
  const [announcement, setAnnouncement] = useState('');
  const filter = useCanvasFilter(projectId, tasks);
  const { store } = board;
  useEffect(() => store.filter(filter.shown), [store, filter.shown]);
  const arrange = useArrange(model, board, filter.hasFrames);
  const byId = useMemo(() => new Map(model.items.map((item) => [item.id, item])), [model.items]);
  useEffect(() => frame.current?.focus({ preventScroll: true }), []);
  const goAfter = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (dialog !== undefined) return undefined;
    // A dialog restores the focus when it closes; only then can it be moved.
    const timer = setTimeout(() => {
      if (goAfter.current !== undefined) focusNode(goAfter.current);
      goAfter.current = undefined;
    }, 50);
    return () => clearTimeout(timer);
  }, [dialog, focusNode]);
  const keepFocus = useKeptFocus(frame, dialog === undefined ? drawn : undefined);
  const openItem = (id: string): void => {
    if (byId.get(id)?.type === 'task') open(id);
    else void navigate(`/projects/${projectId}/documents/${id}`);
  };
  const shared = { byId, tasks, operations, openItem, focusNode };
  const actions = useNodeActions({
    ...shared,
    editing,
    setEditing,
    look,
    isFar,
    isDrawing: drawing.isOn,
    setDialog,
    toneOf: filter.tones.of,
  });
  const commands = useCommands({
    ...shared,
    frame,
    board,
    fit: () => view.fit(),
    drawing,
    openDialog: setDialog,
    edit: setEditing,
    announce: setAnnouncement,
  });
  const newAt = useRef<Point | undefined>(undefined);
  const focusFrame = (): void => frame.current?.focus({ preventScroll: true });
  const createAt = (x: number, y: number): void => {
    newAt.current = flow.screenToFlowPosition({ x, y });
    setDialog({ kind: 'task' });
  };
  const exportAs = useExport({ projectId, frame, drawn, filter, look });
  const menus = useContextMenu({ store, commands, openDialog: setDialog, createAt, exportAs, focusFrame });
  return (
    <CanvasContext value={actions}>
      <div
        ref={frame}
        className={styles['frame']}
        tabIndex={-1}
        data-lit={drawn.hasLit ? '' : undefined}
        data-drawing={drawing.isOn ? '' : undefined}
        {...keepFocus}
        onKeyDown={(event) => onCanvasKey(event, commands.keys)}
        onDoubleClick={({ target, clientX, clientY }) => {
          if (!(target as HTMLElement).classList.contains('react-flow__pane')) return;
          createAt(clientX, clientY);
        }}
      >
        <Arrows />
        <ZoomText frame={frame} nodes={drawn.nodes} />
        <ObstacleContext value={drawn.obstacles}>
          <Surface
            {...{
              model,
              board,
              operations,
              look,
              view,
              commands,
              arrange,
              firstLayout,
              openItem,
              filter,
              menus,
              exportAs,
              drawing,
            }}
            openDialog={setDialog}
            onPane={focusFrame}
          />
        </ObstacleContext>
        {menus.menu}
        <div className="visually-hidden" role="status">
          {announcement}
        </div>
      </div>
      <Dialogs
        {...{ projectId, model, board, operations, view, commands, arrange, dialog, newAt }}
        onClose={() => {
          setDialog(undefined);
          newAt.current = undefined;
        }}
        onFind={(id) => {
          board.store.select([id]);
          goAfter.current = id;
        }}
      />
    </CanvasContext>
  );
}

interface DialogsProps {
  readonly projectId: string;
  readonly model: Model;
  readonly board: CanvasBoard;
  readonly operations: Operations;
  readonly view: CanvasView;
  readonly commands: Commands;
  readonly arrange: ReturnType<typeof useArrange>;
  readonly dialog: OpenDialog | undefined;
  /** Where a new task is put; by default in the middle of the window. */
  readonly newAt: RefObject<Point | undefined>;
  readonly onClose: () => void;
  readonly onFind: (id: string) => void;
}

/** The dialogs and their actions. */
function Dialogs(props: DialogsProps): ReactElement {
  const { projectId, model, board, operations, view, commands, arrange, dialog, newAt, onClose, onFind } = props;
  const { selected, middle } = commands;
  return (
    <CanvasDialogs
      {...{ projectId, dialog, onClose, onFind }}
      items={model.items}
      edges={model.links.map(({ edge }) => edge)}
      selected={selected.map(({ data }) => data.item)}
      onCreate={(label) => {
        board.store.keepShown();
        void operations.createTask(label, newAt.current ?? middle()).then((id) => {
          if (id !== undefined) board.store.selectSoon(id);
        });
      }}
      onPlace={(id) => void operations.placeDocument(id, middle())}
      onArrange={() => arrange.start(selected.length > 1 ? selected.map(({ id }) => id) : undefined, view.fit)}
      onDelete={() => void operations.remove(selected.map(({ data, position }) => ({ ...data.item, ...position })))}
      onConnect={(ends, label) => void operations.connect(ends, label)}
      onEdge={(edge, ends, label) => void operations.changeEdge(edge, ends, label)}
      onDeleteEdge={(edge) => void operations.deleteEdges([edge])}
    />
  );
}

const ariaTexts = {
  'node.a11yDescription.default':
    'Enter opens it, arrow keys move it, F2 renames it, C connects it, Delete deletes it.',
  'node.a11yDescription.keyboardDisabled': 'Enter opens it.',
  'edge.a11yDescription.default': 'Space selects it, then Enter changes it and Delete deletes it.',
};

/** The constant settings of the canvas. */
const settings = {
  ...{ nodeTypes, edgeTypes, minZoom: 0.04, maxZoom: 2 },
  ...{ connectionMode: ConnectionMode.Loose, connectionRadius: 24, reconnectRadius: 14, elevateEdgesOnSelect: true },
  onlyRenderVisibleElements: true,
  // Deleting asks first; the canvas handles its own keys.
  deleteKeyCode: null,
  multiSelectionKeyCode: ['Meta', 'Control'],
  zoomOnDoubleClick: false,
  ariaLabelConfig: ariaTexts,
};

interface SurfaceProps {
  readonly model: Model;
  readonly board: CanvasBoard;
  readonly operations: Operations;
  readonly look: CanvasLook;
  readonly view: CanvasView;
  readonly firstLayout: FirstLayout;
  readonly filter: CanvasFilter;
  readonly menus: ContextMenus;
  readonly exportAs: ToolbarProps['onExport'];
  readonly drawing: Drawing;
  readonly commands: Commands;
  readonly arrange: ReturnType<typeof useArrange>;
  readonly openItem: (id: string) => void;
  readonly openDialog: (dialog: OpenDialog) => void;
  readonly onPane: () => void;
}

/** Nodes, edges, map and bars. */
function Surface(props: SurfaceProps): ReactElement {
  const { model, board, operations, look, commands, arrange, openItem, openDialog, onPane, filter, menus } = props;
  const { view, firstLayout } = props;
  const { store, drawn, steps } = board;
  const { keys, selected, selectedEdges, endsOf } = commands;
  const connect = (connection: Parameters<typeof endsOf>[0]): void => {
    const ends = endsOf(connection);
    if (ends !== undefined) void operations.connect(ends, null);
  };
  const reconnect = (edge: CanvasEdge | undefined, connection: Parameters<typeof endsOf>[0]): void => {
    const ends = endsOf(connection);
    if (ends === undefined || edge === undefined) return;
    const isElsewhere = ends.from.id !== edge.from_id || ends.to.id !== edge.to_id;
    if (isElsewhere) void operations.changeEdge(edge, ends, edge.label);
  };
  return (
    <ReactFlow<FlowNode, FlowEdge>
      {...settings}
      nodes={drawn.nodes}
      edges={drawn.edges}
      onNodesChange={board.onNodesChange}
      onEdgesChange={(changes) => store.changeEdges(changes)}
      onConnect={connect}
      connectOnClick={props.drawing.isOn}
      connectionLineComponent={ConnectionLine}
      isValidConnection={({ source, target }) => source !== target}
      onReconnect={({ data }, connection) => reconnect(data?.link.edge, connection)}
      // Dropped on the body of a node instead of one of its dots.
      onConnectEnd={(event, state) => {
        const [source, target] = [state.fromNode?.id, nodeUnder(event, state)];
        if (source !== undefined && target !== undefined) connect({ source, target });
      }}
      onReconnectEnd={(event, { data }, kept, state) => {
        const [edge, at] = [data?.link.edge, nodeUnder(event, state)];
        if (edge === undefined || at === undefined) return;
        const [source, target] = kept === 'source' ? [edge.from_id, at] : [at, edge.to_id];
        reconnect(edge, { source, target });
      }}
      onNodeDoubleClick={(_, { id }) => openItem(id)}
      onEdgeDoubleClick={(_, { id }) => openDialog({ kind: 'edge', id })}
      onPaneClick={onPane}
      onNodeContextMenu={menus.onNode}
      onSelectionContextMenu={(event, nodes) => nodes[0] && menus.onNode(event, nodes[0])}
      onEdgeContextMenu={menus.onEdge}
      onPaneContextMenu={menus.onPane}
      onMoveEnd={(_, viewport) => look.setViewport(viewport)}
      onInit={view.begin}
      {...(look.viewport === undefined ? {} : { defaultViewport: look.viewport })}
    >
      <Background gap={24} size={1.2} color="var(--line-strong)" />
      {filter.hasFrames ? <Frames nodes={drawn.nodes} goals={filter.goals} /> : null}
      <Minimap
        nodes={drawn.nodes}
        toneOf={filter.tones.of}
        showFrontier={look.showFrontier}
        showCritical={look.showCritical}
      />
      <Toolbar
        {...{ steps, openDialog }}
        drawing={props.drawing}
        onExport={props.exportAs}
        onUndo={keys.undo}
        onRedo={keys.redo}
        next={model.next}
        pathLength={model.critical.length}
        showFrontier={look.showFrontier}
        showCritical={look.showCritical}
        onFrontier={(shown) => look.setShown('frontier', shown)}
        onCritical={(shown) => look.setShown('critical', shown)}
        run={arrange.run ?? firstLayout.run}
        onStop={arrange.run === undefined ? firstLayout.stop : arrange.stop}
      >
        {filter.bar}
      </Toolbar>
      <ZoomBar onFit={keys.fit}>
        <Legend
          hasLoose={model.links.some(({ orders }) => !orders)}
          hasPath={look.showCritical && model.critical.length > 0}
          tones={filter.tones.named}
        />
      </ZoomBar>
      <SelectionBar
        nodes={selected}
        edges={selectedEdges}
        onOpen={keys.open}
        onRename={keys.rename}
        onConnect={keys.connect}
        onEditEdge={keys.open}
        onTurnEdge={commands.turnEdge}
        onDelete={keys.remove}
      />
    </ReactFlow>
  );
}
