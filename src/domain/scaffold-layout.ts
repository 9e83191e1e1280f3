import type { View } from '../store/index.ts';
import type { PlannerCollections } from './records/collections.ts';
import { type Graph, shapeOf } from './graph/graph-shape.ts';

/** Canvas units between the left edges of two depths, and between the tops of two tasks of one depth. */
const columnWidth = 320;
const rowHeight = 160;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * Positions for the nodes of a graph by depth: prerequisites are to the left, nodes of one depth are below each other in the graph's order.
 * All are below `top`.
 */
export function layOut(graph: Graph, top: number): Map<string, Point> {
  const { depths } = shapeOf(graph);
  const rows = new Map<number, number>();
  const places = new Map<string, Point>();
  for (const key of graph.keys()) {
    const depth = depths.get(key) ?? 0;
    const row = rows.get(depth) ?? 0;
    rows.set(depth, row + 1);
    places.set(key, { x: depth * columnWidth, y: top + row * rowHeight });
  }
  return places;
}

/** Below everything on the canvas, so that a second plan does not cover the first. Reads every task and document once. */
export function freeTop(view: View<PlannerCollections>): number {
  let top = 0;
  const below = (place: Point | null): void => {
    if (place !== null) top = Math.max(top, place.y + rowHeight);
  };
  for (const task of view.list('task')) below(task.position ?? { x: 0, y: 0 });
  for (const document of view.list('document')) below(document.position);
  return top;
}
