import type { Place, Point } from '../../../api/canvas.ts';

export interface PlacesOptions {
  /** Saves positions; resolves to the change sets of this once the caches contain them. */
  readonly save: (places: readonly Place[]) => Promise<readonly string[]>;
  /** Called when nodes use the service's position again. */
  readonly onReleased: () => void;
  /** The debounce before positions are saved, in milliseconds. */
  readonly restMs: number;
}

/**
 * The positions of nodes that were moved here and are not saved yet. They override positions that arrive, so that a node being dragged does
 * not jump. Only moved nodes are saved.
 */
export class Places {
  readonly #options: PlacesOptions;
  readonly #held = new Map<string, Point>();
  readonly #dragged = new Set<string>();
  #unsent = new Map<string, Point>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> = Promise.resolve();
  #saved = Promise.withResolvers<readonly string[]>();

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** The unsaved position of a node. */
  heldAt(id: string): Point | undefined {
    return this.#held.get(id);
  }

  /** The change sets that save what was put and is not sent; none if they fail. */
  get saved(): Promise<readonly string[]> {
    return this.#saved.promise;
  }

  /** True if a node is being dragged or not saved yet. */
  get isBusy(): boolean {
    return this.#held.size > 0;
  }

  /** A node is being dragged: nothing is saved before it is dropped. */
  drag(id: string, { x, y }: Point): void {
    this.#held.set(id, { x, y });
    this.#dragged.add(id);
  }

  /** A node was dropped, or moved in one step. */
  drop(id: string, { x, y }: Point): void {
    const rounded = { x: Math.round(x), y: Math.round(y) };
    // The origin means that a node has no position.
    const place = rounded.x === 0 && rounded.y === 0 ? { x: 1, y: 0 } : rounded;
    this.#dragged.delete(id);
    this.#held.set(id, place);
    this.#unsent.set(id, place);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), this.#options.restMs);
  }

  /** Saves unsaved positions. Requests are sequential, so that the last position is saved last. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    const [sent, saved] = [this.#unsent, this.#saved];
    if (sent.size === 0) return this.#sending;
    this.#unsent = new Map();
    this.#saved = Promise.withResolvers();
    this.#sending = this.#sending.then(() => this.#send(sent)).then(saved.resolve);
    return this.#sending;
  }

  /** The unsaved positions, for saving when the page is unloaded. */
  takeUnsent(): readonly Place[] {
    clearTimeout(this.#timer);
    const left = [...this.#unsent].map(([id, place]) => ({ id, ...place }));
    this.#unsent = new Map();
    return left;
  }

  async #send(sent: ReadonlyMap<string, Point>): Promise<readonly string[]> {
    let changes: readonly string[] = [];
    try {
      changes = await this.#options.save([...sent].map(([id, { x, y }]) => ({ id, x, y })));
    } catch {
      // The failing change has already shown its error; the nodes return to the service's positions.
    }
    for (const [id, place] of sent)
      // A node that was moved again stays unsaved until that move is saved.
      if (this.#held.get(id) === place && !this.#dragged.has(id)) this.#held.delete(id);
    this.#options.onReleased();
    return changes;
  }
}
