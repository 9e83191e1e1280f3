import type { QueryClient } from '@tanstack/react-query';

/** An action that can be undone. */
export interface Step {
  /** Its name: `Move of 3 nodes`. */
  readonly what: string;
  /** The cursors of its change sets, once it is done; none if it failed, or changed nothing. */
  readonly changes: () => Promise<readonly string[]>;
  readonly client: QueryClient;
}

export interface HistoryState {
  /** The name of the next step to undo. */
  readonly undo: string | undefined;
  readonly redo: string | undefined;
}

/** An action that was sent. */
export interface Begun {
  readonly step: Step;
  /** Called with its change sets. None: it failed, or changed nothing. */
  readonly ready: (changes: readonly string[]) => void;
}

export type Way = 'undo' | 'redo';

/** The change sets of taking a step back, and those of it that did not reach the service. */
export interface TakenBack {
  readonly made: readonly string[];
  readonly left: readonly string[];
}

const stepsMax = 200;

/** The list of what this tab did in a project: the service takes it back. A step that cannot be undone any more is removed. */
export class History {
  readonly #takeBack: (step: Step, way: Way) => Promise<TakenBack>;
  readonly #listeners = new Set<() => void>();
  #done: readonly Step[] = [];
  #undone: readonly Step[] = [];
  #tail: Promise<unknown> = Promise.resolve();
  #state: HistoryState = { undo: undefined, redo: undefined };

  constructor(takeBack: (step: Step, way: Way) => Promise<TakenBack>) {
    this.#takeBack = takeBack;
  }

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

  /** Adds a step and clears those to redo. */
  push(step: Step): void {
    this.#set([...this.#done, step].slice(-stepsMax), []);
  }

  /** Adds an action that is being sent: undoing it waits for the response, so that the order of the actions is kept. */
  begin(what: string, client: QueryClient): Begun {
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    const step: Step = { what, changes: () => promise, client };
    this.push(step);
    const ready = (changes: readonly string[]): void => {
      resolve(changes);
      if (changes.length === 0) this.#set(without(this.#done, step), this.#undone);
    };
    return { step, ready };
  }

  /** Undoes one step; later ones stay. Returns its name. */
  takeBack(step: Step): Promise<string | undefined> {
    return this.#inTurn(() => (this.#done.includes(step) ? this.#go('undo', step) : Promise.resolve(undefined)));
  }

  /** Undoes or redoes the last step. Returns its name. */
  go(way: Way): Promise<string | undefined> {
    return this.#inTurn(async () => {
      const step = (way === 'undo' ? this.#done : this.#undone).at(-1);
      return step && (await this.#go(way, step));
    });
  }

  /** What was taken back can be taken back again. What did not reach the service is tried again. */
  async #go(way: Way, step: Step): Promise<string | undefined> {
    const { what, client } = step;
    const { made, left } = await this.#takeBack(step, way);
    const other = made.length === 0 ? [] : [{ what, client, changes: () => Promise.resolve(made) }];
    const again = left.length === 0 ? [] : [{ what, client, changes: () => Promise.resolve(left) }];
    const stay = (steps: readonly Step[]): readonly Step[] => steps.flatMap((each) => (each === step ? again : [each]));
    if (way === 'undo') this.#set(stay(this.#done), [...this.#undone, ...other]);
    else this.#set([...this.#done, ...other], stay(this.#undone));
    return made.length === 0 ? undefined : what;
  }

  /** Sequential: a step is completed before it is undone. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(act);
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  #set(done: readonly Step[], undone: readonly Step[]): void {
    [this.#done, this.#undone] = [done, undone];
    this.#state = { undo: done.at(-1)?.what, redo: undone.at(-1)?.what };
    for (const listener of this.#listeners) listener();
  }
}

function without(steps: readonly Step[], step: Step): readonly Step[] {
  return steps.filter((each) => each !== step);
}
