import type { Place, Point } from '../../api/canvas.ts';

export interface PlacesOptions {
  /** Saves some places; resolves once what is shown elsewhere knows them. */
  readonly save: (places: readonly Place[]) => Promise<unknown>;
  /** Some nodes count from now on where the service has them. */
  readonly onReleased: () => void;
  /** How long the hand must rest before places are saved, in milliseconds. */
  readonly restMs: number;
}

/**
 * Where nodes stand that were moved here and are not saved yet. While a node is held here, a place that arrives for it does not count:
 * nothing is torn from the hand. Only what was moved is saved.
 */
export class Places {
  readonly #options: PlacesOptions;
  readonly #held = new Map<string, Point>();
  readonly #dragged = new Set<string>();
  #unsent = new Map<string, Point>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** Where a node stands whose place here counts. */
  heldAt(id: string): Point | undefined {
    return this.#held.get(id);
  }

  /** Whether something is in the hand or not saved yet. */
  get isBusy(): boolean {
    return this.#held.size > 0;
  }

  /** A node is being moved: nothing is saved before it is let go. */
  drag(id: string, { x, y }: Point): void {
    this.#held.set(id, { x, y });
    this.#dragged.add(id);
  }

  /** A node was let go, or put somewhere in one step. */
  drop(id: string, { x, y }: Point): void {
    const rounded = { x: Math.round(x), y: Math.round(y) };
    // At the origin stands what was never put anywhere.
    const place = rounded.x === 0 && rounded.y === 0 ? { x: 1, y: 0 } : rounded;
    this.#dragged.delete(id);
    this.#held.set(id, place);
    this.#unsent.set(id, place);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), this.#options.restMs);
  }

  /** Saves what was moved and is not saved. One request after the other, so that the last place is the last one saved. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#sending = this.#sending.then(() => this.#send());
    return this.#sending;
  }

  /** What is not saved yet, for who leaves. */
  takeUnsent(): readonly Place[] {
    clearTimeout(this.#timer);
    const left = [...this.#unsent].map(([id, place]) => ({ id, ...place }));
    this.#unsent = new Map();
    return left;
  }

  async #send(): Promise<void> {
    const sent = this.#unsent;
    if (sent.size === 0) return;
    this.#unsent = new Map();
    try {
      await this.#options.save([...sent].map(([id, { x, y }]) => ({ id, x, y })));
    } catch {
      // Said by who tried to save; the nodes go back to where the service has them.
    }
    for (const [id, place] of sent)
      // What was moved again meanwhile stays held until that is saved too.
      if (this.#held.get(id) === place && !this.#dragged.has(id)) this.#held.delete(id);
    this.#options.onReleased();
  }
}
