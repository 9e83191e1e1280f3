import type { Query, QueryClient } from '@tanstack/react-query';
import { isTransient } from './transient.ts';

/** Milliseconds between two requests for one result: longer while many events follow one another. */
const gapMs = { least: 50, most: 250, factor: 1.25 } as const;
/**
 * Changes of this page in progress delay requests: their results could be older than the state that is shown already.
 */
const heldMsMax = 1000;

/** How a request ends: `setState` is one that is cancelled, since nothing shows its result at that moment. */
const endings: ReadonlySet<string> = new Set(['success', 'error', 'setState']);

interface Pace {
  begunAt: number;
  gapMs: number;
  timer: number | undefined;
}

/** Requests results again that events have made stale, one request for each at a time. */
export class Refetcher {
  readonly #client: QueryClient;
  readonly #isStale: (key: string) => boolean;
  readonly #paces = new Map<string, Pace>();
  #heldSince: number | undefined;

  constructor(client: QueryClient, isStale: (key: string) => boolean) {
    this.#client = client;
    this.#isStale = isStale;
    client.getQueryCache().subscribe((event) => {
      const { queryHash: key } = event.query;
      if (event.type === 'removed') this.#forget(key);
      else if (event.type === 'updated' && endings.has(event.action.type))
        queueMicrotask(() => this.check(event.query as Query));
    });
    client.getMutationCache().subscribe(() => {
      if (this.#heldSince !== undefined && client.isMutating() === 0) this.#release();
    });
  }

  /** Requests the result if it is stale and shown; if it is not shown, when it is. */
  check(query: Query): void {
    const { queryHash: key, state } = query;
    if (!this.#isStale(key)) return;
    if (!query.isActive()) {
      if (!state.isInvalidated) query.invalidate();
      return;
    }
    // A result in transit may include the event. The polls repeat failed requests.
    if (state.fetchStatus !== 'idle' || isTransient(state.error)) return;
    if (this.#isHeld()) return;
    const pace = this.#paces.get(key) ?? { begunAt: 0, gapMs: gapMs.least, timer: undefined };
    this.#paces.set(key, pace);
    if (pace.timer !== undefined) return;
    const passedMs = performance.now() - pace.begunAt;
    if (passedMs >= pace.gapMs) return this.#request(query, pace, passedMs);
    pace.timer = window.setTimeout(() => {
      pace.timer = undefined;
      this.check(query);
    }, pace.gapMs - passedMs);
  }

  #request(query: Query, pace: Pace, passedMs: number): void {
    const isBusy = pace.begunAt > 0 && passedMs < 2 * pace.gapMs;
    pace.gapMs = isBusy ? Math.min(gapMs.most, pace.gapMs * gapMs.factor) : gapMs.least;
    pace.begunAt = performance.now();
    const { queryKey } = query;
    void this.#client.refetchQueries({ queryKey, exact: true }, { cancelRefetch: false });
  }

  #isHeld(): boolean {
    if (this.#client.isMutating() === 0) return false;
    if (this.#heldSince === undefined) {
      this.#heldSince = performance.now();
      window.setTimeout(() => this.#release(), heldMsMax);
      return true;
    }
    return performance.now() - this.#heldSince < heldMsMax;
  }

  #release(): void {
    if (this.#heldSince === undefined) return;
    // Changes that are still in progress do not delay these requests again.
    this.#heldSince = this.#client.isMutating() === 0 ? undefined : 0;
    this.checkAll();
  }

  checkAll(): void {
    for (const query of this.#client.getQueryCache().getAll()) this.check(query);
  }

  #forget(key: string): void {
    window.clearTimeout(this.#paces.get(key)?.timer);
    this.#paces.delete(key);
  }
}
