import type { Release } from '../concurrency/held-journal.ts';
import { MemoryBlobs } from '../support/memory-blobs.ts';
import { MemorySnapshots } from '../support/memory-snapshots.ts';
import { Random } from '../support/random.ts';
import { openTestNode, reportedSnapshots } from '../support/test-node.ts';
import { describeStore, type StoreWorld, type TestedStore } from './describe-store.ts';
import { SimulatedLog, SimulatedLogServer } from './log/simulated-log.ts';

class SimulatedWorld implements StoreWorld {
  readonly #server = new SimulatedLogServer();
  readonly #blobs = new MemoryBlobs();
  readonly #snapshots = new MemorySnapshots(this.#server);
  readonly #random: Random;
  readonly #logs = new Map<TestedStore, SimulatedLog>();
  #gate: PromiseWithResolvers<void> | undefined;
  #reached = Promise.withResolvers<void>();

  readonly another = (): Promise<TestedStore> => this.open();

  constructor(random: Random) {
    this.#random = random;
  }

  readonly replayed = (): Promise<TestedStore> => this.open(new MemorySnapshots());

  async open(snapshots = this.#snapshots): Promise<TestedStore> {
    this.#server.isFull = false;
    const log: SimulatedLog = new SimulatedLog(this.#server, {
      travel: () => this.#travel(log),
      commits: () => this.#commits(),
    });
    const store = await openTestNode({ log, blobs: this.#blobs, snapshots }, reportedSnapshots);
    this.#logs.set(store, log);
    return store;
  }

  kill(store: TestedStore): void {
    void this.#logs.get(store)?.kill();
  }

  dropCaches(): void {
    this.#snapshots.clear();
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
    // The revision is in memory.
  }

  /** Messages take one to four turns; connections are cut, and servers fail over. */
  async #travel(log: SimulatedLog): Promise<void> {
    if (this.#random.chance(0.02)) log.cut(this.#random.pick(['before', 'during', 'after']));
    if (this.#random.chance(0.01)) this.#server.failOver();
    for (let turns = this.#random.integer(1, 4); turns > 0; turns--)
      await new Promise((resolve) => setImmediate(resolve));
  }

  #commits(): Promise<void> | undefined {
    if (this.#gate !== undefined) this.#reached.resolve();
    return this.#gate?.promise;
  }
}

const random = new Random(Number(process.env['PLANNER_TEST_SEED'] ?? 20_260_103));

describeStore({
  name: 'over a simulated log that nodes share',
  make: () => new SimulatedWorld(random),
  isShared: true,
});
