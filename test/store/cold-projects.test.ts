import { expect } from 'chai';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { HostedOptions } from '../../src/store/hosted/node/hosted-options.ts';
import type { HostedStore } from '../../src/store/hosted/node/hosted-store.ts';
import type { SharedLog } from '../../src/store/hosted/storage/shared-log.ts';
import type { DescribeEntry } from '../../src/store/record/feed.ts';
import type { CaughtUp, Head } from '../../src/store/record/log.ts';
import { HeldLog } from '../support/held-log.ts';
import { MemoryBlobs } from '../support/memory-blobs.ts';
import { MemorySnapshots } from '../support/memory-snapshots.ts';
import { change, makeProject, meta, newItem, type TestCollections } from '../support/plan-store.ts';
import { ManualClock, skippingClock } from '../support/manual-clock.ts';
import { openTestNode } from '../support/test-node.ts';
import { soon } from '../hosted/nodes.ts';
import { fewEntries } from './describe-store.ts';
import { SimulatedLog, SimulatedLogServer } from './log/simulated-log.ts';

type Node = HostedStore<TestCollections>;

const describeEntry: DescribeEntry = ({ changes }) =>
  changes.map(({ c, id }) => ({ type: `${c}.changed`, resource: { type: c, id, label: null }, changes: [] }));
const all = { limit: 100, accepts: () => true };
const named = (id: string): { id: string; created_at: string; updated_at: string } => ({
  ...{ id, created_at: '2026-01-01', updated_at: '2026-01-01' },
});

/** A log that notes up to where a node knows a project when it asks for the first time. */
class NotedLog extends HeldLog {
  readonly #first = new Map<string, number>();

  override catchUp(known: ReadonlyMap<string, Head>): Promise<CaughtUp> {
    for (const [project, { seq }] of known) if (!this.#first.has(project)) this.#first.set(project, seq);
    return super.catchUp(known);
  }

  /** The projects in the order in which it asks for them. */
  get order(): readonly string[] {
    return [...this.#first.keys()];
  }

  firstKnown(projects: readonly string[]): readonly (number | undefined)[] {
    return projects.map((project) => this.#first.get(project));
  }
}

describe('Projects that are not in memory', () => {
  let [server, blobs, nodes] = [new SimulatedLogServer(), new MemoryBlobs(), [] as Node[]];
  let snapshots: MemorySnapshots;
  /** The writer has every project that it makes in memory. */
  let writer: Node;

  async function open(
    options: Partial<HostedOptions> = {},
    log: SharedLog = new SimulatedLog(server),
    how: 'open' | 'begin' = 'open',
  ): Promise<Node> {
    const { answers, revisions, texts } = new SimulatedLog(server);
    const node = await openTestNode(
      { log, answers, revisions, texts, blobs, snapshots },
      { describe: describeEntry, snapshots: fewEntries, ...options },
      how,
    );
    nodes.push(node);
    return node;
  }

  beforeEach(async () => {
    [server, blobs, nodes] = [new SimulatedLogServer(), new MemoryBlobs(), []];
    snapshots = new MemorySnapshots(server);
    writer = await open();
  });
  afterEach(async () => {
    for (const node of nodes) await node.close();
  });

  async function several(count: number): Promise<string[]> {
    for (let at = 0; at < count; at++) await makeProject(writer, `Project ${at}`);
    // Projects of one millisecond are in the order of their ids.
    return [...writer.projects()];
  }

  const titles = (node: Node, project: string): Promise<string[]> =>
    node.read(project, (view) => Array.from(view.list('task'), ({ title }) => title));

  it('are listed, and loaded by the calls that name them [A.nodes.memory]', async () => {
    const [first, second] = (await several(2)) as [string, string];
    await newItem(writer, first, { title: 'Seen' });
    const node = await open();
    expect(node.projects()).to.deep.equal([first, second]);
    const names = await node.readAll((views) => views.map((view) => view.get('project', view.project)?.name));
    expect(names).to.have.members(['Project 0', 'Project 1']);
    expect(node.inMemory()).to.deep.equal([]);
    expect(await titles(node, first)).to.deep.equal(['Seen']);
    expect(node.inMemory()).to.deep.equal([first]);
  });

  it('are begun after a start: those that calls name before others, and all before a call that needs all [A.nodes.start]', async () => {
    const ids = await several(601);
    await newItem(writer, ids[600]!, { title: 'Seen' });
    await newItem(writer, ids[599]!, { id: 'chosen', title: 'By its id' });
    const listed = await writer.readService((view) => Array.from(view.list('listed_projects'), ({ id }) => id));
    const begin = (log: NotedLog): Promise<Node> => open({}, log, 'begin');
    const log = new NotedLog(new SimulatedLog(server));
    const node = await begin(log);
    expect(node.projects()).to.deep.equal([]);
    const last = listed.at(-1)!;
    expect(await node.read(last, (view) => view.project)).to.equal(last);
    expect(log.order.filter((project) => listed.includes(project)).indexOf(last)).to.equal(0);
    expect(await node.readAll((views) => views.length)).to.equal(601);
    const others = await Promise.all([1, 2, 3].map(() => begin(new NotedLog(new SimulatedLog(server)))));
    expect(await others[0]!.locateDurably((locate) => locate('chosen'))).to.deep.equal([ids[599]]);
    expect(await others[1]!.readAll((views) => views.length)).to.equal(601);
    expect(await titles(others[2]!, ids[600]!)).to.deep.equal(['Seen']);
    expect(others[2]!.peekAll((views) => views.length)).to.be.oneOf([undefined, 601]);
  });

  it('are begun by their summaries, which nodes store while they change them, and not by their logs [A.nodes.start]', async () => {
    const quick: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms / 50, run) };
    const busy = await open({ clock: quick });
    const [first, second] = (await several(2)) as [string, string];
    await busy.readAll(() => undefined);
    await newItem(busy, first, { title: 'Seen' });
    await newItem(busy, second, { id: 'chosen', title: 'By its id' });
    await busy.update(first, meta, ({ service }) => service.put('leases', named('lease')));
    const isWhole = (project: string): boolean => {
      const seq = snapshots.summarised.get(project) ?? 0;
      return server.at(project, seq) !== undefined && server.at(project, seq + 1) === undefined;
    };
    while (![first, second].every(isWhole)) await soon(1);
    const reports: string[] = [];
    /** Up to where a node that starts knows the projects when it asks for their entries. */
    const readAtStart = async (): Promise<readonly (number | undefined)[]> => {
      const log = new NotedLog(new SimulatedLog(server));
      const node = await open({ report: (message) => reports.push(message) }, log);
      expect(node.projects()).to.deep.equal([first, second]);
      const names = await node.readAll((views) => views.map((view) => view.get('project', view.project)?.name));
      expect(names).to.have.members(['Project 0', 'Project 1']);
      expect(await node.readService((view) => [view.get('leases', 'lease')?.id])).to.deep.equal(['lease']);
      expect(node.inMemory()).to.deep.equal([]);
      expect(await node.locateDurably((locate) => locate('chosen'))).to.deep.equal([second]);
      expect(await titles(node, first)).to.deep.equal(['Seen']);
      return log.firstKnown([first, second]);
    };
    const stored = [first, second].map((project) => snapshots.summarised.get(project)!);
    expect(await readAtStart()).to.deep.equal(stored);
    // The rest of its log follows.
    await newItem(writer, second, { title: 'Later' });
    expect(await readAtStart()).to.deep.equal(stored);
    expect(reports).to.deep.equal([]);
    snapshots.damageSummaries((text) => text.slice(0, -3));
    expect(await readAtStart()).to.deep.equal([0, 0]);
    expect(reports.filter((report) => report.includes('summary'))).to.have.length(2);
    await Promise.all(nodes.map((node) => node.whenSnapshotsTaken()));
  });

  it('are dropped when they are too much, the longest unused first, and changed as before [A.nodes.memory]', async () => {
    const projects = await several(4);
    for (const project of projects) await newItem(writer, project, { title: 'a'.repeat(10_000) });
    const node = await open({ memoryBytes: 100_000 });
    for (const project of [...projects, projects[1]!]) await titles(node, project);
    expect(node.inMemory()).to.have.members([projects[3], projects[1]]);
    for (const project of projects) {
      await newItem(node, project, { title: 'Changed' });
      expect(await titles(writer, project)).to.include('Changed');
    }
  });

  it('are dropped if other nodes change them and no call came for a minute [A.nodes.memory]', async () => {
    const [changed, left, used] = (await several(3)) as [string, string, string];
    const clock = skippingClock();
    const node = await open({ clock });
    for (const project of [changed, left, used]) await titles(node, project);
    clock.skip(61_000);
    await titles(node, used);
    for (const project of [changed, used]) await newItem(writer, project, { title: 'Elsewhere' });
    while (node.inMemory().includes(changed)) await soon(5);
    expect(node.inMemory()).to.have.members([left, used]);
    await newItem(node, changed, { title: 'Here' });
    expect(await titles(writer, changed)).to.have.members(['Elsewhere', 'Here']);
  });

  it('are found by the ids of their records, also by those that a caller chose [A.nodes.memory]', async () => {
    const [first, second] = (await several(2)) as [string, string];
    const { id } = await newItem(writer, first);
    await newItem(writer, second, { id: 'chosen-1' });
    for (const state of ['log', 'snapshot'] as const) {
      if (state === 'snapshot') for (let at = 0; at < 12; at++) await newItem(writer, second);
      await writer.whenSnapshotsTaken();
      const node = await open({ memoryBytes: 0 });
      expect(await node.locateDurably((locate) => locate('chosen-1')), state).to.deep.equal([second]);
      expect(await node.locateDurably((locate) => locate(id)), state).to.deep.equal([first]);
      expect(
        await node.locateDurably((locate) => locate(`${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`)),
        state,
      ).to.deep.equal([]);
    }
  });

  it('keep the records of the service that their logs have, as other nodes change them [A.nodes.memory]', async () => {
    const [first, second] = (await several(2)) as [string, string];
    const lease = (node: Node, id: string): Promise<unknown> =>
      node.update(first, meta, ({ service }) => service.put('leases', named(id)));
    await lease(writer, 'before');
    const node = await open({ memoryBytes: 0 });
    const leases = (): Promise<string[]> =>
      node.readService((records) => Array.from(records.list('leases'), ({ id }) => id));
    await lease(writer, 'while cold');
    expect(await leases()).to.deep.equal(['before', 'while cold']);
    await lease(node, 'of its own');
    // The project leaves memory.
    await titles(node, second);
    expect(node.inMemory()).to.not.include(first);
    await writer.update(first, meta, ({ service }) => service.remove('leases', 'before'));
    expect(await leases()).to.have.members(['while cold', 'of its own']);
    await writer.deleteProject(first, meta);
    expect(node.projects()).to.include(first);
    await node.readAll(() => undefined);
    expect(node.projects()).to.deep.equal([second]);
  });

  it('are followed at each turn if a caller follows their events, else at every eighth [A.nodes.memory, A.nodes.events]', async () => {
    const [project, followed] = (await several(2)) as [string, string];
    const clock = new ManualClock();
    const log = new SimulatedLog(server);
    const asked = new Set<string>();
    const catchUp = log.catchUp.bind(log);
    log.catchUp = (known) => {
      for (const name of known.keys()) asked.add(name);
      return catchUp(known);
    };
    const node = await openTestNode({ log, blobs, snapshots }, { describe: describeEntry, memoryBytes: 0, clock });
    nodes.push(node);
    const turns = (count: number): Promise<void> => clock.pass(count * 250);
    await turns(1);
    let events = 0;
    node.onEvents(followed, () => void events++);
    for (const one of [project, followed]) await newItem(writer, one);
    asked.clear();
    await turns(2);
    expect([...asked])
      .to.include(followed)
      .and.not.include(project);
    expect(events).to.equal(1);
    await turns(7);
    expect([...asked]).to.include(project);
  });

  it('continue cursors of their events [A.nodes.memory]', async () => {
    const [project, other] = (await several(2)) as [string, string];
    for (let at = 0; at < 30; at++) await newItem(writer, project);
    const cursors = await writer.read(project, (view) =>
      view.events(undefined, all)!.events.map(({ cursor }) => cursor),
    );
    await writer.whenSnapshotsTaken();
    const node = await open({ memoryBytes: 0 });
    const after = (cursor: string): Promise<string[] | undefined> =>
      node.readAll((views) =>
        views
          .find((view) => view.project === project)!
          .events(cursor, all)
          ?.events.map((event) => event.cursor),
      );
    const latest = (): string | undefined => node.peek(project, (view) => view.cursor);
    expect(latest()).to.equal(cursors.at(-1));
    for (const from of [29, 12, 1]) {
      await titles(node, other);
      expect(await after(cursors[from]!)).to.deep.equal(cursors.slice(from + 1));
    }
    await titles(node, other);
    const { id } = await newItem(writer, project);
    await node.readAll(() => undefined);
    const events = node.peek(project, (view) => view.events(cursors.at(-1), all)!.events);
    expect(events?.map(({ event }) => event.resource.id)).to.deep.equal([id]);
    expect(node.inMemory()).to.not.include(project);
  });

  it('are loaded by a read of all records as far as they fit, and it says if they do not [A.nodes.memory]', async () => {
    const projects = await several(3);
    const node = await open();
    const seen = (near?: string, at = node): Promise<unknown> =>
      at.readAll(
        (views, _, isWhole) => [views.map(({ project }) => project), isWhole],
        near === undefined ? {} : { near },
      );
    expect(await seen()).to.deep.equal([projects, true]);
    const full = await open({ memoryBytes: 0 });
    expect(await seen(undefined, full)).to.deep.equal([[], false]);
    const { id } = await newItem(writer, projects[1]!);
    expect(await seen(`what ${id} means`, full)).to.deep.equal([[projects[1]], false]);
  });

  it('are loaded from the log alone if their snapshots are lost, while others change them [A.nodes.memory]', async () => {
    const [project] = (await several(1)) as [string];
    const made = await Promise.all(Array.from({ length: 40 }, (_, at) => newItem(writer, project, { title: `${at}` })));
    await writer.whenSnapshotsTaken();
    const node = await open({ memoryBytes: 0 });
    snapshots.clear();
    const changes = made.map(({ id }) => change(writer, project, 'task', id, { owner: 'Ada' }));
    const read = titles(node, project);
    await Promise.all(changes);
    expect(await read).to.have.length(40);
    const owners = await node.read(project, (view) => new Set(Array.from(view.list('task'), ({ owner }) => owner)));
    expect([...owners]).to.deep.equal(['Ada']);
  });
});
