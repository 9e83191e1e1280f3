import type { NodeChange } from '@xyflow/react';
import type { Place, Point } from '../../api/canvas.ts';
import type { CanvasStore, FlowNode } from './model/canvas-store.ts';
import type { History, Step } from '../../undo/history.ts';
import type { Places } from './model/places.ts';

/** Presses of an arrow key within this time are one move. */
const oneMoveMs = 1000;

interface Move {
  readonly step: Step;
  readonly ids: string;
  readonly at: number;
  readonly to: Map<string, Point>;
}

/** Moves nodes by mouse, by key, or many in one step. Each move can be undone. */
export class Mover {
  readonly #store: CanvasStore;
  readonly #places: Places;
  readonly #history: History;
  readonly #put: (places: ReadonlyMap<string, Point>) => Promise<void>;
  /** The initial positions of the nodes being moved. */
  readonly #from = new Map<string, Point>();
  #last: Move | undefined;

  /** `put` moves nodes, also after the canvas was left. */
  constructor(
    store: CanvasStore,
    places: Places,
    history: History,
    put: (places: ReadonlyMap<string, Point>) => Promise<void>,
  ) {
    this.#put = put;
    this.#store = store;
    this.#places = places;
    this.#history = history;
  }

  readonly onNodesChange = (changes: NodeChange<FlowNode>[]): void => {
    const ended = new Map<string, Point>();
    for (const change of changes) {
      if (change.type !== 'position' || change.position === undefined) continue;
      const { id, position, dragging = false } = change;
      if (!this.#from.has(id)) this.#from.set(id, this.#placeOf(id) ?? position);
      if (dragging) this.#places.drag(id, position);
      else ended.set(id, position);
    }
    this.#store.change(changes);
    if (ended.size === 0) return;
    const from = new Map([...ended.keys()].map((id) => [id, this.#from.get(id)!]));
    for (const id of ended.keys()) this.#from.delete(id);
    this.#store.put(ended);
    this.#record(from, ended);
  };

  /** Moves nodes in one step. */
  readonly put = (what: string, places: readonly Place[]): Step => {
    const to = new Map(places.map(({ id, x, y }) => [id, { x, y }]));
    const from = new Map([...to.keys()].map((id) => [id, this.#placeOf(id) ?? to.get(id)!]));
    this.#store.put(to);
    const step = this.#step(what, from, to);
    this.#history.push(step);
    return step;
  };

  #placeOf(id: string): Point | undefined {
    return this.#store.drawn.nodes.find((node) => node.id === id)?.position;
  }

  #record(from: ReadonlyMap<string, Point>, to: Map<string, Point>): void {
    if ([...to].every(([id, { x, y }]) => from.get(id)?.x === x && from.get(id)?.y === y)) return;
    const ids = [...to.keys()].sort().join();
    const last = this.#last;
    if (last?.ids === ids && Date.now() - last.at < oneMoveMs && this.#history.last === last.step) {
      for (const [id, place] of to) last.to.set(id, place);
      this.#last = { ...last, at: Date.now() };
      return;
    }
    const step = this.#step(to.size === 1 ? 'Move' : `Move of ${to.size} nodes`, from, to);
    this.#last = { step, ids, at: Date.now(), to };
    this.#history.push(step);
  }

  #step(what: string, from: ReadonlyMap<string, Point>, to: ReadonlyMap<string, Point>): Step {
    return { what, undo: () => this.#put(from), redo: () => this.#put(to) };
  }
}
