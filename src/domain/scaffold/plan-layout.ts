import type { ReadTransaction } from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';
import { type Graph, shapeOf } from '../graph/graph-shape.ts';

/** Canvas units between the left edges of two columns, between the tops of two rows, and added between two parts. */
const columnWidth = 320;
const rowHeight = 160;
const partGap = 80;

/** The ratio of width to height of a window. */
const windowRatio = 1.6;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Places relative to their own top left corner. */
interface Part {
  readonly places: ReadonlyMap<string, Point>;
  readonly width: number;
  readonly height: number;
}

/** Puts nodes without edges into blocks; each block begins a row. */
export type Blocks = (keys: readonly string[]) => readonly (readonly string[])[];

const oneBlock: Blocks = (keys) => [keys];

/**
 * Positions for the nodes of a graph, all below `top`, in an area of about a window's ratio, in time proportional to nodes and edges (but
 * for sorting). Each connected part is laid out by depth: prerequisites are to the left. Parts are in rows, the highest first; nodes
 * without edges are in a grid below.
 */
export function layOut(graph: Graph, top: number, blocks: Blocks = oneBlock): Map<string, Point> {
  const groups = connectedParts(graph);
  const { depths } = shapeOf(graph);
  const parts = groups.filter((keys) => keys.length > 1).map((keys) => layered(keys, graph, depths));
  const alone = groups.filter((keys) => keys.length === 1).flat();
  const area = parts.reduce(
    (sum, { width, height }) => sum + (width + partGap) * (height + partGap),
    alone.length * columnWidth * rowHeight,
  );
  const ideal = Math.sqrt(area * windowRatio);
  const places = new Map<string, Point>();
  const below = placeInRows(parts, ideal, top, places);
  placeInGrid(blocks(alone), Math.max(1, Math.round(ideal / columnWidth)), below, places);
  // A task at the origin has no position: the canvas would put it among the other tasks without a position.
  for (const [key, { x, y }] of places) if (x === 0 && y === 0) places.set(key, { x: 1, y });
  return places;
}

/** The connected parts of a graph, each in the order of the graph. */
function connectedParts(graph: Graph): string[][] {
  const beside = new Map([...graph.keys()].map((key) => [key, [] as string[]]));
  for (const [key, before] of graph) {
    for (const one of before) {
      if (one === key) continue;
      beside.get(key)!.push(one);
      beside.get(one)!.push(key);
    }
  }
  const partOf = new Map<string, string[]>();
  const parts: string[][] = [];
  for (const start of graph.keys()) {
    if (partOf.has(start)) continue;
    const part: string[] = [];
    parts.push(part);
    partOf.set(start, part);
    const reached = [start];
    // The list grows during the iteration.
    for (const key of reached) {
      for (const next of beside.get(key)!) {
        if (partOf.has(next)) continue;
        partOf.set(next, part);
        reached.push(next);
      }
    }
  }
  for (const key of graph.keys()) partOf.get(key)!.push(key);
  return parts;
}

/** A connected part by depth. A depth with many nodes has several columns, so that the part is not much higher than wide. */
function layered(keys: readonly string[], graph: Graph, depths: ReadonlyMap<string, number>): Part {
  const layers: string[][] = [];
  for (const key of keys) (layers[depths.get(key) ?? 0] ??= []).push(key);
  // A part has no empty depth: every node is one deeper than one of those before it. In a cycle, depths begin again.
  const filled = layers.filter((layer) => layer.length > 0);
  const rows = rowsFor(filled);
  const places = new Map<string, Point>();
  let [column, height] = [0, 0];
  for (const layer of filled) {
    const columns = Math.ceil(layer.length / rows);
    const perColumn = Math.ceil(layer.length / columns);
    for (const [at, key] of byPrerequisites(layer, graph, places).entries()) {
      const place = { x: (column + Math.floor(at / perColumn)) * columnWidth, y: (at % perColumn) * rowHeight };
      places.set(key, place);
    }
    column += columns;
    height = Math.max(height, perColumn * rowHeight);
  }
  return { places, width: column * columnWidth, height };
}

/** The number of rows with which layers fill a window: the smallest with which they are not wider, at most the longest layer. */
function rowsFor(layers: readonly (readonly string[])[]): number {
  let [low, high] = [1, layers.reduce((longest, { length }) => Math.max(longest, length), 1)];
  while (low < high) {
    const rows = Math.floor((low + high) / 2);
    const columns = layers.reduce((sum, { length }) => sum + Math.ceil(length / rows), 0);
    if (columns * columnWidth <= windowRatio * rows * rowHeight) high = rows;
    else low = rows + 1;
  }
  return low;
}

/** A layer in the order of the rows of its prerequisites, so that few edges cross. */
function byPrerequisites(layer: readonly string[], graph: Graph, places: ReadonlyMap<string, Point>): string[] {
  const heights = new Map(
    layer.map((key) => {
      const before = (graph.get(key) ?? []).map((one) => places.get(one)?.y).filter((y) => y !== undefined);
      return [key, before.length === 0 ? 0 : before.reduce((sum, y) => sum + y, 0) / before.length];
    }),
  );
  return layer.toSorted((a, b) => heights.get(a)! - heights.get(b)!);
}

/** Places parts next to each other in rows, the highest first. Returns the lower edge of the rows. */
function placeInRows(parts: readonly Part[], width: number, top: number, places: Map<string, Point>): number {
  let [x, y, rowEnd] = [0, top, top];
  for (const part of parts.toSorted((a, b) => b.height - a.height)) {
    if (x > 0 && x + part.width > width) [x, y] = [0, rowEnd];
    for (const [key, place] of part.places) places.set(key, { x: x + place.x, y: y + place.y });
    x += part.width + partGap;
    rowEnd = Math.max(rowEnd, y + part.height + partGap);
  }
  return rowEnd;
}

function placeInGrid(
  blocks: readonly (readonly string[])[],
  columns: number,
  top: number,
  places: Map<string, Point>,
): void {
  let row = 0;
  for (const block of blocks) {
    for (const [at, key] of block.entries()) {
      const y = top + (row + Math.floor(at / columns)) * rowHeight;
      places.set(key, { x: (at % columns) * columnWidth, y });
    }
    row += Math.ceil(block.length / columns);
  }
}

/** Below everything on the canvas, so that a second plan does not cover the first. Reads every task and document once. */
export function freeTop(view: ReadTransaction<PlannerCollections>): number {
  let top = 0;
  const below = (place: Point | null): void => {
    if (place !== null) top = Math.max(top, place.y + rowHeight);
  };
  for (const task of view.list('task')) below(task.position ?? { x: 0, y: 0 });
  for (const document of view.list('document')) below(document.position);
  return top;
}
