import { isoTime } from '../base/clock.ts';
import type { Clock, Timer } from '../base/clock.ts';
import type { PlannerCollections } from '../domain/records/collections.ts';
import type { ServiceCollectionSpec, ServiceTx, Store, StoredRecord } from '../store/index.ts';

/** The node that does the work without a call, until a time. */
export interface Election extends StoredRecord {
  readonly node: string;
  readonly until: string;
}

/** The service collection of what one node does for all. */
export const electionCollection = {
  name: 'elections',
  placement: 'service',
} as const satisfies ServiceCollectionSpec;

const id = 'background';
const meta = { author: 'system', source: 'system' } as const;
/** A node that ends without saying so is replaced after this time. */
const termMs = 15_000;
const renewalMs = 5_000;

export interface ElectedOptions {
  readonly store: Pick<Store<PlannerCollections>, 'updateService' | 'onServiceChange'>;
  /** A clock with the same time on every node. */
  readonly clock: Clock;
  /** A name that no other node has. */
  readonly node: string;
  /** Starts what only one node does at a time. Returns the function that ends it. */
  readonly start: () => Promise<() => Promise<void>>;
  readonly log: (entry: { readonly level: 'error'; readonly message: string }) => void;
}

/**
 * Elects one of several nodes for the work without a call: the first that enters itself, until it leaves, or does not
 * renew its entry. The log decides who is first, and its clock when a term ends. A node that cannot renew its entry
 * ends its work before the term ends.
 */
export class Elected {
  readonly #options: ElectedOptions;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #end: (() => Promise<void>) | undefined;
  #until = 0;
  #isAway = false;
  #isClosed = false;
  readonly #unsubscribe: () => void;

  constructor(options: ElectedOptions) {
    this.#options = options;
    this.#unsubscribe = options.store.onServiceChange(electionCollection.name, ({ to }) => {
      // The elected node has left.
      if (to === undefined) this.#next(0);
    });
    this.#next(0);
  }

  /**
   * Ends the work of this node for all; another node takes its place immediately, or when the term ends if the log is
   * away.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#timer?.cancel();
    await this.#running;
    const mayLeave = this.#end !== undefined && !this.#isAway;
    await this.#stop();
    if (mayLeave) await this.#options.store.updateService(meta, (tx) => this.#leave(tx)).catch(() => undefined);
  }

  #next(ms: number): void {
    if (this.#isClosed) return;
    this.#timer?.cancel();
    this.#timer = this.#options.clock
      .after(ms, () => {
        this.#running = this.#running.then(() => this.#turn());
      })
      .unref();
  }

  async #turn(): Promise<void> {
    if (this.#isClosed) return;
    const { store, clock, start, log } = this.#options;
    try {
      const until = await store.updateService(meta, (tx) => this.#enter(tx));
      this.#isAway = false;
      if (until === undefined) await this.#stop();
      else {
        this.#until = until;
        this.#end ??= await start();
      }
    } catch (error) {
      this.#isAway = true;
      log({ level: 'error', message: `Background: ${(error as Error).message}` });
      // Another node may be elected when the term ends.
      if (clock.now() + renewalMs >= this.#until) await this.#stop();
    }
    this.#next(renewalMs);
  }

  /** Enters this node, or renews its entry. Returns the end of the term, or undefined if it is another node's. */
  #enter(tx: ServiceTx): number | undefined {
    const { clock, node } = this.#options;
    const now = clock.now();
    const before = tx.get<Election>(electionCollection.name, id);
    if (before !== undefined && before.node !== node && Date.parse(before.until) > now) return undefined;
    const at = isoTime(now);
    const until = now + termMs;
    tx.put<Election>(electionCollection.name, {
      ...{ id, node, until: isoTime(until), updated_at: at },
      created_at: before?.created_at ?? at,
    });
    return until;
  }

  #leave(tx: ServiceTx): void {
    if (tx.get<Election>(electionCollection.name, id)?.node === this.#options.node)
      tx.remove(electionCollection.name, id);
  }

  async #stop(): Promise<void> {
    const end = this.#end;
    this.#end = undefined;
    await end?.();
  }
}
