import { Exclusive } from '../../commit/exclusive.ts';
import type { Change } from '../../record/record.ts';
import type { Collection } from '../../record/collection.ts';
import type { FileState } from './file-table.ts';

/**
 * What git has to end before a rescan: a command changes files one after the other; an operation (a merge, a rebase)
 * may also wait for a person.
 */
export type GitWait = 'nothing' | 'command' | 'operation';

/** Files that are to be compared with the index. */
export interface RescanRequest {
  /** Files and directories, relative to the project; '' for all files. */
  readonly paths: readonly string[];
  /** Default: at once; 0: in a later turn, together with what is requested until then. */
  readonly afterMs?: number;
  /** Default: `command`. */
  readonly waitsFor?: GitWait;
  /** True if paths with pending events are included, since a file may have been moved to one of them. Default true. */
  readonly withPending?: boolean;
}

/** What follows from a task, or from what happened outside of it. */
export type Effect =
  /** Write dirty records back. */
  | { readonly kind: 'checkpoint' }
  | (RescanRequest & { readonly kind: 'rescan' })
  /** Retry a parked change after a while. */
  | { readonly kind: 'retryLater'; readonly id: string }
  /**
   * Merge what an editor saved into a file while it was being replaced or removed. `former`: the file before.
   */
  | {
      readonly kind: 'mergeSave';
      readonly path: string;
      readonly former: FileState | undefined;
      readonly bytes: Uint8Array;
    }
  /** A record's file was written: its bytes are beside it, and its large texts can leave memory. */
  | { readonly kind: 'written'; readonly collection: Collection; readonly state: FileState };

/** A rescan that is due, or that runs. */
export interface DueRescan {
  readonly paths: Set<string>;
  /** Not before this time, by the monotonic clock. */
  readonly at: number;
  readonly waitsFor: GitWait;
  withPending: boolean;
  /** Called once it is complete. */
  readonly done: (rescanned: Rescanned) => void;
}

/** The result of rescans that ran together. */
export interface Rescanned {
  readonly changes: readonly Change[];
  /** What was rescanned. */
  readonly paths: ReadonlySet<string>;
}

/**
 * The tasks of one project: what changes its index, its files' states or its dirty records in more than one turn of the
 * event loop, or follows from such a change. One runs at a time, so that no two of them interleave; the effects of a
 * task are carried out before the next one begins. Rescans are compared outside of tasks, one at a time, and applied as
 * one; those that are requested meanwhile run together afterwards.
 */
export class ProjectQueue extends Exclusive {
  readonly #carryOut: (effect: Effect) => void;
  #effects: Effect[] = [];
  #due: DueRescan[] = [];
  #running: readonly DueRescan[] = [];

  constructor(carryOut: (effect: Effect) => void) {
    super();
    this.#carryOut = carryOut;
  }

  /** Runs a task when the ones before it, and their effects, are complete. Other projects are served meanwhile. */
  override run<T>(task: () => Promise<T> | T): Promise<T> {
    return super.run(async () => {
      try {
        return await task();
      } finally {
        this.#carryOutEffects();
      }
    });
  }

  /** Carries out an effect: at the end of the task in progress if there is one, else now. */
  add(effect: Effect): void {
    if (this.held === undefined) this.#carryOut(effect);
    else this.#effects.push(effect);
  }

  /** Carries out all of them, whether one fails or not: none is left to a later task. Throws the first error. */
  #carryOutEffects(): void {
    const errors: unknown[] = [];
    // An effect may have further ones.
    for (let effect = this.#effects.shift(); effect !== undefined; effect = this.#effects.shift())
      try {
        this.#carryOut(effect);
      } catch (error) {
        errors.push(error);
      }
    if (errors.length > 0) throw errors[0];
  }

  /** Adds a rescan that was requested. */
  addRescan(rescan: DueRescan): void {
    this.#due.push(rescan);
  }

  /**
   * Begins the rescans that can run at this time, together; they last until `endRescans`. Those that do not wait for git
   * run before others. Undefined if there are none, or if others are running.
   */
  beginRescans(now: number, isOver: (waitsFor: GitWait) => boolean): readonly DueRescan[] | undefined {
    if (this.#running.length > 0) return undefined;
    const ready: DueRescan[] = [];
    for (const one of this.#due.filter(({ at }) => at <= now)) {
      if (isOver(one.waitsFor)) ready.push(one);
      // The events for the last files that git changes may not have arrived when it has ended.
      else one.withPending = true;
    }
    if (ready.length === 0) return undefined;
    const urgent = ready.filter(({ waitsFor }) => waitsFor === 'nothing');
    this.#running = urgent.length > 0 ? urgent : ready;
    const begun = new Set(this.#running);
    this.#due = this.#due.filter((one) => !begun.has(one));
    return this.#running;
  }

  /** Ends the rescans that are running. Without a result they are due again: a git command may have changed the files. */
  endRescans(rescanned: Rescanned | undefined): void {
    const ended = this.#running;
    this.#running = [];
    if (rescanned === undefined) this.#due.push(...ended.map((one) => ({ ...one, withPending: true })));
    else for (const { done } of ended) done(rescanned);
  }

  /** Drops all rescans that are due: the project is not served any more, or the store closes. */
  dropRescans(): void {
    for (const { done, paths } of this.#due.splice(0)) done({ changes: [], paths });
  }

  /** The time of the next rescan that is due, or undefined, or if others are running. */
  get nextRescanAt(): number | undefined {
    if (this.#running.length > 0 || this.#due.length === 0) return undefined;
    return Math.min(...this.#due.map(({ at }) => at));
  }

  /** Returns whether a rescan of this path is due, or running. */
  isDue(path: string): boolean {
    return [...this.#due, ...this.#running].some(({ paths }) => paths.has(path));
  }
}
