import type { Release } from '../concurrency/held-journal.ts';
import { optionsOf, testCollections, type TestCollections } from '../support/plan-store.ts';
import { ReplicatedStore } from '../support/replicated-store.ts';
import { describeStore, type StoreWorld, type TestedStore } from './describe-store.ts';
import { SimulatedLog, SimulatedLogServer } from './log/simulated-log.ts';

class ReplicatedWorld implements StoreWorld {
  readonly #server = new SimulatedLogServer();
  readonly #logs = new Map<TestedStore, SimulatedLog>();
  #gate: PromiseWithResolvers<void> | undefined;
  #reached = Promise.withResolvers<void>();

  readonly another = (): Promise<TestedStore> => this.open();

  open(): Promise<TestedStore> {
    this.#server.isFull = false;
    const log = new SimulatedLog(this.#server, { commits: () => this.#commits() });
    const store = new ReplicatedStore<TestCollections>(log, testCollections, optionsOf('/').serviceCollections ?? []);
    this.#logs.set(store, log);
    return Promise.resolve(store);
  }

  kill(store: TestedStore): void {
    this.#logs.get(store)?.kill();
  }

  dropCaches(): void {
    // A node has none.
  }

  hold(): void {
    this.#gate = Promise.withResolvers();
    this.#reached = Promise.withResolvers();
  }

  reached(): Promise<void> {
    return this.#reached.promise;
  }

  release(how: Release): void {
    this.#server.isFull = how === 'fail';
    this.#gate?.resolve();
    this.#gate = undefined;
  }

  remove(): void {
    // It is in memory.
  }

  #commits(): Promise<void> | undefined {
    if (this.#gate !== undefined) this.#reached.resolve();
    return this.#gate?.promise;
  }
}

describeStore({ name: 'over a simulated log that nodes share', make: () => new ReplicatedWorld(), isShared: true });
