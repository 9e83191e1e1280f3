import { applyNodeChanges } from '@xyflow/react';
import type { Edge, EdgeChange, Node, NodeChange } from '@xyflow/react';
import type { Place, Point } from '../../../api/canvas.ts';
import type { Item, Link, Model } from './model.ts';
import type { Places } from './places.ts';
import { Obstacles } from './obstacles.ts';
import { handlesOf, sidesBetween } from './sides.ts';
import type { Box } from './sizes.ts';
import { cornerBelow, isUnplaced, spreadOut } from './spread.ts';

export type TaskNode = Node<{ readonly item: Item }, 'task'>;
export type DocumentNode = Node<{ readonly item: Item }, 'document'>;
export type FlowNode = TaskNode | DocumentNode;
export type FlowEdge = Edge<{ readonly link: Link; readonly lit: boolean }, 'link'>;

export interface Drawn {
  readonly nodes: FlowNode[];
  readonly edges: FlowEdge[];
  /** Tasks without a saved position: they are shown at temporary ones. */
  readonly unplaced: readonly string[];
  /** The number of layouts that replaced temporary positions. */
  readonly layouts: number;
  /** True if the selection has neighbours: they are lit, the others are dimmed. */
  readonly hasLit: boolean;
  /** The cards at rest: lines go round them. */
  readonly obstacles: Obstacles;
}

const noObstacles = new Obstacles(() => []);

const litClass = 'lit';

const nothing: Model = { items: [], links: [], critical: [], next: 0 };

/** The area of a node. */
export const boxOf = ({ position: { x, y }, width = 0, height = 0 }: FlowNode): Box => ({ x, y, width, height });

/** The state of the canvas: the service's data, nodes being dragged, and the selection. */
export class CanvasStore {
  readonly #places: Places;
  readonly #listeners = new Set<() => void>();
  readonly #selectedEdges = new Set<string>();
  /** The temporary positions of tasks without a saved one, kept while the page is open. */
  readonly #spread = new Map<string, Point>();
  #model: Model = nothing;
  #shown: ReadonlySet<string> | undefined;
  #awaited: string | undefined;
  #layouts = 0;
  #drawn: Drawn = { nodes: [], edges: [], unplaced: [], layouts: 0, hasLit: false, obstacles: noObstacles };

  constructor(places: Places) {
    this.#places = places;
  }

  get drawn(): Drawn {
    return this.#drawn;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Applies the service's data. Nodes that are being moved here keep their position. */
  take(model: Model): void {
    this.#model = model;
    this.redraw();
    const awaited = this.#awaited;
    if (awaited === undefined || !model.items.some(({ id }) => id === awaited)) return;
    this.#awaited = undefined;
    this.select([awaited]);
  }

  /** Shows only these tasks; all if undefined. Hidden tasks are not selected. */
  filter(shown: ReadonlySet<string> | undefined): void {
    if (shown === this.#shown) return;
    this.#shown = shown;
    const hides = this.#hidden();
    const kept = this.#drawn.nodes.filter((node) => node.selected && !hides(node.data.item)).map(({ id }) => id);
    this.select(kept);
    this.redraw();
  }

  /** Renders again after a position was saved or rejected. */
  redraw(): void {
    const unplaced = this.#spreadUnplaced();
    const former = new Map(this.#drawn.nodes.map((node) => [node.id, node]));
    const nodes = this.#model.items.map((item) => this.#node(item, former.get(item.id)));
    this.#notify(nodes, unplaced, true);
  }

  /** Applies selections and moves of nodes. */
  change(changes: NodeChange<FlowNode>[]): void {
    // Nodes are added and removed by the service's data, not by key presses.
    const taken = changes.filter(({ type }) => type === 'position' || type === 'select' || type === 'dimensions');
    if (taken.length > 0) this.#notify(applyNodeChanges(taken, this.#drawn.nodes), this.#drawn.unplaced);
  }

  changeEdges(changes: EdgeChange<FlowEdge>[]): void {
    for (const change of changes) {
      if (change.type !== 'select') continue;
      if (change.selected) this.#selectedEdges.add(change.id);
      else this.#selectedEdges.delete(change.id);
    }
    this.#notify(this.#drawn.nodes, this.#drawn.unplaced);
  }

  /** Moves nodes in one step. */
  put(places: ReadonlyMap<string, Point>): void {
    this.keepShown(places);
    for (const [id, place] of places) this.#places.drop(id, place);
    this.redraw();
  }

  /**
   * Saves the temporary positions as they are shown, so that the arrangement that a person made around them remains.
   * Items in `except` get new positions.
   */
  keepShown(except: ReadonlyMap<string, Point> = new Map()): void {
    for (const id of this.#drawn.unplaced) {
      const shown = this.#spread.get(id);
      if (shown !== undefined && !except.has(id)) this.#places.drop(id, shown);
    }
  }

  /** Gives tasks without a saved position temporary ones, below everything that has one. */
  spread(places: readonly Place[]): void {
    const { x: left, y: top } = cornerBelow(this.#model.items.filter((item) => !isUnplaced(item)));
    for (const { id, x, y } of places) this.#spread.set(id, { x: x + left, y: y + top });
    this.#layouts++;
    this.redraw();
  }

  /** Selects exactly these. */
  select(nodeIds: readonly string[], edgeIds: readonly string[] = []): void {
    const selection = new Set(nodeIds);
    this.#selectedEdges.clear();
    for (const id of edgeIds) this.#selectedEdges.add(id);
    const nodes = this.#drawn.nodes.map((node) =>
      (node.selected ?? false) === selection.has(node.id) ? node : { ...node, selected: selection.has(node.id) },
    );
    this.#notify(nodes, this.#drawn.unplaced);
  }

  /** Selects a node once it appears. */
  selectSoon(id: string): void {
    if (this.#drawn.nodes.some((node) => node.id === id)) this.select([id]);
    else this.#awaited = id;
  }

  #spreadUnplaced(): readonly string[] {
    const { items } = this.#model;
    const atOrigin = items.filter((item) => isUnplaced(item) && !this.#places.heldAt(item.id));
    // One node may have been placed at the origin; several have no position.
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

  #notify(all: FlowNode[], unplaced: readonly string[], isAtRest = false): void {
    const lit = this.#litBy(all);
    const hides = this.#hidden();
    const nodes = all.map((node) => {
      const [isLit, hidden] = [lit.nodes.has(node.id), hides(node.data.item)];
      const isSame = (node.className === litClass) === isLit && (node.hidden ?? false) === hidden;
      return isSame ? node : { ...node, className: isLit ? litClass : '', hidden };
    });
    const boxes = new Map(nodes.map((node) => [node.id, node]));
    const former = new Map(this.#drawn.edges.map((edge) => [edge.id, edge]));
    let same = former.size === this.#model.links.length;
    const edges = this.#model.links.flatMap((link) => {
      const { id } = link.edge;
      const edge = this.#edge(link, lit.edges.has(id), boxes, former.get(id));
      if (edge !== former.get(id)) same = false;
      return edge ?? [];
    });
    const obstacles = isAtRest ? obstaclesOf(nodes) : this.#drawn.obstacles;
    const hasLit = lit.nodes.size + lit.edges.size > 0;
    this.#drawn = {
      nodes,
      edges: same ? this.#drawn.edges : edges,
      unplaced,
      layouts: this.#layouts,
      hasLit,
      obstacles,
    };
    for (const listener of this.#listeners) listener();
  }

  /** Returns whether the filter hides an item: a document is shown with a task that it is connected with. */
  #hidden(): (item: Item) => boolean {
    const shown = this.#shown;
    if (shown === undefined) return () => false;
    const beside = new Set<string>();
    for (const { edge } of this.#model.links) {
      if (shown.has(edge.from_id)) beside.add(edge.to_id);
      if (shown.has(edge.to_id)) beside.add(edge.from_id);
    }
    return ({ id, type }) => !(type === 'task' ? shown : beside).has(id);
  }

  /** The neighbours of the selection: the edges of nodes with their other ends, and the ends of edges. */
  #litBy(nodes: readonly FlowNode[]): { readonly nodes: ReadonlySet<string>; readonly edges: ReadonlySet<string> } {
    const selected = new Set(nodes.filter((node) => node.selected).map(({ id }) => id));
    const lit = { nodes: new Set<string>(), edges: new Set<string>() };
    if (selected.size + this.#selectedEdges.size === 0) return lit;
    for (const { edge } of this.#model.links) {
      const { id, from_id: from, to_id: to } = edge;
      if (!selected.has(from) && !selected.has(to) && !this.#selectedEdges.has(id)) continue;
      lit.edges.add(id);
      for (const end of [from, to]) if (!selected.has(end)) lit.nodes.add(end);
    }
    return lit;
  }

  #edge(
    link: Link,
    lit: boolean,
    boxes: ReadonlyMap<string, FlowNode>,
    former: FlowEdge | undefined,
  ): FlowEdge | undefined {
    const { id, from_id: source, to_id: target } = link.edge;
    const [from, to] = [boxes.get(source), boxes.get(target)];
    if (from === undefined || to === undefined) return undefined;
    const [sourceHandle, targetHandle] = sidesBetween(boxOf(from), boxOf(to));
    const selected = this.#selectedEdges.has(id);
    const hidden = from.hidden === true || to.hidden === true;
    if (
      former?.data?.link === link &&
      former.data.lit === lit &&
      (former.hidden ?? false) === hidden &&
      former.sourceHandle === sourceHandle &&
      former.targetHandle === targetHandle &&
      (former.selected ?? false) === selected
    )
      return former;
    return {
      ...{ id, source, target, sourceHandle, targetHandle, type: 'link', data: { link, lit }, selected, hidden },
      className: lit ? litClass : '',
      // Only the selected edge can be reconnected: handles of others would obstruct drawing new ones.
      reconnectable: selected,
      ariaLabel: sentenceOf(link, from.data.item.label, to.data.item.label),
    };
  }
}

const obstaclesOf = (nodes: readonly FlowNode[]): Obstacles =>
  new Obstacles(() => nodes.filter(({ hidden }) => hidden !== true).map((node) => ({ id: node.id, ...boxOf(node) })));

/** A sentence for an edge. */
function sentenceOf({ orders, reversed, label, edge }: Link, from: string, to: string): string {
  const order = reversed ? `${to} comes before ${from}` : `${from} comes before ${to}`;
  if (!orders) return `${from} ${label ?? edge.label ?? 'is connected with'} ${to}`;
  return label === undefined ? order : `${from} ${label} ${to}: ${order}`;
}
