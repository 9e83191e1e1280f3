import { applyNodeChanges, Position } from '@xyflow/react';
import type { Edge, EdgeChange, Node, NodeChange, NodeHandle } from '@xyflow/react';
import type { Point } from '../../api/canvas.ts';
import type { Item, Link, Model } from './model.ts';
import type { Places } from './places.ts';
import { spreadOut } from './spread.ts';

export type TaskNode = Node<{ readonly item: Item }, 'task'>;
export type DocumentNode = Node<{ readonly item: Item }, 'document'>;
export type FlowNode = TaskNode | DocumentNode;
export type FlowEdge = Edge<{ readonly link: Link }, 'link'>;

export interface Drawn {
  readonly nodes: FlowNode[];
  readonly edges: FlowEdge[];
  /** Tasks that were never put anywhere: they are shown somewhere, which is not saved. */
  readonly unplaced: readonly string[];
}

const nothing: Model = { items: [], links: [], critical: [], next: 0 };

/** The sides of a node at which edges begin and end, by the names of its handles. */
const sides = [
  { id: 'l', position: Position.Left, at: { x: 0, y: 0.5 } },
  { id: 'r', position: Position.Right, at: { x: 1, y: 0.5 } },
  { id: 't', position: Position.Top, at: { x: 0.5, y: 0 } },
  { id: 'b', position: Position.Bottom, at: { x: 0.5, y: 1 } },
] as const;
export type Side = (typeof sides)[number]['id'];
export const handleSides: readonly { readonly id: Side; readonly position: Position }[] = sides;

/** Said beforehand, so that a node need not be drawn to be measured: only what is in sight is drawn at all. */
function handlesOf(width: number, height: number): NodeHandle[] {
  return sides.map(({ id, position, at }) => ({
    ...{ id, position, type: 'source', x: at.x * width - 1, y: at.y * height - 1, width: 2, height: 2 },
  }));
}

/** What the canvas draws: what the service says, what is held in the hand, and what is selected. */
export class CanvasStore {
  readonly #places: Places;
  readonly #listeners = new Set<() => void>();
  readonly #selectedEdges = new Set<string>();
  /** Where tasks without a place are shown; as long as this page is open they stay there. */
  readonly #spread = new Map<string, Point>();
  #model: Model = nothing;
  #awaited: string | undefined;
  #drawn: Drawn = { nodes: [], edges: [], unplaced: [] };

  constructor(places: Places) {
    this.#places = places;
  }

  get drawn(): Drawn {
    return this.#drawn;
  }

  readonly subscribe = (heard: () => void): (() => void) => {
    this.#listeners.add(heard);
    return () => this.#listeners.delete(heard);
  };

  /** Takes what the service says. Nodes that are held here stay where they are. */
  take(model: Model): void {
    this.#model = model;
    this.redraw();
    const awaited = this.#awaited;
    if (awaited === undefined || !model.items.some(({ id }) => id === awaited)) return;
    this.#awaited = undefined;
    this.select([awaited]);
  }

  /** Draws anew from what is known: after a place has been saved, or was refused. */
  redraw(): void {
    const unplaced = this.#spreadUnplaced();
    const former = new Map(this.#drawn.nodes.map((node) => [node.id, node]));
    const nodes = this.#model.items.map((item) => this.#node(item, former.get(item.id)));
    this.#tell(nodes, unplaced);
  }

  /** Takes what a hand does to nodes: selects or moves them. */
  change(changes: NodeChange<FlowNode>[]): void {
    // Nodes come and go by what the service says, and not by a key press.
    const taken = changes.filter(({ type }) => type === 'position' || type === 'select' || type === 'dimensions');
    if (taken.length > 0) this.#tell(applyNodeChanges(taken, this.#drawn.nodes), this.#drawn.unplaced);
  }

  changeEdges(changes: EdgeChange<FlowEdge>[]): void {
    for (const change of changes) {
      if (change.type !== 'select') continue;
      if (change.selected) this.#selectedEdges.add(change.id);
      else this.#selectedEdges.delete(change.id);
    }
    this.#tell(this.#drawn.nodes, this.#drawn.unplaced);
  }

  /** Puts nodes somewhere in one step. */
  put(places: ReadonlyMap<string, Point>): void {
    for (const [id, place] of places) this.#places.drop(id, place);
    this.redraw();
  }

  /** Selects exactly these. */
  select(nodeIds: readonly string[], edgeIds: readonly string[] = []): void {
    const wanted = new Set(nodeIds);
    this.#selectedEdges.clear();
    for (const id of edgeIds) this.#selectedEdges.add(id);
    const nodes = this.#drawn.nodes.map((node) =>
      (node.selected ?? false) === wanted.has(node.id) ? node : { ...node, selected: wanted.has(node.id) },
    );
    this.#tell(nodes, this.#drawn.unplaced);
  }

  /** Selects a node that is about to come. */
  selectSoon(id: string): void {
    if (this.#drawn.nodes.some((node) => node.id === id)) this.select([id]);
    else this.#awaited = id;
  }

  #spreadUnplaced(): readonly string[] {
    const { items } = this.#model;
    const atOrigin = items.filter(
      ({ type, x, y, id }) => type === 'task' && x === 0 && y === 0 && !this.#places.heldAt(id),
    );
    // One node may well have been put at the origin; several never were.
    const unplaced = atOrigin.length > 1 ? atOrigin : atOrigin.filter(({ id }) => this.#spread.has(id));
    const fresh = unplaced.filter(({ id }) => !this.#spread.has(id));
    if (fresh.length > 0) {
      const known = new Set(unplaced.map(({ id }) => id));
      const taken = items
        .filter(({ id }) => !known.has(id) || this.#spread.has(id))
        .map((item) => ({ ...item, ...(this.#places.heldAt(item.id) ?? this.#spread.get(item.id)) }));
      for (const [id, place] of spreadOut(fresh, taken)) this.#spread.set(id, place);
    }
    return unplaced.map(({ id }) => id);
  }

  #placeOf(item: Item): Point {
    const held = this.#places.heldAt(item.id);
    if (held !== undefined) return held;
    return (item.x === 0 && item.y === 0 ? this.#spread.get(item.id) : undefined) ?? item;
  }

  #node(item: Item, former: FlowNode | undefined): FlowNode {
    const { x, y } = this.#placeOf(item);
    const isThere = former?.position.x === x && former.position.y === y;
    if (isThere && former.data.item === item) return former;
    const { id, type, label, status, width, height } = item;
    const size = former?.width === width && former.height === height ? undefined : { width, height };
    return {
      ...(former ?? { id, type }),
      ...(size === undefined ? {} : { ...size, measured: size, handles: handlesOf(width, height) }),
      position: isThere ? former.position : { x, y },
      data: former?.data.item === item ? former.data : { item },
      ariaLabel: [
        label,
        status?.replace('_', ' ') ?? 'document',
        ...(item.waits > 0 ? [`waits for ${item.waits}`] : []),
      ].join(', '),
    };
  }

  #tell(nodes: FlowNode[], unplaced: readonly string[]): void {
    const boxes = new Map(nodes.map((node) => [node.id, node]));
    const former = new Map(this.#drawn.edges.map((edge) => [edge.id, edge]));
    let same = former.size === this.#model.links.length;
    const edges = this.#model.links.flatMap((link) => {
      const edge = this.#edge(link, boxes, former.get(link.edge.id));
      if (edge !== former.get(link.edge.id)) same = false;
      return edge ?? [];
    });
    this.#drawn = { nodes, edges: same ? this.#drawn.edges : edges, unplaced };
    for (const heard of this.#listeners) heard();
  }

  #edge(link: Link, boxes: ReadonlyMap<string, FlowNode>, former: FlowEdge | undefined): FlowEdge | undefined {
    const { id, from_id: source, to_id: target, label } = link.edge;
    const [from, to] = [boxes.get(source), boxes.get(target)];
    if (from === undefined || to === undefined) return undefined;
    const [sourceHandle, targetHandle] = sidesBetween(from, to);
    const selected = this.#selectedEdges.has(id);
    if (
      former?.data?.link === link &&
      former.sourceHandle === sourceHandle &&
      former.targetHandle === targetHandle &&
      (former.selected ?? false) === selected
    )
      return former;
    return {
      ...{ id, source, target, sourceHandle, targetHandle, type: 'link', data: { link }, selected },
      // The ends of one edge can be taken at a time: those of others would be in the way of drawing new ones.
      reconnectable: selected,
      ariaLabel: `${from.data.item.label} ${label ?? 'comes before'} ${to.data.item.label}`,
    };
  }
}

/** The sides at which an edge is shortest: left and right where there is room between, else top and bottom. */
export function sidesBetween(from: FlowNode, to: FlowNode): readonly [Side, Side] {
  const right = to.position.x - (from.position.x + (from.width ?? 0));
  const left = from.position.x - (to.position.x + (to.width ?? 0));
  if (right > 0) return ['r', 'l'];
  if (left > 0) return ['l', 'r'];
  return to.position.y >= from.position.y ? ['b', 't'] : ['t', 'b'];
}
