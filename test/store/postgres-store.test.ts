import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { PlannerError } from '../../src/base/errors.ts';
import { openPgStorage } from '../../src/store/hosted/postgres/pg-storage.ts';
import type { SharedStorage } from '../../src/store/hosted/storage/shared-storage.ts';
import { SnapshotError, type SnapshotStore, type Summary } from '../../src/store/hosted/storage/snapshot-store.ts';
import { type Appended, emptyHead, type Head } from '../../src/store/record/log.ts';
import type { Revision } from '../../src/store/record/record.ts';
import type { Release } from '../concurrency/held-journal.ts';
import { HeldLog } from '../support/held-log.ts';
import { MemorySnapshots } from '../support/memory-snapshots.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import { openTestNode, reportedSnapshots } from '../support/test-node.ts';
import { describeStore, type StoreWorld, type TestedStore } from './describe-store.ts';

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
    const store = await openTestNode({ ...storage, log }, reportedSnapshots);
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
    let schema: string;

    beforeEach(async () => {
      schema = newSchema();
      storage = await openPgStorage({ url: cluster.primary.url, schema, durability: 'disk' });
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

    it('that are large are stored one after the other: a connection is left for other statements', async () => {
      const seen = new Set<number>();
      const watching = setInterval(() => {
        const { inUse, waiting } = storage.connections!();
        seen.add(inUse + waiting);
      }, 1);
      const all = await Promise.all(
        Array.from({ length: 4 }, (_, at) => storage.blobs.put([Buffer.alloc(3_500_000, `planner ${at}`)])),
      ).finally(() => clearInterval(watching));
      expect(new Set(all.map(({ sha256 }) => sha256)).size).to.equal(4);
      expect(Math.max(...seen)).to.equal(1);
    });

    it('are removed after a day, unless an entry references them', async () => {
      const [used, unused, young] = await Promise.all(
        ['used', 'unused', 'young'].map((text) => storage.blobs.put([Buffer.from(text)])),
      );
      const blobs = { blobs: [used!.sha256] };
      await storage.log.append({ project: 'p', after: emptyHead, id: 'evt_1', body: {}, beside: blobs });
      await cluster.primary.query(
        `UPDATE ${schema}.blob SET staged_at = staged_at - interval '25 hours' WHERE sha256 <> $1`,
        [young!.sha256],
      );
      expect(await storage.blobs.sweep()).to.equal(1);
      expect((await read(used!.sha256)).toString()).to.equal('used');
      expect((await read(young!.sha256)).toString()).to.equal('young');
      const error = await read(unused!.sha256).catch((thrown: unknown) => thrown);
      expect((error as PlannerError).code).to.equal('not_found');
    });

    it('are not found if they were never stored', async () => {
      const error = await read('0'.repeat(64)).catch((thrown: unknown) => thrown);
      expect((error as PlannerError).code).to.equal('not_found');
    });
  });

  describe('Revisions', () => {
    let storage: SharedStorage;

    before(async () => {
      storage = await openPgStorage({ url: cluster.primary.url, schema: newSchema(), durability: 'disk' });
    });
    after(() => storage.close());

    const revision = (id: string, characters: number): Revision => ({
      ...{ at: '2026-03-01T10:00:00.000Z', id, target: 'tsk_a', target_type: 'task', author: 'human:Ada' },
      ...{ fields: ['text'], before: { text: 'ü'.repeat(characters / 2) }, after: 'print' },
    });

    it('are returned in the order asked for, as many as fit into an answer, and at least one', async () => {
      const [small, large] = [revision('small', 10), revision('large', 9 * 1024 * 1024)];
      const many = Array.from({ length: 5 }, (_, at) => revision(`of 3 MiB ${at}`, 3 * 1024 * 1024));
      const revisions = [small, large, ...many];
      await storage.log.append({
        project: 'p',
        after: emptyHead,
        id: 'evt_1',
        body: {},
        beside: { revisions },
        large: true,
      });
      const got = async (...ids: readonly string[]): Promise<readonly (string | undefined)[]> =>
        (await storage.revisions.get('p', ids)).map((one) => one?.id);
      expect(await storage.revisions.get('p', ['small'])).to.deep.equal([small]);
      expect(await got('large', 'small')).to.deep.equal(['large']);
      expect(await got('small', 'none', 'large', 'small')).to.deep.equal(['small', undefined, 'large']);
      expect(await got(...many.map(({ id }) => id))).to.deep.equal(many.slice(0, 3).map(({ id }) => id));
      expect(await storage.revisions.get('q', ['small', 'large'])).to.deep.equal([undefined, undefined]);
      expect(await got()).to.deep.equal([]);
    });
  });

  describe('Large texts', () => {
    let storage: SharedStorage;
    let schema: string;

    beforeEach(async () => {
      schema = newSchema();
      storage = await openPgStorage({ url: cluster.primary.url, schema, durability: 'disk' });
    });
    afterEach(() => storage.close());

    const text = (content: string): { readonly sha256: string; readonly text: string } => ({
      sha256: createHash('sha256').update(content).digest('hex'),
      text: content,
    });
    const store = (project: string, ...texts: readonly ReturnType<typeof text>[]): Promise<Appended> =>
      storage.log.append({ project, after: emptyHead, id: 'evt_1', body: {}, version: 2, beside: { texts } });

    it('are returned in the order asked for, as many as fit into an answer, and at least one [A.nodes.texts]', async () => {
      const [small, large] = [text('small \0 ü'), text('ü'.repeat(5 * 1024 * 1024))];
      const many = Array.from({ length: 5 }, (_, at) => text(`${at}${'x'.repeat(3 * 1024 * 1024)}`));
      expect((await store('p', small, large, ...many)).is).to.equal('ok');
      const got = async (...asked: readonly { readonly sha256: string }[]): Promise<readonly (string | undefined)[]> =>
        storage.texts.get(asked.map(({ sha256 }) => sha256));
      expect(await got(small)).to.deep.equal([small.text]);
      expect(await got(large, small)).to.deep.equal([large.text]);
      expect(await got(small, text('none'), large, small)).to.deep.equal([small.text, undefined, large.text]);
      expect(await got(...many)).to.deep.equal(many.slice(0, 3).map((one) => one.text));
      expect(await got()).to.deep.equal([]);
    });

    it('are swept as other bytes are: not those of an entry [A.nodes.texts]', async () => {
      const [used, again] = [text('used'), text('again')];
      await storage.blobs.put([Buffer.from('unused')]);
      await storage.blobs.put([Buffer.from(again.text)]);
      await store('p', used);
      await cluster.primary.query(`UPDATE ${schema}.blob SET staged_at = staged_at - interval '25 hours'`);
      // A blob that is stored again counts as new, and is not swept.
      const [appended] = await Promise.all([store('q', used, again), storage.blobs.sweep()]);
      expect(appended.is).to.equal('ok');
      await cluster.primary.query(`UPDATE ${schema}.blob SET staged_at = staged_at - interval '25 hours'`);
      await storage.blobs.sweep();
      expect(await storage.texts.get([used.sha256, again.sha256])).to.deep.equal([used.text, again.text]);
      expect(await cluster.primary.query(`SELECT FROM ${schema}.blob`)).to.have.length(2);
    });
  });

  describe('Snapshots', () => {
    let snapshots: SnapshotStore;
    let storage: SharedStorage;
    let tables: string;

    beforeEach(async () => {
      tables = newSchema();
      storage = await openPgStorage({ url: cluster.primary.url, schema: tables, durability: 'disk' });
      ({ snapshots } = storage);
      for (const project of ['a', 'b'])
        for (let seq = 1; seq <= 20; seq++) {
          const after = seq === 1 ? emptyHead : headOf(seq - 1);
          await storage.log.append({ project, after, id: headOf(seq).id!, body: {} });
        }
    });
    afterEach(() => storage.close());

    const headOf = (seq: number): Head => ({ seq, id: `evt_${seq}` });
    async function* of(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
      for (const text of texts) yield Promise.resolve(Buffer.from(text));
    }
    const headsOf = async (log: string): Promise<readonly number[]> =>
      ((await snapshots.heads([log, 'other'])).get(log) ?? []).map(({ seq }) => seq);
    const textOf = async (log: string, head: Head): Promise<string> => {
      const parts: string[] = [];
      for await (const part of snapshots.read(log, head)) parts.push(Buffer.from(part).toString());
      return parts.join(' ');
    };
    const failureOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);

    it('are returned as they were stored, the last two of each log', async () => {
      expect(await headsOf('a')).to.deep.equal([]);
      for (const seq of [5, 10, 12]) expect(await snapshots.put('a', headOf(seq), of('x', `${seq}`))).to.equal(true);
      expect(await snapshots.put('b', headOf(7), of())).to.equal(true);
      expect(await headsOf('a')).to.deep.equal([12, 10]);
      expect(await textOf('a', headOf(12))).to.equal('x 12');
      expect(await textOf('a', headOf(10))).to.equal('x 10');
      expect(await textOf('b', headOf(7))).to.equal('');
      expect(await failureOf(textOf('a', headOf(5)))).to.be.instanceOf(SnapshotError);
      for (const head of [{ seq: 14, id: 'evt_lost' }, headOf(21)])
        expect(await snapshots.put('a', head, of('x')), 'an entry that is not in the log').to.equal(false);
      expect(await headsOf('a')).to.deep.equal([12, 10]);
      expect(await failureOf(textOf('a', { seq: 12, id: 'evt_of_another_history' }))).to.be.instanceOf(SnapshotError);
    });

    it('have summaries beside them: the last one of each log that has its entry [A.nodes.start]', async () => {
      const entriesOf = async (): Promise<Readonly<Record<string, unknown>>> =>
        Object.fromEntries(
          Array.from(await snapshots.summaries(['a', 'b', 'other']), ([log, { head, text }]) => [
            log,
            [head.seq, text],
          ]),
        );
      const summary = (log: string, seq: number, id = headOf(seq).id): Summary => ({
        ...{ log, head: { seq, id }, text: `${log} at ${seq}: Größe\n` },
      });
      expect(await entriesOf()).to.deep.equal({});
      await snapshots.putSummaries([summary('a', 5), summary('b', 7), summary('other', 1)]);
      expect(await entriesOf()).to.deep.equal({ a: [5, summary('a', 5).text], b: [7, summary('b', 7).text] });
      await snapshots.putSummaries([summary('a', 9), summary('b', 21), summary('b', 8, 'evt_of_another_history')]);
      expect(await entriesOf()).to.deep.equal({ a: [9, summary('a', 9).text], b: [7, summary('b', 7).text] });
      for (const seq of [8, 10, 12]) await snapshots.put('b', headOf(seq), of('x'));
      expect(await headsOf('b')).to.deep.equal([12, 10]);
      expect(await textOf('b', headOf(12))).to.equal('x');
      const rows = await cluster.primary.query(`SELECT project, seq::int FROM ${tables}.snapshot WHERE part = -1`);
      expect(rows).to.deep.equal([{ project: 'a', seq: 9 }]);
    });

    it('are stored by one of several writers, and are not there before they are complete', async () => {
      const gate = Promise.withResolvers<void>();
      const slow = snapshots.put(
        'a',
        headOf(3),
        (async function* () {
          yield Buffer.from('first');
          await gate.promise;
          yield Buffer.from('second');
        })(),
      );
      // The name of the first writer is there once nothing can be begun at the same entry.
      for (let isBegun = false; !isBegun;)
        isBegun = (await cluster.primary.query(`SELECT FROM ${tables}.snapshot WHERE part = 1`)).length > 0;
      expect(await snapshots.put('a', headOf(3), of('of another'))).to.equal(false);
      expect(await headsOf('a')).to.deep.equal([]);
      gate.resolve();
      expect(await slow).to.equal(true);
      expect(await textOf('a', headOf(3))).to.equal('first second');
      // A writer that fails leaves no parts.
      const failing = (async function* (): AsyncGenerator<Uint8Array> {
        yield await Promise.resolve(Buffer.from('part'));
        throw new Error('The node is closed.');
      })();
      expect(await failureOf(snapshots.put('a', headOf(4), failing))).to.have.property(
        'message',
        'The node is closed.',
      );
      expect(await headsOf('a')).to.deep.equal([3]);
    });

    it('are not used if a part is missing', async () => {
      await snapshots.put('a', headOf(3), of('one', 'two', 'three'));
      await cluster.primary.query(`DELETE FROM ${tables}.snapshot WHERE part = 2`);
      expect(await failureOf(textOf('a', headOf(3)))).to.be.instanceOf(SnapshotError);
    });

    it('make entries below the older one superfluous once these are old enough', async () => {
      const { log } = storage;
      const hourMs = 3_600_000;
      const age = (from: number, to: number, hours: number): Promise<unknown> =>
        cluster.primary.query(
          `UPDATE ${tables}.log SET at = clock_timestamp() - interval '${hours} hours' WHERE project = 'a' AND seq BETWEEN ${from} AND ${to}`,
        );
      await age(1, 20, 3);
      expect(await snapshots.trimmable(hourMs)).to.deep.equal([]);
      for (const seq of [9, 15]) await snapshots.put('a', headOf(seq), of());
      expect(await snapshots.trimmable(4 * hourMs)).to.deep.equal([]);
      expect(await snapshots.trimmable(hourMs)).to.deep.equal(['a']);
      // No entry after a kept one is removed, although it is older.
      await age(5, 5, 0);
      expect(await snapshots.trim('a', 9, hourMs)).to.equal(4);
      expect(await snapshots.trim('a', 9, hourMs)).to.equal(0);
      await age(5, 5, 2);
      expect(await snapshots.trim('a', 9, hourMs)).to.equal(4);
      expect(await snapshots.trimmable(hourMs)).to.deep.equal([]);
      const { entries, trimmed, forked } = await log.catchUp(new Map([['a', headOf(9)]]));
      expect([entries.length, trimmed, forked]).to.deep.equal([11, [], []]);
      expect((await log.catchUp(new Map([['a', headOf(7)]]))).trimmed).to.deep.equal(['a']);
    });
  });
});
