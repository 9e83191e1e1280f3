import { expect } from 'chai';
import type { HostedStore } from '../../src/store/hosted/node/hosted-store.ts';
import type { HostedOptions } from '../../src/store/hosted/node/hosted-options.ts';
import type { SnapshotSize } from '../../src/store/hosted/storage/snapshot-store.ts';
import { SnapshotTaker } from '../../src/store/hosted/node/snapshot-taker.ts';
import type { ServiceCollectionSpec } from '../../src/store/replica/service-records.ts';
import type { DescribeEntry } from '../../src/store/record/feed.ts';
import type { StoredRecord } from '../../src/store/record/record.ts';
import { MemorySnapshots } from '../support/memory-snapshots.ts';
import {
  change,
  type Item,
  makeProject,
  meta,
  newItem,
  optionsOf,
  type TestCollections,
} from '../support/plan-store.ts';
import { openTestNode } from '../support/test-node.ts';
import { fewEntries } from './describe-store.ts';
import { SimulatedLog, SimulatedLogServer } from './log/simulated-log.ts';

type Node = HostedStore<TestCollections>;

const lease = (id: string): StoredRecord => ({ id, created_at: '2026-01-01', updated_at: '2026-01-01' });
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** `describe` null: without feeds. */
type OpenOptions = Partial<Omit<HostedOptions, 'describe'>> & { readonly describe?: DescribeEntry | null };

const describeEntry: DescribeEntry = ({ changes }) =>
  changes.map(({ c, id }) => ({ type: `${c}.changed`, resource: { type: c, id, label: null }, changes: [] }));

describe('Snapshots of logs', () => {
  let server: SimulatedLogServer;
  let snapshots: MemorySnapshots;
  let logs: Map<Node, SimulatedLog>;
  let reports: string[];
  let store: Node;
  let project: string;

  async function open({ describe = describeEntry, ...options }: OpenOptions = {}): Promise<Node> {
    const log = new SimulatedLog(server);
    const node = await openTestNode(
      { log, snapshots },
      {
        ...(describe && { describe }),
        snapshots: fewEntries,
        report: (message) => reports.push(message),
        ...options,
      },
    );
    logs.set(node, log);
    return node;
  }

  beforeEach(async () => {
    [server, logs, reports] = [new SimulatedLogServer(), new Map(), []];
    snapshots = new MemorySnapshots(server);
    store = await open();
    project = await makeProject(store);
  });
  afterEach(async () => {
    for (const [node, log] of logs) {
      log.resume();
      await node.close();
    }
  });

  /** Entries of the project, each with an item and a lease, and of the service. Waits for each snapshot of them. */
  async function grow(entries: number, node = store): Promise<Item[]> {
    const items: Item[] = [];
    for (let at = 0; at < entries; at++) {
      const item = await newItem(node, project, { title: `Item ${at}` });
      items.push(item);
      await node.update(project, meta, ({ service }) => service.put('leases', lease(item.id)));
      await node.updateService(meta, (tx) => tx.put('keys', lease(item.id)));
      await node.whenSnapshotsTaken();
    }
    return items;
  }

  const stateOf = (node: Node): Promise<unknown> =>
    node.read(project, (view) => ({
      tasks: [...view.list('task')],
      history: [...view.history({})],
      versions: [view.version('task'), view.version('project'), view.historyVersion],
      leases: [...view.service.list('leases')],
      size: view.storedBytes,
    }));
  const keysOf = (node: Node): Promise<readonly string[]> =>
    node.readService((view) => Array.from(view.list('keys'), ({ id }) => id));
  const codeOf = (read: Promise<unknown>): Promise<unknown> =>
    read.then(
      () => undefined,
      (error: unknown) => (error as { code?: string }).code,
    );

  it('are of one moment, whatever changes while they are written', async () => {
    const items = await grow(2);
    const put = snapshots.put.bind(snapshots);
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    snapshots.put = async (log, head, parts) => {
      if (log !== project) return put(log, head, parts);
      begun.resolve();
      await held.promise;
      return put(log, head, parts);
    };
    for (let at = 0; at < 10; at++) await newItem(store, project);
    await begun.promise;
    for (const { id } of items) await change(store, project, 'task', id, { title: 'Changed meanwhile' });
    await store.update(project, meta, (tx) => tx.remove('task', items[0]!.id));
    held.resolve();
    await store.whenSnapshotsTaken();
    const [head] = snapshots.headsOf(project);
    expect(server.firstOf(project)).to.equal(1);
    server.trimBelow(project, head!.seq);
    expect(await stateOf(await open())).to.deep.equal(await stateOf(store));
  });

  it('are ignored if they are damaged, with a report, and the log is read instead', async () => {
    await grow(22);
    const state = await stateOf(store);
    const kept = (log: string): number => snapshots.headsOf(log).length;
    expect([kept(project), kept('$service') > 0]).to.deep.equal([2, true]);
    const damages: readonly ((parts: readonly Uint8Array[]) => Uint8Array[])[] = [
      (parts) => parts.map((part) => part.slice(0, part.length - 20)),
      (parts) => parts.map((part) => part.map((byte, at) => (at === 100 ? byte ^ 1 : byte))),
      (parts) => parts.map(() => new Uint8Array()),
      (parts) => parts.map(() => Buffer.from('{}')),
      () => [],
    ] as const;
    for (const damage of damages) {
      snapshots.damage(damage);
      reports = [];
      expect(await stateOf(await open())).to.deep.equal(state);
      for (const log of [project, '$service'])
        expect(new Set(reports.filter((report) => report.includes(`snapshot of ${log}`)))).to.have.property(
          'size',
          kept(log),
        );
    }
    expect(await store.trim(), 'nothing is removed that only they have').to.equal(0);
  });

  it('are replaced by the older one if the newest is damaged', async () => {
    await grow(12);
    const [, older] = snapshots.headsOf(project);
    await store.trim();
    expect(server.firstOf(project)).to.equal(older!.seq);
    snapshots.damage(() => [], 'newest');
    const node = await open();
    expect(await stateOf(node)).to.deep.equal(await stateOf(store));
    expect(await keysOf(node)).to.deep.equal(await keysOf(store));
  });

  it('let a node continue whose next entries were removed', async () => {
    const items = await grow(12);
    const paused = await open();
    logs.get(paused)!.pause();
    const waiting = newItem(paused, project, { title: 'Of a node that was paused' });
    for (const { id } of items.slice(0, 6))
      await store.update(project, meta, ({ service }) => service.remove('leases', id));
    for (const { id } of items.slice(0, 6)) await store.updateService(meta, (tx) => tx.remove('keys', id));
    await grow(12);
    expect(await store.trim()).to.be.above(10);
    logs.get(paused)!.resume();
    expect((await waiting).title).to.equal('Of a node that was paused');
    expect(await stateOf(paused)).to.deep.equal(await stateOf(store));
    expect(await keysOf(paused)).to.deep.equal(await keysOf(store));
    await change(paused, project, 'task', items[7]!.id, { title: 'Continued' });
    expect(await stateOf(store)).to.deep.equal(await stateOf(paused));
    expect(reports.join()).to.match(/does not continue .* \(trimmed\); it is loaded again/);
  });

  it('are not needed for a project whose log has another history: it is loaded again', async () => {
    const items = await grow(3);
    const backup = server.copy();
    await change(store, project, 'task', items[0]!.id, { title: 'Lost' });
    await store.update(project, meta, ({ service }) => service.put('leases', lease('lost')));
    server.restore(backup);
    expect(await codeOf(stateOf(store))).to.equal(undefined);
    const other = await open();
    expect(await stateOf(store)).to.deep.equal(await stateOf(other));
    await change(store, project, 'task', items[1]!.id, { title: 'Later' });
    expect(await stateOf(other)).to.deep.equal(await stateOf(store));
  });

  it('are not used after the end of a log that was restored', async () => {
    await grow(3);
    const backup = server.copy();
    await Promise.all(Array.from({ length: 12 }, () => newItem(store, project)));
    await store.whenSnapshotsTaken();
    server.restore(backup);
    const other = await open();
    expect(await stateOf(other)).to.deep.equal(await stateOf(store));
    expect(await other.read(project, (view) => view.count('task'))).to.equal(3);
  });

  /** The records of the service, and the projects that it has. */
  const serviceOf = async (node: Node): Promise<unknown> => {
    const keys = await keysOf(node);
    await node.whenKnown();
    return [keys, [...node.projects()].sort()];
  };

  for (const { title, entries } of [
    { title: 'is shorter', entries: 0 },
    { title: 'has other entries by then', entries: 5 },
  ])
    it(`are not needed for the service's records if their log ${title}: they are loaded again`, async () => {
      await grow(1);
      const backup = server.copy();
      await store.updateService(meta, (tx) => tx.put('keys', lease('lost')));
      await store.updateService(meta, (tx) => tx.remove('keys', 'lost'));
      await store.updateService(meta, (tx) => tx.put('keys', lease('lost as well')));
      const lost = await makeProject(store, 'Lost');
      server.restore(backup);
      const other = await open();
      for (let at = 0; at < entries; at++)
        await other.updateService(meta, (tx) => tx.put('keys', lease(`of the other node ${at}`)));
      expect(await keysOf(store)).to.have.length(1 + entries);
      expect(await serviceOf(store)).to.deep.equal(await serviceOf(other));
      expect(await codeOf(store.read(lost, (view) => view.count('task')))).to.equal('not_found');
      expect(await stateOf(store)).to.deep.equal(await stateOf(other));
      await store.updateService(meta, (tx) => tx.put('keys', lease('later')));
      const made = await makeProject(store, 'Made later');
      await newItem(store, made);
      expect(await serviceOf(other)).to.deep.equal(await serviceOf(store));
      expect(store.measures().forks).to.be.above(0);
    });

  it("are not used for the service's records after the end of a log that was restored", async () => {
    await grow(12);
    const backup = server.copy();
    for (let at = 0; at < 30; at++) {
      await store.updateService(meta, (tx) => tx.put('keys', lease(`lost ${at}`)));
      await store.whenSnapshotsTaken();
    }
    expect(snapshots.headsOf('$service').every(({ seq }) => seq > 13)).to.equal(true);
    server.restore(backup);
    expect(await keysOf(store)).to.have.length(12);
    expect(await keysOf(await open())).to.deep.equal(await keysOf(store));
    expect(await stateOf(store)).to.deep.equal(await stateOf([...logs.keys()].at(-1)!));
  });

  it("leave the node with nothing to serve if none has the service's records and their log is not whole", async () => {
    await grow(30);
    await store.trim();
    expect(server.firstOf('$service')).to.be.above(1);
    const backup = server.copy();
    await store.updateService(meta, (tx) => tx.put('keys', lease('lost')));
    server.restore(backup);
    snapshots.read = (log) => expect.fail(`The snapshot of ${log} is damaged.`);
    for (const call of [() => keysOf(store), () => stateOf(store), () => newItem(store, project)])
      expect(await codeOf(call())).to.equal('unavailable');
    expect(reports.join()).to.contain("The database has not all of the service's own records");
  });

  it('leave one project unavailable, and no other, if none can be read and the log is not whole', async () => {
    const other = await makeProject(store, 'Other');
    await grow(12);
    await store.trim();
    const taken = snapshots.headsOf(project);
    const read = snapshots.read.bind(snapshots);
    snapshots.read = (log, head) => read(log === project ? 'none' : log, head);
    const node = await open();
    expect(await codeOf(stateOf(node))).to.equal('unavailable');
    expect(await codeOf(newItem(node, project))).to.equal('unavailable');
    expect(await node.read(other, (view) => view.count('task'))).to.equal(0);
    expect(await keysOf(node)).to.deep.equal(await keysOf(store));
    expect(taken).to.have.length(2);
  });

  it('leave it unavailable, not unknown, to calls that wait for a node that has it in memory', async () => {
    await grow(12);
    const paused = await open();
    await stateOf(paused);
    logs.get(paused)!.pause();
    const waiting = [newItem(paused, project), stateOf(paused), paused.deleteProject(project, meta)];
    await grow(12);
    expect(await store.trim()).to.be.above(10);
    snapshots.read = (log) => expect.fail(`The snapshot of ${log} is damaged.`);
    logs.get(paused)!.resume();
    const codes = await Promise.all(waiting.map(codeOf));
    expect([...codes, await codeOf(newItem(paused, project))]).to.deep.equal(Array(4).fill('unavailable'));
  });

  it('are required once the log of the service is not whole: no node begins without one', async () => {
    await grow(30);
    await store.trim();
    expect(server.firstOf('$service')).to.be.above(1);
    snapshots.damage(() => []);
    expect(await codeOf(open())).to.equal('unavailable');
    expect(await keysOf(store)).to.have.length(30);
  });

  it('have the records of service collections that only another release knows', async () => {
    const newer: readonly ServiceCollectionSpec[] = [
      ...(optionsOf('/').serviceCollections ?? []),
      { name: 'marks', placement: 'project' },
    ];
    const node = await open({ serviceCollections: newer });
    for (const id of ['a', 'b', 'c'])
      await node.update(project, meta, ({ service }) => service.put('marks', lease(id)));
    await node.update(project, meta, ({ service }) => service.remove('marks', 'b'));
    await node.close();
    await grow(12);
    await store.trim();
    const later = await open({ serviceCollections: newer });
    const marks = later.read(project, (view) => Array.from(view.service.list('marks'), ({ id }) => id));
    expect(await marks).to.deep.equal(['a', 'c']);
  });

  it('have the last events of the feed: cursors that they do not reach have expired', async () => {
    const query = { limit: 1000, accepts: () => true };
    const events = (node: Node, cursor: string | undefined): Promise<unknown> =>
      node.read(project, (view) => view.events(cursor, query));
    const cursorOf = (node: Node): Promise<string | undefined> => node.read(project, (view) => view.cursor);
    const cursors = [await cursorOf(store)];
    for (let at = 0; at < 3; at++) {
      await grow(5);
      cursors.push(await cursorOf(store));
    }
    expect(await store.trim()).to.be.above(0);
    const cold = await open();
    for (const cursor of cursors) expect(await events(cold, cursor)).to.deep.equal(await events(store, cursor));
    // The snapshots of a node without feeds have no events.
    const silent = await open({ describe: null });
    await grow(15, silent);
    const after = await open();
    for (const cursor of cursors) expect(await events(after, cursor)).to.equal(undefined);
    expect(await events(after, await cursorOf(store))).to.deep.include({ events: [], more: false });
  });

  it('are taken by one of the nodes that find one due, and stored once', async () => {
    const other = await open();
    const stored: boolean[] = [];
    const put = snapshots.put.bind(snapshots);
    snapshots.put = async (log, head, parts) => {
      const isStored = await put(log, head, parts);
      stored.push(isStored);
      return isStored;
    };
    await grow(30);
    await other.read(project, () => undefined);
    await other.whenSnapshotsTaken();
    // 61 entries of the project and 31 of the service: every ten of them, or a few later.
    expect(stored.length).to.be.within(3, 10);
    expect(snapshots.headsOf(project)).to.have.length(2);
    expect(await stateOf(await open())).to.deep.equal(await stateOf(other));
  });

  describe('are due', () => {
    let taken: number[];
    let failures: string[];
    let isBroken: boolean;
    let size: SnapshotSize | undefined;
    let taker: SnapshotTaker;
    let head: number;

    beforeEach(() => {
      [taken, failures, isBroken, size, head] = [[], [], false, undefined, 0];
      taker = new SnapshotTaker({
        store: {
          ...{ heads: () => Promise.resolve(new Map()), read: () => expect.fail(), trim: () => expect.fail() },
          trimmable: () => expect.fail(),
          summaries: () => expect.fail(),
          putSummaries: () => expect.fail(),
          beginnings: () => expect.fail(),
          put: (_log, { seq }) => {
            taken.push(seq);
            return isBroken ? Promise.reject(new Error('No space left.')) : Promise.resolve(true);
          },
        },
        settings: { entries: 80, characters: 1000, keepMs: 0 },
        sizeOf: () => size,
        capture: (log) => Promise.resolve({ log, head: { seq: head, id: 'x' }, lines: [[], []] }),
        report: (message) => failures.push(message),
      });
    });
    afterEach(() => taker.close());

    /** The entries at which snapshots were taken. */
    async function note(entries: number, characters = 1, isOwn = true): Promise<readonly number[]> {
      taken = [];
      for (let at = 0; at < entries; at++) {
        taker.noted('a', ++head, { characters, isOwn });
        await nextTurn();
        await taker.idle();
      }
      return taken;
    }

    it('after entries or characters, and again a little later if storing them failed', async () => {
      isBroken = true;
      expect(await note(79)).to.deep.equal([]);
      expect(await note(20)).to.deep.equal([80, 90]);
      expect(failures).to.deep.equal(Array(2).fill('No snapshot of a was stored: No space left.'));
      isBroken = false;
      expect(await note(2)).to.deep.equal([100]);
      expect(await note(98, 1, false), 'left to the node that appended').to.deep.equal([]);
      expect(await note(1, 1, false)).to.deep.equal([200]);
      expect(await note(2, 600)).to.deep.equal([202]);
    });

    it('of a large project when a quarter as much follows the last one, up to a limit', async () => {
      size = { lines: 800, characters: 12_000 };
      expect(await note(200)).to.deep.equal([200]);
      expect(await note(249, 1, false), 'left to the node that appended').to.deep.equal([]);
      expect(await note(1, 1, false)).to.deep.equal([450]);
      expect(await note(4, 1000)).to.deep.equal([453]);
      size = { lines: 1_000_000, characters: 1_000_000_000 };
      expect(await note(398)).to.deep.equal([]);
      expect(await note(1)).to.deep.equal([853]);
      expect(await note(5, 1000)).to.deep.equal([858]);
    });
  });
});
