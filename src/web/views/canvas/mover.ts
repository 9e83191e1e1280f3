import type { QueryClient } from '@tanstack/react-query';
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
  readonly saves: Set<Promise<readonly string[]>>;
}

/** Moves nodes by mouse, by key, or many in one step. Each move is a change set of its own, which can be undone. */
export class Mover {
  readonly #store: CanvasStore;
  readonly #places: Places;
  readonly #history: History;
  readonly #client: QueryClient;
  /** The initial positions of the nodes being moved. */
  readonly #from = new Map<string, Point>();
  #last: Move | undefined;

  constructor(store: CanvasStore, places: Places, history: History, client: QueryClient) {
    this.#store = store;
    this.#places = places;
    this.#history = history;
    this.#client = client;
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
    this.#record(from, ended);
  };

  /** Moves nodes in one step. */
  readonly put = (what: string, places: readonly Place[]): Step =>
    this.#move(what, new Map(places.map(({ id, x, y }) => [id, { x, y }]))).step;

  #placeOf(id: string): Point | undefined {
    return this.#store.drawn.nodes.find((node) => node.id === id)?.position;
  }

  #record(from: ReadonlyMap<string, Point>, to: ReadonlyMap<string, Point>): void {
    if ([...to].every(([id, { x, y }]) => from.get(id)?.x === x && from.get(id)?.y === y)) return this.#store.put(to);
    const ids = [...to.keys()].sort().join();
    const last = this.#last;
    if (last?.ids === ids && Date.now() - last.at < oneMoveMs && this.#history.last === last.step) {
      this.#store.put(to);
      last.saves.add(this.#places.saved);
      this.#last = { ...last, at: Date.now() };
      return;
    }
    const moved = this.#move(to.size === 1 ? 'Move' : `Move of ${to.size} nodes`, to);
    this.#last = { ...moved, ids, at: Date.now() };
  }

  /** Earlier moves are saved first: each step has its own change sets. */
  #move(what: string, to: ReadonlyMap<string, Point>): Pick<Move, 'step' | 'saves'> {
    void this.#places.flush();
    this.#store.put(to);
    const saves = new Set([this.#places.saved]);
    const changes = async (): Promise<readonly string[]> => {
      void this.#places.flush();
      return (await Promise.all(saves)).flat();
    };
    const step: Step = { what, changes, client: this.#client };
    this.#history.push(step);
    return { step, saves };
  }
}
