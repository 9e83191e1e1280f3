import { Graph, layout } from '@dagrejs/dagre';
import type { Place } from '../../../api/canvas.ts';

export interface LayoutNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** Nodes of a group are kept together. */
  readonly group?: string | undefined;
}

/** `first` is drawn left of `then`. */
export interface LayoutEdge {
  readonly first: string;
  readonly then: string;
}

export interface LayoutInput {
  readonly nodes: readonly LayoutNode[];
  readonly edges: readonly LayoutEdge[];
  /** Width by height of the window. */
  readonly ratio?: number;
}

const gap = { x: 72, y: 24, parts: 96 } as const;
/** The number of nodes of a part from which the faster ranking is used. */
const quickFrom = 250;
/** A layer with at most these nodes stays one column. */
const rowsMin = 6;

interface Part {
  readonly places: readonly Place[];
  readonly width: number;
  readonly height: number;
}

/**
 * Positions for nodes, from left to right in the order of work. Each connected part is laid out separately; parts are in rows, the
 * largest first, which together have about the ratio of the window, and nodes without an edge are in a grid at the end. `onPart` is called
 * with the number of placed nodes.
 */
export function layOut(
  { nodes, edges, ratio = 1.6 }: LayoutInput,
  onPart: (placed: number) => void = () => undefined,
): Place[] {
  if (nodes.some(({ group }) => group !== undefined)) return layOutGroups(nodes, edges, ratio, onPart);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const seen = edges.filter(({ first, then }) => first !== then && byId.has(first) && byId.has(then));
  const groups = partsOf(nodes, seen);
  const joined = groups.filter((ids) => ids.length > 1).sort((a, b) => b.length - a.length);
  const alone = groups.filter((ids) => ids.length === 1).flat();
  const edgesOf = Map.groupBy(seen, ({ first }) => first);
  const parts: Part[] = [];
  let placed = 0;
  for (const ids of joined) {
    parts.push(
      partOf(
        ids.map((id) => byId.get(id)!),
        ids.flatMap((id) => edgesOf.get(id) ?? []),
        ratio,
      ),
    );
    onPart((placed += ids.length));
  }
  if (alone.length > 0)
    parts.push(
      rowsOf(
        alone.map((id) => byId.get(id)!),
        ratio,
      ),
    );
  onPart(nodes.length);
  return packed(parts, ratio);
}

/** Lays out each group separately, with space for its frame; the groups fill the window together. */
function layOutGroups(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  ratio: number,
  onPart: (placed: number) => void,
): Place[] {
  let placed = 0;
  const parts = [...Map.groupBy(nodes, ({ group }) => group)].map(([, members]) => {
    const own = members.map(({ id, width, height }) => ({ id, width, height }));
    const places = new Map(layOut({ nodes: own, edges, ratio }).map((place) => [place.id, place]));
    onPart((placed += own.length));
    return bounded(
      own.map(({ id }) => places.get(id)!),
      own,
    );
  });
  return packed(parts, ratio);
}

/** The connected parts, each in the order of the nodes. */
function partsOf(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): string[][] {
  const beside = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { first, then } of edges) {
    beside.get(first)!.push(then);
    beside.get(then)!.push(first);
  }
  const parts: string[][] = [];
  const seen = new Set<string>();
  for (const { id } of nodes) {
    if (seen.has(id)) continue;
    const part = [id];
    seen.add(id);
    // The part grows during the iteration.
    for (const each of part)
      for (const next of beside.get(each)!)
        if (!seen.has(next)) {
          seen.add(next);
          part.push(next);
        }
    parts.push(part);
  }
  return parts;
}

function partOf(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[], ratio: number): Part {
  const graph = new Graph();
  graph.setGraph({
    ...{ rankdir: 'LR', nodesep: gap.y, ranksep: gap.x },
    ranker: nodes.length > quickFrom ? 'tight-tree' : 'network-simplex',
  });
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  for (const { first, then } of edges) graph.setEdge(first, then, {});
  layout(graph);
  // The engine returns the centres of nodes.
  const places = nodes.map(({ id, width, height }) => {
    const { x = 0, y = 0 } = graph.node(id) as { x?: number; y?: number };
    return { id, x: x - width / 2, y: y - height / 2 };
  });
  return bounded(folded(places, nodes, ratio), nodes);
}

/** Layers that are much higher than the window's ratio allows get several columns. */
function folded(places: readonly Place[], nodes: readonly LayoutNode[], ratio: number): Place[] {
  const width = Math.max(...nodes.map((node) => node.width)) + gap.x;
  const height = Math.max(...nodes.map((node) => node.height)) + gap.y;
  const layers = [...Map.groupBy(places, ({ x }) => x)].sort(([a], [b]) => a - b).map(([, layer]) => layer);
  let rows = 1;
  const columnsWith = (most: number): number => layers.reduce((sum, { length }) => sum + Math.ceil(length / most), 0);
  while (columnsWith(rows) * width > ratio * rows * height) rows++;
  if (layers.every(({ length }) => length <= Math.max(rows, rowsMin))) return [...places];
  rows = Math.max(rows, rowsMin);
  let column = 0;
  return layers.flatMap((layer) => {
    const columns = Math.ceil(layer.length / rows);
    const each = Math.ceil(layer.length / columns);
    const first = column;
    column += columns;
    return layer
      .toSorted((a, b) => a.y - b.y)
      .map(({ id }, at) => ({
        id,
        x: (first + Math.floor(at / each)) * width,
        y: ((at % each) - (each - 1) / 2) * height,
      }));
  });
}

/** Nodes without an edge, in rows. */
function rowsOf(nodes: readonly LayoutNode[], ratio: number): Part {
  const width = Math.max(...nodes.map((node) => node.width)) + gap.y;
  const height = Math.max(...nodes.map((node) => node.height)) + gap.y;
  const columns = Math.max(1, Math.round(Math.sqrt((nodes.length * ratio * height) / width)));
  const places = nodes.map(({ id }, at) => ({
    id,
    x: (at % columns) * width,
    y: Math.floor(at / columns) * height,
  }));
  return bounded(places, nodes);
}

function bounded(places: readonly Place[], nodes: readonly LayoutNode[]): Part {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [at, { x, y }] of places.entries()) {
    const { width, height } = nodes[at]!;
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  const moved = places.map(({ id, x, y }) => ({ id, x: Math.round(x - left), y: Math.round(y - top) }));
  return { places: moved, width: right - left, height: bottom - top };
}

/** Parts in rows whose width is chosen so that all of them appear as large as possible in the window. */
function packed(parts: readonly Part[], ratio: number): Place[] {
  const area = parts.reduce((sum, { width, height }) => sum + (width + gap.parts) * (height + gap.parts), 0);
  const widest = Math.max(0, ...parts.map(({ width }) => width));
  const side = Math.sqrt(area * ratio);
  const tried = [0.8, 1, 1.2, 1.5].map((share) => inRows(parts, Math.max(widest, side * share)));
  const need = ({ width, height }: Part): number => Math.max(width / ratio, height);
  return [...tried.reduce((best, one) => (need(one) < need(best) ? one : best)).places];
}

function inRows(parts: readonly Part[], width: number): Part {
  const places: Place[] = [];
  let [x, y, rowHeight, right] = [0, 0, 0, 0];
  for (const part of parts) {
    if (x > 0 && x + part.width > width) [x, y, rowHeight] = [0, y + rowHeight + gap.parts, 0];
    for (const place of part.places) places.push({ id: place.id, x: place.x + x, y: place.y + y });
    right = Math.max(right, x + part.width);
    x += part.width + gap.parts;
    rowHeight = Math.max(rowHeight, part.height);
  }
  return { places, width: right, height: y + rowHeight };
}
