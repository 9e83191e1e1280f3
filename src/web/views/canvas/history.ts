/** Something that was done and can be taken back. */
export interface Step {
  /** What it was, as a noun: `Move of 3 nodes`. */
  readonly what: string;
  readonly undo: () => void | Promise<unknown>;
  readonly redo: () => void | Promise<unknown>;
}

export interface HistoryState {
  /** What would be taken back next. */
  readonly undo: string | undefined;
  readonly redo: string | undefined;
}

const stepsMax = 200;

/** What was done on the canvas, to go back and forth in. A step that cannot be taken back any more is forgotten. */
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

  readonly subscribe = (heard: () => void): (() => void) => {
    this.#listeners.add(heard);
    return () => this.#listeners.delete(heard);
  };

  /** Keeps a step that was just done. What had been taken back before cannot be done again. */
  push(step: Step): void {
    this.#done = [...this.#done, step].slice(-stepsMax);
    this.#undone = [];
    this.#tell();
  }

  /** Does a step and keeps it at once; one that was refused is forgotten. Answers whether it went well. */
  async run(step: Step): Promise<boolean> {
    this.push(step);
    const went = this.#inTurn(async () => {
      try {
        await step.redo();
        return true;
      } catch {
        // What was refused has been said by whoever tried it.
        this.#done = this.#done.filter((each) => each !== step);
        this.#tell();
        return false;
      }
    });
    return await went;
  }

  /** Takes back one step, though others were done since: they stay. */
  takeBack(step: Step): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#done.includes(step)) return;
      this.#done = this.#done.filter((each) => each !== step);
      try {
        await step.undo();
        this.#undone.push(step);
      } catch {
        // Said by whoever tried it.
      } finally {
        this.#tell();
      }
    });
  }

  /** Takes back the last step; answers what it was. */
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
        this.#tell();
      }
    });
  }

  /** One after the other: what is taken back has been done before. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(act);
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  #tell(): void {
    this.#state = { undo: this.#done.at(-1)?.what, redo: this.#undone.at(-1)?.what };
    for (const heard of this.#listeners) heard();
  }
}
