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

/** The two ways of a change whose response has arrived. */
export type Ways = Pick<Step, 'undo' | 'redo'>;

/** A change without a response yet. */
export interface Begun {
  readonly step: Step;
  /** Called with the response: how the change is undone. Undefined: it failed, or it cannot be undone. */
  readonly ready: (ways: Ways | undefined) => void;
}

/** The undo history of a project in this tab. A step that cannot be undone any more is removed. */
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

  /** Returns whether a step was done and not undone. */
  has(step: Step): boolean {
    return this.#done.includes(step);
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

  /** Adds a change that is being sent: undoing it waits for the response, so that the order of the changes is kept. */
  begin(what: string): Begun {
    const { promise, resolve } = Promise.withResolvers<Ways | undefined>();
    const step: Step = {
      what,
      undo: async () => waysOf(await promise).undo(),
      redo: async () => waysOf(await promise).redo(),
    };
    this.push(step);
    const ready: Begun['ready'] = (ways) => {
      resolve(ways);
      if (ways !== undefined) return;
      this.#done = this.#done.filter((each) => each !== step);
      this.#notify();
    };
    return { step, ready };
  }

  /**
   * Executes a step and adds it to the history immediately; a step that fails is removed. Returns whether it succeeded.
   */
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
  takeBack(step: Step): Promise<string | undefined> {
    return this.#inTurn(async () => {
      if (!this.#done.includes(step)) return undefined;
      const at = this.#done.indexOf(step);
      this.#done = this.#done.filter((each) => each !== step);
      try {
        await step.undo();
        this.#undone.push(step);
        return step.what;
      } catch (error) {
        // The failing change has already shown its error.
        if (isOffline(error)) this.#done = this.#done.toSpliced(at, 0, step);
        return undefined;
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
      } catch (error) {
        if (isOffline(error)) (way === 'undo' ? this.#done : this.#undone).push(step);
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

/** Throws for a change that failed: then there is nothing to undo. */
function waysOf(ways: Ways | undefined): Ways {
  if (ways === undefined) throw new Error('The change failed.');
  return ways;
}

/** A step that did not reach the service can be tried again. */
function isOffline(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'offline';
}

const histories = new Map<string, History>();

/** The history of a project: one for all views, until the page is reloaded. */
export function historyOf(projectId: string): History {
  let history = histories.get(projectId);
  if (history === undefined) histories.set(projectId, (history = new History()));
  return history;
}
