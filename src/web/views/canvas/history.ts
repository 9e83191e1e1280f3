/** An action that can be undone. */
export interface Step {
  /** Its name: `Move of 3 nodes`. */
  readonly what: string;
  readonly undo: () => void | Promise<unknown>;
  readonly redo: () => void | Promise<unknown>;
}

export interface HistoryState {
  /** The name of the next step to undo. */
  readonly undo: string | undefined;
  readonly redo: string | undefined;
}

const stepsMax = 200;

/** The undo history of the canvas. A step that cannot be undone any more is removed. */
export class History {
  readonly #listeners = new Set<() => void>();
  #done: Step[] = [];
  #undone: Step[] = [];
  #tail: Promise<unknown> = Promise.resolve();
  #state: HistoryState = { undo: undefined, redo: undefined };

  get state(): HistoryState {
    return this.#state;
  }

  /** The step that was done last. */
  get last(): Step | undefined {
    return this.#done.at(-1);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Adds a completed step and clears the steps to redo. */
  push(step: Step): void {
    this.#done = [...this.#done, step].slice(-stepsMax);
    this.#undone = [];
    this.#notify();
  }

  /** Executes a step and adds it at once; one that fails is removed. Returns whether it succeeded. */
  async run(step: Step): Promise<boolean> {
    this.push(step);
    const went = this.#inTurn(async () => {
      try {
        await step.redo();
        return true;
      } catch {
        // The failing change has already shown its error.
        this.#done = this.#done.filter((each) => each !== step);
        this.#notify();
        return false;
      }
    });
    return await went;
  }

  /** Undoes one step; later ones stay. */
  takeBack(step: Step): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#done.includes(step)) return;
      this.#done = this.#done.filter((each) => each !== step);
      try {
        await step.undo();
        this.#undone.push(step);
      } catch {
        // The failing change has already shown its error.
      } finally {
        this.#notify();
      }
    });
  }

  /** Undoes the last step; returns its name. */
  undo(): Promise<string | undefined> {
    return this.#go('undo');
  }

  redo(): Promise<string | undefined> {
    return this.#go('redo');
  }

  #go(way: 'undo' | 'redo'): Promise<string | undefined> {
    return this.#inTurn(async () => {
      const step = (way === 'undo' ? this.#done : this.#undone).pop();
      if (step === undefined) return undefined;
      try {
        await step[way]();
        (way === 'undo' ? this.#undone : this.#done).push(step);
        return step.what;
      } catch {
        return undefined;
      } finally {
        this.#notify();
      }
    });
  }

  /** Sequential: a step is completed before it is undone. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(act);
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  #notify(): void {
    this.#state = { undo: this.#done.at(-1)?.what, redo: this.#undone.at(-1)?.what };
    for (const listener of this.#listeners) listener();
  }
}
