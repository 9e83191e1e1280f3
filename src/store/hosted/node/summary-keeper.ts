import type { Clock } from '../../../base/clock.ts';
import { inSlices, type Steps } from '../../../base/slices.ts';
import type { SnapshotStore, Summary } from '../storage/snapshot-store.ts';

export interface SummaryKeeperDeps {
  readonly store: Pick<SnapshotStore, 'putSummaries'>;
  readonly clock: Clock;
  /** The present summary of a project: `busy` while a change of it is in progress, undefined if it is not followed. */
  readonly summaryOf: (project: string) => Summary | 'busy' | undefined;
  readonly report: (message: string) => void;
}

/** Summaries that are stored at a time, and the share of one processor that storing takes at most. */
const together = 200;
const share = 1 / 20;

/** Stores the summaries of projects that have changed, in the background: by these a node starts, and not by their logs. */
export class SummaryKeeper {
  readonly #deps: SummaryKeeperDeps;
  /** The projects whose stored summary is not their present one. */
  readonly #stale = new Set<string>();
  /** The entries of the stored summaries by which projects were begun that are not followed yet. */
  readonly #begun = new Map<string, number>();
  readonly #closing = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;
  #isClosed = false;
  #hasFailed = false;

  constructor(deps: SummaryKeeperDeps) {
    this.#deps = deps;
  }

  /** A project is begun by a stored summary of this entry; 0 without one. */
  begun(project: string, seq: number): void {
    this.#begun.set(project, seq);
  }

  /** A project is followed, up to this entry. */
  loaded(project: string, seq: number): void {
    if (seq > (this.#begun.get(project) ?? 0)) this.#stale.add(project);
    this.#begun.delete(project);
  }

  /** This node has changed a project. */
  changed(project: string): void {
    this.#stale.add(project);
  }

  /** Stores what is to be stored, unless that is in progress. */
  store(): void {
    if (this.#isClosed || this.#stale.size === 0) return;
    this.#running ??= this.#storeAll().finally(() => (this.#running = undefined));
  }

  /** Resolves when nothing is being stored. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.resolve();
    await this.#running;
  }

  async #storeAll(): Promise<void> {
    const { store, clock, report } = this.#deps;
    // One that is busy, or changes meanwhile, waits for the next time.
    const all = [...this.#stale];
    for (let at = 0; at < all.length && !this.#isClosed; at += together) {
      const some = all.slice(at, at + together);
      const began = clock.monotonic();
      try {
        const summaries = await inSlices('snapshot', this.#summariesOf(some));
        if (summaries.length > 0) await store.putSummaries(summaries);
      } catch (error) {
        for (const project of some) this.#stale.add(project);
        // The next attempts are in ten seconds each: the first one says so.
        if (!this.#isClosed && !this.#hasFailed) report(`No summaries were stored: ${(error as Error).message}`);
        this.#hasFailed = true;
        return;
      }
      this.#hasFailed = false;
      await this.#rest((clock.monotonic() - began) * (1 / share - 1));
    }
  }

  *#summariesOf(projects: readonly string[]): Steps<readonly Summary[]> {
    const summaries: Summary[] = [];
    for (const project of projects) {
      const summary = this.#deps.summaryOf(project);
      if (summary === 'busy') continue;
      this.#stale.delete(project);
      if (summary !== undefined) summaries.push(summary);
      yield;
    }
    return summaries;
  }

  async #rest(ms: number): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const timer = this.#deps.clock.after(ms, resolve).unref();
    await Promise.race([over, this.#closing.promise]);
    timer.cancel();
  }
}
