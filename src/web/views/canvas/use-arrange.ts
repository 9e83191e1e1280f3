import { toast } from 'sonner';
import type { Place } from '../../api/canvas.ts';
import type { FlowNode } from './model/canvas-store.ts';
import type { LayoutEdge } from './model/lay-out.ts';
import type { Model } from './model/model.ts';
import type { Box } from './model/sizes.ts';
import type { CanvasBoard } from './use-board.ts';
import { useLayoutEngine } from './use-layout.ts';
import type { LayoutRun } from './use-layout.ts';
import { showError } from '../../rest/show-error.ts';

export interface Arrange {
  readonly run: LayoutRun | undefined;
  /** Lays out some nodes, or all, as one step. `done` is called with their new bounds. */
  readonly start: (ids: readonly string[] | undefined, done: (box: Box) => void) => void;
  readonly stop: () => void;
}

/** The edges for a layout, from the earlier end to the later one. */
export function layoutEdges({ links }: Model): readonly LayoutEdge[] {
  return links.map(({ edge, reversed }) =>
    reversed ? { first: edge.to_id, then: edge.from_id } : { first: edge.from_id, then: edge.to_id },
  );
}

/** Automatic layout: from left to right in the order of work, at the nodes' previous location. */
export function useArrange(model: Model, board: CanvasBoard, isByGoal: boolean): Arrange {
  const engine = useLayoutEngine();
  const start: Arrange['start'] = (ids, done) => {
    const included = ids === undefined ? undefined : new Set(ids);
    const nodes = board.drawn.nodes.filter(({ id, hidden }) => hidden !== true && (included?.has(id) ?? true));
    const corner = {
      x: Math.min(...nodes.map(({ position }) => position.x)),
      y: Math.min(...nodes.map(({ position }) => position.y)),
    };
    const input = {
      nodes: nodes.map(({ id, width = 0, height = 0, data }) => ({
        ...{ id, width, height },
        group: isByGoal ? (data.item.goal ?? 'none') : undefined,
      })),
      edges: layoutEdges(model),
      ratio: window.innerWidth / window.innerHeight,
    };
    engine.start(
      input,
      (places) => {
        const moved = places.map(({ id, x, y }) => ({ id, x: x + corner.x, y: y + corner.y }));
        const step = board.put('Automatic layout', moved);
        toast.success(`${moved.length} nodes arranged`, {
          action: { label: 'Undo', onClick: () => void board.history.takeBack(step) },
        });
        done(boxOf(moved, board.drawn.nodes));
      },
      () => showError('The nodes could not be arranged.', 'They stay where they are.'),
    );
  };
  return { run: engine.run, start, stop: engine.stop };
}

/** The bounds of nodes at given positions. */
function boxOf(places: readonly Place[], nodes: readonly FlowNode[]): Box {
  const sizes = new Map(nodes.map(({ id, width = 0, height = 0 }) => [id, { width, height }]));
  const x = Math.min(...places.map((place) => place.x));
  const y = Math.min(...places.map((place) => place.y));
  const right = Math.max(...places.map((place) => place.x + (sizes.get(place.id)?.width ?? 0)));
  const bottom = Math.max(...places.map((place) => place.y + (sizes.get(place.id)?.height ?? 0)));
  return { x, y, width: right - x, height: bottom - y };
}
