import { expect } from 'chai';
import { PlannerError } from '../../src/base/errors.ts';
import type { HostedStore } from '../../src/store/hosted/node/hosted-store.ts';
import type { RevisionStore } from '../../src/store/hosted/storage/revision-store.ts';
import type { Append, Appended } from '../../src/store/record/log.ts';
import type { EntryBody } from '../../src/store/record/entry.ts';
import type { Revision } from '../../src/store/record/record.ts';
import { MemorySnapshots } from '../support/memory-snapshots.ts';
import { change, makeProject, meta, newItem, type TestCollections } from '../support/plan-store.ts';
import { openTestNode } from '../support/test-node.ts';
import { fewEntries } from './describe-store.ts';
import { SimulatedLog, SimulatedLogServer } from './log/simulated-log.ts';

type TestNode = HostedStore<TestCollections>;

/** Counts the reads of a node. */
class CountedRevisions implements RevisionStore {
  readonly asked: (readonly string[])[] = [];
  readonly #server: SimulatedLogServer;

  constructor(server: SimulatedLogServer) {
    this.#server = server;
  }

  get(project: string, ids: readonly string[]): Promise<readonly (Revision | undefined)[]> {
    this.asked.push(ids);
    return this.#server.revisions.get(project, ids);
  }
}

/** Appends entries as they were before values were stored separately. */
class EarlierLog extends SimulatedLog {
  override append({ beside: { revisions, ...beside } = {}, ...append }: Append): Promise<Appended> {
    const body = append.body as EntryBody;
    return super.append({ ...append, beside, body: { ...body, revisions: revisions ?? [] } });
  }
}

const titles = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `Title ${at}`);

describe('The revisions of nodes', () => {
  let server: SimulatedLogServer;
  let snapshots: MemorySnapshots;
  let nodes: TestNode[];
  let node: TestNode;
  let project: string;
  let id: string;

  async function open(log = new SimulatedLog(server), revisions: RevisionStore = server.revisions): Promise<TestNode> {
    const opened = await openTestNode({ log, revisions, snapshots }, { snapshots: fewEntries });
    nodes.push(opened);
    return opened;
  }

  /** A node that has made and read no revisions, and its reads of them. */
  async function cold(): Promise<{ readonly node: TestNode; readonly asked: CountedRevisions['asked'] }> {
    const revisions = new CountedRevisions(server);
    return { node: await open(undefined, revisions), asked: revisions.asked };
  }

  const retitle = async (at: TestNode, all: readonly string[]): Promise<void> => {
    for (const title of all) await change(at, project, 'task', id, { title });
  };
  const historyOf = (at: TestNode): Promise<readonly Revision[]> => at.read(project, (view) => view.revisions(id));
  async function streamedBy(at: TestNode): Promise<readonly Revision[]> {
    const found: Revision[] = [];
    for await (const some of await at.read(project, (view) => view.streamHistory({}))) found.push(...some);
    return found;
  }

  beforeEach(async () => {
    server = new SimulatedLogServer();
    snapshots = new MemorySnapshots(server);
    nodes = [];
    node = await open();
    project = await makeProject(node);
    ({ id } = await newItem(node, project, { title: 'First' }));
  });
  afterEach(() => Promise.all(nodes.map((one) => one.close())));

  it('are in no entry and no snapshot with their values', async () => {
    await retitle(node, ['A secret title', ...titles(20)]);
    const other = await newItem(node, project, { text: 'A secret text' });
    await node.update(project, meta, (tx) => tx.remove('task', other.id));
    await node.whenSnapshotsTaken();
    const { entries } = server.since(new Map([[project, { seq: 0, id: null }]]));
    const revisions = entries.flatMap(({ body }) => (body as EntryBody).revisions);
    expect(revisions).to.have.length(22);
    for (const revision of revisions)
      expect(revision).to.have.all.keys('at', 'id', 'target', 'target_type', 'author', 'fields', 'size');
    expect(snapshots.headsOf(project)).not.to.deep.equal([]);
    const { node: another, asked } = await cold();
    expect(await historyOf(another)).to.deep.equal(await historyOf(node));
    expect(asked.flat()).to.include.members(server.revisionIds(project).slice(0, 21));
    expect(await streamedBy(another)).to.deep.equal(await streamedBy(node));
  });

  it('that a node has made are read from its memory', async () => {
    const { node: maker, asked } = await cold();
    await retitle(maker, titles(10));
    const [newest] = await historyOf(maker);
    expect(newest?.before).to.deep.equal({ title: 'Title 8' });
    expect(asked).to.deep.equal([]);
  });

  it('are listed without their values from memory alone', async () => {
    await retitle(node, titles(5));
    const { node: other, asked } = await cold();
    const listed = await other.read(project, (view) => [...view.historySummaries({ target: id })]);
    expect(asked).to.deep.equal([]);
    const whole = await historyOf(node);
    expect(listed).to.deep.equal(whole.map(({ before: _, after: __, ...summary }) => summary));
  });

  it('of one record are fetched together, and once', async () => {
    await retitle(node, titles(9));
    const { node: other, asked } = await cold();
    const first = await other.read(project, (view) => view.history({ target: id }).next().value as Revision);
    expect(first.before).to.deep.equal({ title: 'Title 7' });
    expect(asked).to.have.length(1);
    expect(asked[0]).to.have.length(9);
    // The simulated server answers three at a time.
    await historyOf(other);
    expect(asked.map(({ length }) => length)).to.deep.equal([9, 6, 3]);
    await historyOf(other);
    await streamedBy(other);
    expect(asked).to.have.length(3);
  });

  it('are read by a change, in one step or in slices, of a node that does not have them', async () => {
    await retitle(node, titles(2));
    for (const inSlices of [false, true]) {
      const { node: other } = await cold();
      const restored = inSlices
        ? other.updateSliced(project, meta, function* (tx) {
            yield;
            const { before } = tx.revisions(id).at(-1)!;
            yield;
            return tx.put('task', { ...tx.get('task', id)!, ...before });
          })
        : other.update(project, meta, (tx) =>
            tx.put('task', { ...tx.get('task', id)!, ...tx.revisions(id).at(-1)!.before }),
          );
      expect((await restored).title).to.equal('First');
      await retitle(other, ['Again']);
    }
    expect(await historyOf(node)).to.have.length(6);
  });

  it('leave no trace of a change that lost, and of its rule that ran again', async () => {
    const { node: other } = await cold();
    await Promise.all([retitle(node, titles(5)), retitle(other, titles(5)), retitle(node, titles(5))]);
    const all = await historyOf(node);
    expect(server.revisionIds(project)).to.have.members(all.map((revision) => revision.id));
    await node
      .update(project, meta, (tx) => {
        tx.put('task', { ...tx.get('task', id)!, title: 'Refused' });
        throw new Error('no');
      })
      .catch(() => undefined);
    expect(server.revisionIds(project)).to.have.length(all.length);
  });

  it('of entries that contain their values stay in memory and in snapshots', async () => {
    await node.close();
    const earlier = await open(new EarlierLog(server));
    await retitle(earlier, titles(20));
    await earlier.close();
    expect(server.revisionIds(project)).to.deep.equal([]);
    snapshots.clear();
    const { node: replayed, asked } = await cold();
    const before = await historyOf(replayed);
    expect(before.map((revision) => revision.before)).to.deep.equal(
      ['First', ...titles(19)].map((title) => ({ title })).toReversed(),
    );
    await retitle(replayed, ['New']);
    await retitle(replayed, titles(20));
    await replayed.whenSnapshotsTaken();
    server.trimBelow(project, snapshots.headsOf(project).at(-1)!.seq);
    const { node: restarted } = await cold();
    for (const one of [replayed, restarted]) {
      const history = await historyOf(one);
      expect(history.slice(-before.length)).to.deep.equal(before);
      expect(history).to.have.length(before.length + 21);
      expect(await streamedBy(one)).to.deep.equal(history);
    }
    expect(asked).to.deep.equal([]);
  });

  it('that the database has lost are unavailable, and others are read', async () => {
    await retitle(node, titles(4));
    const lost = server.revisionIds(project)[1]!;
    server.loseRevision(project, lost);
    const { node: other } = await cold();
    for (const read of [historyOf, streamedBy]) {
      const error = await read(other).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(PlannerError);
      expect((error as PlannerError).code).to.equal('unavailable');
      expect((error as PlannerError).message).to.contain(lost);
    }
    expect((await other.read(project, (view) => view.revision(server.revisionIds(project)[0]!)))?.before).to.deep.equal(
      {
        title: 'First',
      },
    );
  });
});
