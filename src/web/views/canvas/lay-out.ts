import { Graph, layout } from '@dagrejs/dagre';
import type { Place } from '../../api/canvas.ts';

export interface LayoutNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** `first` is drawn left of `then`. */
export interface LayoutEdge {
  readonly first: string;
  readonly then: string;
}

export interface LayoutInput {
  readonly nodes: readonly LayoutNode[];
  readonly edges: readonly LayoutEdge[];
}

const gap = { x: 72, y: 24, parts: 96 } as const;
/** The number of nodes of a part from which the faster ranking is used. */
const quickFrom = 250;

interface Part {
  readonly places: readonly Place[];
  readonly width: number;
  readonly height: number;
}

/**
 * Positions for nodes, from left to right in the order of work. Each connected part is laid out separately; parts are below each other, the
 * largest first, and nodes without an edge are in rows at the end. `onPart` is called with the number of placed nodes.
 */
export function layOut({ nodes, edges }: LayoutInput, onPart: (placed: number) => void = () => undefined): Place[] {
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
      ),
    );
    onPart((placed += ids.length));
  }
  if (alone.length > 0) parts.push(rowsOf(alone.map((id) => byId.get(id)!)));
  onPart(nodes.length);
  return stacked(parts);
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

function partOf(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Part {
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
  return bounded(places, nodes);
}

/** Nodes without an edge, in rows about twice as wide as high. */
function rowsOf(nodes: readonly LayoutNode[]): Part {
  const width = Math.max(...nodes.map((node) => node.width)) + gap.y;
  const height = Math.max(...nodes.map((node) => node.height)) + gap.y;
  const columns = Math.max(1, Math.round(Math.sqrt((nodes.length * 2 * height) / width)));
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

/** Parts below each other; small ones side by side up to the width of the widest. */
function stacked(parts: readonly Part[]): Place[] {
  const widest = Math.max(0, ...parts.map(({ width }) => width));
  const places: Place[] = [];
  let [x, y, rowHeight] = [0, 0, 0];
  for (const part of parts) {
    if (x > 0 && x + part.width > widest) {
      [x, y, rowHeight] = [0, y + rowHeight + gap.parts, 0];
    }
    for (const place of part.places) places.push({ id: place.id, x: place.x + x, y: place.y + y });
    x += part.width + gap.parts;
    rowHeight = Math.max(rowHeight, part.height);
  }
  return places;
}
