import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { PlannerError } from '../../src/errors.ts';
import { HostedStore } from '../../src/store/hosted/hosted-store.ts';
import { openPgStorage } from '../../src/store/hosted/pg-storage.ts';
import type { SharedStorage } from '../../src/store/hosted/shared-storage.ts';
import type { Release } from '../concurrency/held-journal.ts';
import { HeldLog } from '../support/held-log.ts';
import { MemorySnapshots } from '../support/memory-snapshots.ts';
import { optionsOf, testCollections, type TestCollections } from '../support/plan-store.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import { describeStore, fewEntries, type StoreWorld, type TestedStore } from './describe-store.ts';

let schemas = 0;
const newSchema = (): string => `store_${process.pid}_${++schemas}`;

/** Nodes over a workspace of their own in one database. */
class PostgresStoreWorld implements StoreWorld {
  readonly #cluster: PostgresCluster;
  readonly #schema = newSchema();
  readonly #logs = new Map<TestedStore, HeldLog>();
  #reached = Promise.withResolvers<void>();

  readonly another = (): Promise<TestedStore> => this.open();

  constructor(cluster: PostgresCluster) {
    this.#cluster = cluster;
  }

  readonly replayed = (): Promise<TestedStore> => this.open({ snapshots: new MemorySnapshots() });

  async open(instead: Partial<SharedStorage> = {}): Promise<TestedStore> {
    const url = this.#cluster.primary.url;
    const opened = await openPgStorage({ url, schema: this.#schema, durability: 'disk' });
    const storage = { ...opened, ...instead };
    const log = new HeldLog(storage.log);
    const store = await HostedStore.open<TestCollections>({
      storage: { ...storage, log },
      snapshots: fewEntries,
      report: (message) => process.stderr.write(`      store: ${message}\n`),
      collections: testCollections,
      serviceCollections: optionsOf('/').serviceCollections ?? [],
    });
    this.#logs.set(store, log);
    return store;
  }

  kill(store: TestedStore): void {
    void store.close();
  }

  dropCaches(): void {
    // Snapshots are in the database; a node that does not use them is `replayed`.
  }

  hold(): void {
    this.#reached = Promise.withResolvers();
    for (const log of this.#logs.values()) log.hold(() => this.#reached.resolve());
  }

  reached(): Promise<void> {
    return this.#reached.promise;
  }

  release(how: Release): void {
    for (const log of this.#logs.values()) log.release(how);
  }

  remove(): void {
    // With the database.
  }
}

postgresTests('A store over PostgreSQL', () => {
  let cluster: PostgresCluster;

  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());

  describeStore({ name: 'over PostgreSQL', make: () => new PostgresStoreWorld(cluster), isShared: true });

  describe('The bytes of files', () => {
    let storage: SharedStorage;

    beforeEach(async () => {
      storage = await openPgStorage({ url: cluster.primary.url, schema: newSchema(), durability: 'disk' });
    });
    afterEach(() => storage.close());

    const read = async (sha256: string, range?: { start: number; end: number }): Promise<Buffer> => {
      const pieces: Uint8Array[] = [];
      for await (const piece of storage.blobs.get(sha256, range)) pieces.push(piece);
      return Buffer.concat(pieces);
    };

    it('are returned as they were stored, in whole and in part', async () => {
      const bytes = Buffer.alloc(3_500_000, 'planner: ');
      for (const size of [0, 1, 1024 * 1024, bytes.length]) {
        const part = bytes.subarray(0, size);
        const staged = await storage.blobs.put([part.subarray(0, 5), part.subarray(5)]);
        expect(staged).to.deep.equal({ size, sha256: createHash('sha256').update(part).digest('hex') });
        expect((await read(staged.sha256)).equals(part), String(size)).to.equal(true);
      }
      const { sha256 } = await storage.blobs.put([bytes]);
      for (const [start, end] of [
        [0, 10],
        [1024 * 1024 - 5, 1024 * 1024 + 5],
        [2_000_000, 9_000_000],
      ] as const)
        expect((await read(sha256, { start, end })).equals(bytes.subarray(start, end))).to.equal(true);
    });

    it('are stored once, also if several callers store them at the same time', async () => {
      const bytes = Buffer.alloc(1_200_000, 'x');
      const all = await Promise.all(Array.from({ length: 6 }, () => storage.blobs.put([bytes])));
      expect(new Set(all.map(({ sha256 }) => sha256)).size).to.equal(1);
      expect((await read(all[0]!.sha256)).equals(bytes)).to.equal(true);
    });

    it('are not found if they were never stored', async () => {
      const error = await read('0'.repeat(64)).catch((thrown: unknown) => thrown);
      expect((error as PlannerError).code).to.equal('not_found');
    });
  });
});
