import { Background, ConnectionMode, MiniMap, Panel, ReactFlow, useReactFlow, useStore } from '@xyflow/react';
import type { Connection, ReactFlowState } from '@xyflow/react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { toast } from 'sonner';
import type { TaskRow } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { Button } from '../../ui/button.tsx';
import { CanvasContext } from './canvas-actions.ts';
import type { CanvasActions } from './canvas-actions.ts';
import { CanvasDialogs } from './canvas-dialogs.tsx';
import { onCanvasKey } from './canvas-keys.ts';
import type { FlowEdge, FlowNode } from './canvas-store.ts';
import styles from './canvas.module.css';
import { Arrows, edgeTypes } from './edges.tsx';
import type { Item, Model } from './model.ts';
import { neighbourOf } from './neighbours.ts';
import { nodeTypes } from './nodes.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { Toolbar, ZoomBar } from './toolbar.tsx';
import { useArrange } from './use-arrange.ts';
import type { CanvasBoard } from './use-board.ts';
import { useCanvasLook } from './use-canvas-view.ts';
import type { Asked } from './use-canvas-view.ts';
import { useFocusNode, useKeptFocus } from './use-focus.ts';
import type { Ends, Operations } from './use-operations.ts';

/** Below this zoom a label cannot be read. */
const farZoom = 0.4;
/** More nodes than these are not shown all at once at first: one begins at what can be begun. */
const fitNodesMax = 400;
const zoomRange = { minZoom: 0.04, maxZoom: 2 } as const;
const isFarOff = ({ transform }: ReactFlowState): boolean => transform[2] < farZoom;
const toneOf = ({ type, data: { item } }: FlowNode): string =>
  type === 'document' ? 'var(--info)' : `var(--status-${item.status ?? 'todo'})`;

export interface FlowProps {
  readonly projectId: string;
  readonly model: Model;
  readonly tasks: readonly TaskRow[];
  readonly board: CanvasBoard;
  readonly operations: Operations;
}

/** The canvas itself: what is drawn, and what hands and keys do to it. */
export function Flow({ projectId, model, tasks, board, operations }: FlowProps): ReactElement {
  const { store, history, drawn, steps } = board;
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const frame = useRef<HTMLDivElement>(null);
  const look = useCanvasLook();
  const { open } = useOpenTask();
  const navigate = useNavigate();
  const focusNode = useFocusNode();
  const isFar = useStore(isFarOff);
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  const [editing, setEditing] = useState<string | undefined>(undefined);
  const [said, setSaid] = useState('');
  const arrange = useArrange(model, board);
  const byId = useMemo(() => new Map(model.items.map((item) => [item.id, item])), [model.items]);
  const selected = drawn.nodes.filter((node) => node.selected);
  const selectedEdges = drawn.edges.filter((edge) => edge.selected);
  useEffect(() => frame.current?.focus({ preventScroll: true }), []);
  const goAfter = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (asked !== undefined) return undefined;
    // A dialog gives the focus back when it is gone; only then can it go elsewhere.
    const timer = setTimeout(() => {
      if (goAfter.current !== undefined) focusNode(goAfter.current);
      goAfter.current = undefined;
    }, 50);
    return () => clearTimeout(timer);
  }, [asked, focusNode]);
  const keepFocus = useKeptFocus(frame, asked === undefined ? drawn : undefined);

  const openItem = (id: string): void => {
    if (byId.get(id)?.type === 'task') open(id);
    else void navigate(`/projects/${projectId}/documents/${id}`);
  };
  const actions = useActions({
    byId,
    tasks,
    operations,
    editing,
    setEditing,
    look,
    isFar,
    openItem,
    setAsked,
    focusNode,
  });
  const endsOf = ({ source, target }: Pick<Connection, 'source' | 'target'>): Ends | undefined => {
    const [from, to] = [byId.get(source), byId.get(target)];
    return from === undefined || to === undefined || from === to ? undefined : { from, to };
  };
  const setStatus = (status: Parameters<Operations['setStatus']>[1]): void => {
    const ids = new Set(selected.map(({ id }) => id));
    void operations.setStatus(
      tasks.filter(({ id, status: now }) => ids.has(id) && now !== status),
      status,
    );
  };
  const go = (way: 'undo' | 'redo'): void =>
    void history[way]().then((what) => {
      if (what !== undefined) setSaid(`${way === 'undo' ? 'Undone' : 'Done again'}: ${what}`);
    });
  const remove = (): void => {
    if (selected.length > 0) setAsked({ kind: 'delete' });
    else if (selectedEdges.length > 0) void deleteEdges(selectedEdges.map(({ data }) => data!.link.edge));
  };
  const deleteEdges = async (edges: Parameters<Operations['deleteEdges']>[0]): Promise<void> => {
    await operations.deleteEdges(edges);
    toast(edges.length === 1 ? 'Edge deleted' : `${edges.length} edges deleted`, {
      action: { label: 'Undo', onClick: () => go('undo') },
    });
  };
  const focused = (): string | undefined =>
    document.activeElement?.closest('.react-flow__node')?.getAttribute('data-id') ?? undefined;
  const openSelected = (): void => {
    const [node] = selected;
    const [edge] = selectedEdges;
    const id = focused() ?? node?.id;
    if (id !== undefined) openItem(id);
    else if (edge !== undefined) setAsked({ kind: 'edge', id: edge.id });
  };
  const connect = (): void => setAsked({ kind: 'connect', from: selected[0]?.id ?? focused(), to: selected[1]?.id });
  const goTo = (id: string): void => {
    store.select([id]);
    focusNode(id);
  };
  const middle = (): { x: number; y: number } => {
    const { left = 0, top = 0, width = 0, height = 0 } = frame.current?.getBoundingClientRect() ?? {};
    const { x, y } = flow.screenToFlowPosition({ x: left + width / 2 - 110, y: top + height / 2 - 33 });
    return { x: Math.round(x), y: Math.round(y) };
  };
  const newAt = useRef<{ x: number; y: number } | undefined>(undefined);
  const fit = (): void => void flow.fitView({ duration: 150, padding: 0.08 });
  const rename = (): void => {
    const id = focused() ?? selected[0]?.id;
    if (id !== undefined) setEditing(id);
  };
  return (
    <CanvasContext value={actions}>
      <div
        ref={frame}
        className={styles['frame']}
        tabIndex={-1}
        {...keepFocus}
        onKeyDown={(event) =>
          onCanvasKey(event, {
            undo: () => go('undo'),
            redo: () => go('redo'),
            selectAll: () => store.select(drawn.nodes.map(({ id }) => id)),
            selectNone: () => store.select([]),
            remove,
            open: openSelected,
            rename,
            connect,
            create: () => setAsked({ kind: 'task' }),
            find: () => setAsked({ kind: 'find' }),
            fit,
            zoom: (nearer) => void (nearer ? flow.zoomIn() : flow.zoomOut()),
            go: (direction) => {
              const from = drawn.nodes.find(({ id }) => id === (focused() ?? selected[0]?.id));
              const next = from === undefined ? drawn.nodes[0] : neighbourOf(from, drawn.nodes, direction);
              if (next !== undefined) goTo(next.id);
            },
            setStatus,
          })
        }
        onDoubleClick={({ target, clientX, clientY }) => {
          if (!(target as HTMLElement).classList.contains('react-flow__pane')) return;
          newAt.current = flow.screenToFlowPosition({ x: clientX, y: clientY });
          setAsked({ kind: 'task' });
        }}
      >
        <Arrows />
        <ReactFlow<FlowNode, FlowEdge>
          nodes={drawn.nodes}
          edges={drawn.edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          onNodesChange={board.onNodesChange}
          onEdgesChange={(changes) => store.changeEdges(changes)}
          onConnect={(connection) => {
            const ends = endsOf(connection);
            if (ends !== undefined) void operations.connect(ends, null);
          }}
          isValidConnection={({ source, target }) => source !== target}
          onReconnect={({ data }, connection) => {
            const ends = endsOf(connection);
            const edge = data?.link.edge;
            if (ends === undefined || edge === undefined) return;
            if (ends.from.id !== edge.from_id || ends.to.id !== edge.to_id)
              void operations.changeEdge(edge, ends, edge.label);
          }}
          onNodeDoubleClick={(_, { id }) => openItem(id)}
          onEdgeDoubleClick={(_, { id }) => setAsked({ kind: 'edge', id })}
          onPaneClick={() => frame.current?.focus({ preventScroll: true })}
          onMoveEnd={(_, viewport) => look.setViewport(viewport)}
          onInit={(instance) => {
            if (look.viewport !== undefined || drawn.nodes.length <= fitNodesMax) return;
            const start = drawn.nodes.find(({ data }) => data.item.frontier === 'next') ?? drawn.nodes[0];
            if (start !== undefined) void instance.setCenter(start.position.x, start.position.y, { zoom: 0.7 });
          }}
          {...(look.viewport === undefined ? {} : { defaultViewport: look.viewport })}
          fitView={look.viewport === undefined && drawn.nodes.length <= fitNodesMax}
          fitViewOptions={{ padding: 0.08, maxZoom: 1 }}
          connectionMode={ConnectionMode.Loose}
          connectionRadius={36}
          reconnectRadius={14}
          elevateEdgesOnSelect
          onlyRenderVisibleElements
          deleteKeyCode={null}
          multiSelectionKeyCode={['Meta', 'Control']}
          zoomOnDoubleClick={false}
          ariaLabelConfig={ariaTexts}
          {...zoomRange}
        >
          <Background gap={24} size={1.2} color="var(--line-strong)" />
          <MiniMap
            className={styles['map']!}
            pannable
            zoomable
            nodeColor={toneOf}
            nodeBorderRadius={12}
            bgColor="var(--surface)"
            maskColor="light-dark(rgb(120 124 140 / 18%), rgb(0 0 0 / 45%))"
          />
          <Toolbar
            steps={steps}
            onUndo={() => go('undo')}
            onRedo={() => go('redo')}
            ask={setAsked}
            next={model.next}
            pathLength={model.critical.length}
            showFrontier={look.showFrontier}
            showCritical={look.showCritical}
            onFrontier={(shown) => look.setShown('frontier', shown)}
            onCritical={(shown) => look.setShown('critical', shown)}
            run={arrange.run}
            onStop={arrange.stop}
          />
          <ZoomBar />
          <SelectionBar
            nodes={selected}
            edges={selectedEdges}
            onOpen={openSelected}
            onRename={rename}
            onStatus={setStatus}
            onConnect={connect}
            onEditEdge={openSelected}
            onTurnEdge={() => {
              const edge = selectedEdges[0]?.data?.link.edge;
              const ends = edge && endsOf({ source: edge.to_id, target: edge.from_id });
              if (ends !== undefined) void operations.changeEdge(edge!, ends, edge!.label);
            }}
            onDelete={remove}
          />
          {drawn.unplaced.length === 0 ? null : (
            <Unplaced
              count={drawn.unplaced.length}
              onKeep={() => {
                const wanted = new Set(drawn.unplaced);
                const shown = drawn.nodes.filter(({ id }) => wanted.has(id));
                board.put(
                  'Places of new tasks',
                  shown.map(({ id, position }) => ({ id, ...position })),
                );
              }}
              onArrange={() => setAsked({ kind: 'arrange' })}
            />
          )}
        </ReactFlow>
        <div className="visually-hidden" role="status">
          {said}
        </div>
      </div>
      <CanvasDialogs
        projectId={projectId}
        asked={asked}
        onClose={() => {
          setAsked(undefined);
          newAt.current = undefined;
        }}
        items={model.items}
        edges={model.links.map(({ edge }) => edge)}
        selected={selected.map(({ data }) => data.item)}
        onCreate={(label) =>
          void operations.createTask(label, newAt.current ?? middle()).then((id) => {
            if (id !== undefined) store.selectSoon(id);
          })
        }
        onPlace={(id) => void operations.placeDocument(id, middle())}
        onFind={(id) => {
          store.select([id]);
          goAfter.current = id;
        }}
        onArrange={() =>
          arrange.start(
            selected.length > 1 ? selected.map(({ id }) => id) : undefined,
            (box) => void flow.fitBounds(box, { padding: 0.08 }),
          )
        }
        onDelete={() => void operations.remove(selected.map(({ data, position }) => ({ ...data.item, ...position })))}
        onConnect={(ends, label) => void operations.connect(ends, label)}
        onEdge={(edge, ends, label) => void operations.changeEdge(edge, ends, label)}
        onDeleteEdge={(edge) => void deleteEdges([edge])}
      />
    </CanvasContext>
  );
}

const ariaTexts = {
  'node.a11yDescription.default':
    'Enter opens it, arrow keys move it, F2 renames it, C connects it, Delete deletes it.',
  'node.a11yDescription.keyboardDisabled': 'Enter opens it.',
  'edge.a11yDescription.default': 'Space selects it, then Enter changes it and Delete deletes it.',
  'minimap.ariaLabel': 'Map of the whole canvas',
};

interface ActionSources {
  readonly byId: ReadonlyMap<string, Item>;
  readonly tasks: readonly TaskRow[];
  readonly operations: Operations;
  readonly editing: string | undefined;
  readonly setEditing: (id: string | undefined) => void;
  readonly look: { readonly showFrontier: boolean; readonly showCritical: boolean };
  readonly isFar: boolean;
  readonly openItem: (id: string) => void;
  readonly setAsked: (asked: Asked) => void;
  readonly focusNode: (id: string) => void;
}

/** What nodes and edges can ask for. The same object as long as what they are drawn by is the same. */
function useActions(sources: ActionSources): CanvasActions {
  const latest = useRef(sources);
  useEffect(() => {
    latest.current = sources;
  });
  const { editing, isFar } = sources;
  const { showFrontier, showCritical } = sources.look;
  return useMemo(() => {
    const now = (): ActionSources => latest.current;
    const edit = (id: string | undefined): void => {
      const former = now().editing;
      now().setEditing(id);
      if (id === undefined && former !== undefined) now().focusNode(former);
    };
    return {
      ...{ editing, isFar, showFrontier, showCritical, edit },
      rename: (id, label) => {
        const item = now().byId.get(id);
        edit(undefined);
        if (item !== undefined) void now().operations.rename(item, label);
      },
      setStatus: (id, status) =>
        void now().operations.setStatus(
          now().tasks.filter((task) => task.id === id),
          status,
        ),
      open: (id) => now().openItem(id),
      editEdge: (id) => now().setAsked({ kind: 'edge', id }),
    };
  }, [editing, isFar, showFrontier, showCritical]);
}

function Unplaced({
  count,
  onKeep,
  onArrange,
}: {
  readonly count: number;
  readonly onKeep: () => void;
  readonly onArrange: () => void;
}): ReactElement {
  return (
    <Panel position="top-right" className={styles['panel']!}>
      <div className={styles['notice']} role="status">
        <span>{count === 1 ? '1 task has' : `${count} tasks have`} no place yet; below is room for them.</span>
        <Button small onClick={onKeep}>
          Keep them there
        </Button>
        <Button small onClick={onArrange}>
          Arrange…
        </Button>
      </div>
    </Panel>
  );
}
