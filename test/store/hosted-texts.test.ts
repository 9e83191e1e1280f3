import { hash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { PlannerError } from '../../src/base/errors.ts';
import { limits } from '../../src/base/limits.ts';
import { ownTag } from '../../src/operations/pipeline/entity-tag.ts';
import type { HostedOptions } from '../../src/store/hosted/node/hosted-options.ts';
import type { HostedStore } from '../../src/store/hosted/node/hosted-store.ts';
import { linesIn } from '../../src/store/hosted/node/snapshot-parts.ts';
import type { TextStore } from '../../src/store/hosted/storage/text-store.ts';
import type { Append, Appended } from '../../src/store/record/log.ts';
import { lazyHash, withTexts } from '../../src/store/record/lazy-text.ts';
import { MemorySnapshots } from '../support/memory-snapshots.ts';
import { change, type Item, makeProject, meta, newItem, type TestCollections } from '../support/plan-store.ts';
import { Random } from '../support/random.ts';
import { openTestNode } from '../support/test-node.ts';
import { fewEntries } from './describe-store.ts';
import { SimulatedLog, SimulatedLogServer } from './log/simulated-log.ts';

type TestNode = HostedStore<TestCollections>;

const seed = Number(process.env['PLANNER_TEST_SEED'] ?? 20_260_105);

/** A large text that contains its name. */
const large = (name: string, characters = limits.residentTextBytesMax): string =>
  `${name}: ${'é'.repeat(characters / 2)}${name}`;
const sha256Of = (text: string): string => hash('sha256', text, 'hex');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Counts the reads of a node. */
class CountedTexts implements TextStore {
  readonly asked: (readonly string[])[] = [];
  readonly #server: SimulatedLogServer;

  constructor(server: SimulatedLogServer) {
    this.#server = server;
  }

  get(sha256s: readonly string[]): Promise<readonly (string | undefined)[]> {
    this.asked.push(sha256s);
    return this.#server.texts.get(sha256s);
  }
}

/** Appends entries as they were before texts were stored separately. */
class EarlierLog extends SimulatedLog {
  readonly #texts = new Map<string, string>();

  override append({ beside: { texts = [], ...beside } = {}, ...append }: Append): Promise<Appended> {
    for (const { sha256, text } of texts) this.#texts.set(sha256, text);
    const whole = (_: string, value: unknown): unknown => {
      const sha256 = (value as { readonly $text?: string } | null)?.$text;
      return sha256 === undefined ? value : this.#texts.get(sha256);
    };
    const body = JSON.parse(JSON.stringify(append.body), whole) as unknown;
    return super.append({ ...append, body, beside: JSON.parse(JSON.stringify(beside), whole) as typeof beside });
  }
}

describe('The large texts of nodes', () => {
  let server: SimulatedLogServer;
  let snapshots: MemorySnapshots;
  let nodes: TestNode[];
  let node: TestNode;
  let project: string;
  let id: string;

  async function open(
    options: Partial<HostedOptions> = {},
    { log = new SimulatedLog(server), texts = server.texts, from = snapshots } = {},
  ): Promise<TestNode> {
    const opened = await openTestNode({ log, texts, snapshots: from }, { snapshots: fewEntries, ...options });
    nodes.push(opened);
    return opened;
  }

  /** A node that has neither written nor read any of the texts, and its reads of them. */
  async function cold(from = snapshots): Promise<{ readonly node: TestNode; readonly asked: CountedTexts['asked'] }> {
    const texts = new CountedTexts(server);
    return { node: await open({}, { texts, from }), asked: texts.asked };
  }

  const write = (at: TestNode, text: string, of = id): Promise<Item> => change(at, project, 'task', of, { text });

  /** The project as callers see it, with versions, tags and texts. */
  async function stateOf(at: TestNode): Promise<unknown> {
    const state = await at.read(project, (view) => {
      const tasks = [...view.list('task')];
      return {
        versions: [view.version('task'), view.historyVersion, view.cursor],
        tags: tasks.map(ownTag),
        tasks: tasks.map((task) => JSON.stringify(task)),
        revisions: view.revisions(),
      };
    });
    const exported = await at.read(project, (view) => [...view.list('task')]);
    return { ...state, exported: await Promise.all(exported.map(async (task) => withTexts(task))) };
  }

  /** Every node has the same: one that followed, one from the log alone, and one from the newest snapshot. */
  async function expectSame(...others: readonly TestNode[]): Promise<void> {
    await node.whenSnapshotsTaken();
    const state = await stateOf(node);
    const replayed = await cold(new MemorySnapshots());
    const restored = await cold();
    for (const other of [...others, replayed.node, restored.node]) expect(await stateOf(other)).to.deep.equal(state);
  }

  const hashAt = (at: TestNode, of = id): Promise<string | undefined> =>
    at.read(project, (view) => lazyHash(view.get('task', of)!, 'text'));

  async function snapshotLines(): Promise<readonly string[]> {
    const lines: string[] = [];
    const head = snapshots.headsOf(project)[0]!;
    for await (const some of linesIn(snapshots.read(project, head))) lines.push(...some);
    return lines;
  }
  const entriesOf = (): string => JSON.stringify(server.since(new Map([[project, { seq: 0, id: null }]])).entries);

  beforeEach(async () => {
    server = new SimulatedLogServer();
    snapshots = new MemorySnapshots(server);
    nodes = [];
    node = await open();
    project = await makeProject(node);
    ({ id } = await newItem(node, project, { title: 'First', text: large('one') }));
  });
  afterEach(() => Promise.all(nodes.map((one) => one.close())));

  it('are in no entry, no revision and no snapshot, and the same at every node [A.nodes.texts]', async () => {
    const other = await open();
    await stateOf(other);
    await write(node, large('two'));
    await change(other, project, 'task', id, { title: 'Renamed' });
    const removed = await newItem(other, project, { text: large('three') });
    await node.update(project, meta, (tx) => tx.remove('task', removed.id));
    await newItem(node, project, { text: 'a'.repeat(limits.residentTextBytesMax) });
    await newItem(node, project, { text: `\uD800${large('no UTF-8')}` });
    expect(entriesOf())
      .to.include('"$text"')
      .and.not.match(/é(?:one|two|three)"/);
    for (let at = 0; at < 12; at++) await newItem(node, project);
    await expectSame(other);
    const lines = await snapshotLines();
    expect(
      lines.filter((line) => line.length > 2000 && !line.includes('no UTF-8')).map(({ length }) => length),
    ).to.have.length(1);
    expect(server.textHashes).to.have.members([large('one'), large('two'), large('three')].map(sha256Of));
  });

  it('leave the memory of the node that wrote them once they are stored [A.nodes.texts]', async () => {
    const other = await open();
    for (const at of [node, other]) expect(await hashAt(at)).to.equal(sha256Of(large('one')));
    await write(other, large('two'));
    for (const at of [node, other]) expect(await hashAt(at)).to.equal(sha256Of(large('two')));
    const small = await newItem(node, project, { text: 'a'.repeat(limits.residentTextBytesMax) });
    expect(await hashAt(node, small.id)).to.equal(undefined);
  });

  it('are fetched by their readers, and by nothing else [A.nodes.texts]', async () => {
    for (let at = 0; at < 40; at++) await newItem(node, project, { title: `Item ${at}`, text: large(`${at}`) });
    const { node: other, asked } = await cold();
    const runsOf = async (read: (task: Item) => unknown): Promise<readonly [runs: number, results: unknown[]]> => {
      let runs = 0;
      const results = await other.read(project, (view) => (runs++, Array.from(view.list('task'), read)));
      return [runs, results];
    };
    expect(await runsOf(({ title }) => title)).to.have.deep.nested.property('[0]', 1);
    await runsOf(ownTag);
    await change(node, project, 'task', id, { status: 'done' });
    await runsOf(({ title }) => title);
    expect(asked).to.deep.equal([]);
    const [runs, texts] = await runsOf(({ text }) => text);
    expect(texts.slice(1)).to.deep.equal(Array.from({ length: 40 }, (_, at) => large(`${at}`)));
    expect(runs, 'texts that follow are fetched together').to.be.below(10);
    const before = asked.length;
    expect((await runsOf(({ text }) => text))[0]).to.equal(1);
    expect(asked, 'those that were read last are in memory').to.have.length(before);
  });

  it('are read by a change, in one step or in slices, and are not stored again by it [A.nodes.texts]', async () => {
    for (const inSlices of [false, true]) {
      const { node: other, asked } = await cold();
      await (inSlices
        ? other.updateSliced(project, meta, function* (tx) {
            yield;
            const task = tx.get('task', id)!;
            yield;
            return tx.put('task', { ...task, status: 'done' });
          })
        : change(other, project, 'task', id, { status: 'begun' }));
      expect(asked.flat()).to.deep.equal([sha256Of(large('one'))]);
      expect(await hashAt(other)).to.equal(sha256Of(large('one')));
    }
    expect(server.textHashes).to.have.length(1);
    await expectSame();
  });

  it('of changes that lost leave no trace, and their rules run again [A.nodes.texts]', async () => {
    const other = await open();
    const random = new Random(seed);
    const append = async (at: TestNode, letter: string): Promise<void> => {
      for (let left = 8; left > 0; left--)
        await at.update(project, meta, (tx) => {
          const task = tx.get('task', id)!;
          const text = random.chance(0.3) ? task.text : `${task.text}${letter}`;
          return tx.put('task', { ...task, text, title: `${letter} ${left}` });
        });
    };
    await Promise.all([append(node, 'a'), append(other, 'b'), append(node, 'c'), append(other, 'd')]);
    expect(node.measures().reruns + other.measures().reruns).to.be.above(0);
    await expectSame(other);
    const all = await node.read(project, (view) => [
      view.get('task', id)!.text,
      ...view.revisions(id).map(({ before }) => before['text'] as string),
    ]);
    for (const text of all.filter((one) => one !== undefined)) expect(server.textHashes).to.include(sha256Of(text));
    await node
      .update(project, meta, (tx) => {
        tx.put('task', { ...tx.get('task', id)!, text: large('refused') });
        throw new Error('no');
      })
      .catch(() => undefined);
    expect(server.textHashes).to.not.include(sha256Of(large('refused')));
    await expectSame(other);
  });

  it('that are changed back and forth are stored once each [A.nodes.texts]', async () => {
    const other = await open();
    for (const name of ['two', 'one', 'two', 'one']) await write(name === 'two' ? node : other, large(name));
    await Promise.all([write(node, large('two')), write(node, 'small'), write(node, large('two'))]);
    expect(server.textHashes).to.have.members([large('one'), large('two')].map(sha256Of));
    const before = await node.read(project, (view) => view.revisions(id).map((revision) => revision.before['text']));
    const [one, two] = [large('one'), large('two')];
    expect(before).to.deep.equal(['small', two, one, two, one, two, one]);
    await expectSame(other);
  });

  it('that several projects have are stored once [A.nodes.texts]', async () => {
    const second = await makeProject(node, 'Second');
    const copy = await newItem(node, second, { text: large('one') });
    expect(server.textHashes).to.have.length(1);
    const { node: other } = await cold();
    expect(await other.read(second, (view) => view.get('task', copy.id)!.text)).to.equal(large('one'));
    await node.deleteProject(second, meta);
    await expectSame(other);
  });

  it('of entries and snapshots that contain them are read as before, and leave memory with a change [A.nodes.texts]', async () => {
    const earlier = await open({}, { log: new EarlierLog(server) });
    const old = await newItem(earlier, project, { text: large('old') });
    await write(earlier, large('older'), old.id);
    expect(entriesOf()).to.include(large('older'));
    const hashes = server.textHashes;
    for (let at = 0; at < 12; at++) await newItem(node, project);
    const { node: restored, asked } = await cold();
    expect(await hashAt(restored, old.id)).to.equal(undefined);
    await expectSame(restored);
    expect(await restored.read(project, (view) => view.get('task', old.id)!.text)).to.equal(large('older'));
    expect(asked.flat()).to.not.include(sha256Of(large('older')));
    expect(server.textHashes).to.deep.equal(hashes);
    await change(restored, project, 'task', old.id, { title: 'Renamed' });
    for (const at of [node, restored]) expect(await hashAt(at, old.id)).to.equal(sha256Of(large('older')));
    await write(node, large('newer'), old.id);
    await expectSame(restored);
  });

  /** Adds items with texts of this length. */
  async function addLarge(count: number, characters: number): Promise<void> {
    for (let at = 0; at < count; at += 10)
      await node.update(project, meta, (tx) => {
        for (let of = at; of < at + 10; of++)
          tx.put('task', {
            ...{ id: tx.newId('task'), created_at: tx.now, title: `Item ${of}`, status: 'todo', owner: null },
            ...{ text: `${of} ${'x'.repeat(characters)}`, tags: [], links: [] },
          });
      });
  }

  it('leave the heap of the node that wrote them, but for the last ones [A.nodes.texts]', async () => {
    collect();
    const before = process.memoryUsage().heapUsed;
    await addLarge(150, 500_000);
    for (const sha256 of server.textHashes) server.loseText(sha256);
    collect();
    expect((process.memoryUsage().heapUsed - before) / 1024 ** 2).to.be.below(40);
  });

  it('take no memory of a project, however many there are [A.nodes.texts]', async () => {
    const characters = 500_000;
    await addLarge(200, characters);
    for (let at = 0; at < 12; at++) await newItem(node, project);
    await node.whenSnapshotsTaken();
    for (const from of [snapshots, new MemorySnapshots()]) {
      const small = await open({ memoryBytes: 4 * 1024 * 1024 }, { from });
      const read = (): Promise<number> =>
        small.read(project, (view) => view.get('task', [...view.list('task')].at(-20)!.id)!.text.length);
      expect(await read()).to.be.above(characters);
      expect(small.inMemory()).to.deep.equal([project]);
      expect(small.measures().replicaBytes).to.be.below(2 * 1024 * 1024);
    }
    expect(node.measures().replicaBytes).to.be.below(2 * 1024 * 1024);
  });

  it('that the database has lost are unavailable, and everything else is served [A.nodes.texts]', async () => {
    await newItem(node, project, { title: 'Second', text: large('two') });
    server.loseText(sha256Of(large('one')));
    const { node: other } = await cold();
    const error = await other
      .read(project, (view) => view.get('task', id)!.text)
      .catch((thrown: unknown) => thrown as PlannerError);
    expect(error).to.be.instanceOf(PlannerError).with.property('code', 'unavailable');
    expect((error as PlannerError).message).to.include(sha256Of(large('one')));
    const [, second] = await other.read(project, (view) => [...view.list('task')]);
    expect(await other.read(project, (view) => view.get('task', second!.id)!.text)).to.equal(large('two'));
    await change(other, project, 'task', second!.id, { title: 'Changed' });
  });
});
