import { expect } from 'chai';
import type { Clock } from '../../src/base/clock.ts';
import { AnsweredBefore } from '../../src/store/commit/superseded.ts';
import type { HostedStore } from '../../src/store/hosted/node/hosted-store.ts';
import { LogClock } from '../../src/store/hosted/storage/log-clock.ts';
import type { SharedLog } from '../../src/store/hosted/storage/shared-log.ts';
import type { Append, Appended, CaughtUp, Head } from '../../src/store/record/log.ts';
import { HeldLog } from '../support/held-log.ts';
import { change, makeProject, meta, newItem } from '../support/plan-store.ts';
import type { TestCollections } from '../support/plan-store.ts';
import { openTestNode } from '../support/test-node.ts';
import { SimulatedLog, SimulatedLogServer } from './log/simulated-log.ts';

type TestNode = HostedStore<TestCollections>;

/** A log whose questions can be asked late, and whose answers can arrive late. */
class AskedLog extends HeldLog {
  /** Called before each question; it is asked once this resolves. */
  onAsk: (known: ReadonlyMap<string, Head>) => Promise<unknown> = () => Promise.resolve();

  /** Called with each answer to an append; it arrives once this resolves. */
  onAppended: () => Promise<void> = () => Promise.resolve();

  /** An outcome of an append that is not sent. */
  outcomeOf: (append: Append) => Appended | undefined = () => undefined;

  override async append(append: Append): Promise<Appended> {
    const outcome = this.outcomeOf(append) ?? (await super.append(append));
    await this.onAppended();
    return outcome;
  }

  override async catchUp(known: ReadonlyMap<string, Head>): Promise<CaughtUp> {
    await this.onAsk(known);
    return super.catchUp(known);
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Nodes over one log', () => {
  let server: SimulatedLogServer;
  let nodes: TestNode[];

  beforeEach(() => {
    server = new SimulatedLogServer();
    nodes = [];
  });
  afterEach(() => Promise.all(nodes.map((node) => node.close())));

  async function open(log: SharedLog = new SimulatedLog(server)): Promise<TestNode> {
    const node = await openTestNode({ log });
    nodes.push(node);
    return node;
  }

  const asked = (): AskedLog => new AskedLog(new SimulatedLog(server));

  it('run a rule again that was refused because of a change which was taken back', async () => {
    const log = asked();
    const [node, other] = [await open(log), await open()];
    const project = await makeProject(other);
    const { id } = await newItem(other, project);
    await node.read(project, () => undefined);
    log.hold(() => undefined);
    const titled = change(node, project, 'task', id, { title: 'Taken' });
    const refused = node.update(project, meta, (tx) => {
      const { title } = tx.get('task', id)!;
      throw new Error(`It is called ${title}.`);
    });
    await change(other, project, 'task', id, { status: 'done' });
    await change(other, project, 'task', id, { title: 'Theirs' });
    log.release('through');
    const [, refusal] = await Promise.allSettled([titled, refused]);
    expect((refusal as PromiseRejectedResult).reason).to.have.property('message', 'It is called Taken.');
    expect(await other.read(project, (view) => view.get('task', id)!.title)).to.equal('Taken');
  });

  it('refuse by their state once they have asked, however quickly others append', async () => {
    const log = asked();
    const [node, other] = [await open(log), await open()];
    const project = await makeProject(other);
    const { id } = await newItem(other, project);
    await node.read(project, () => undefined);
    let appended = 0;
    log.onAsk = () => change(other, project, 'task', id, { title: `Title ${appended++}` });
    const refusal: unknown = await node
      .update(project, meta, (tx) => {
        throw new Error(tx.get('task', id)!.title);
      })
      .catch((error: unknown) => error);
    log.onAsk = () => Promise.resolve();
    expect(refusal).to.have.property('message', 'Title 0');
  });

  it('take back changes that build on a change that came too late, and nothing else', async () => {
    const log = asked();
    const [node, other] = [await open(log), await open()];
    const project = await makeProject(other);
    const { id } = await newItem(other, project);
    await node.read(project, () => undefined);
    log.hold(() => undefined);
    // All of them have the log of the service or the log of the project, but the change rests on none of the others.
    const made = makeProject(node, 'New');
    let runs = 0;
    const changed = node.update(project, meta, (tx) => {
      runs++;
      tx.put('task', { ...tx.get('task', id)!, title: 'Changed' });
    });
    const deleted = node.deleteProject(project, meta);
    await other.updateService(meta, (tx) => tx.put('keys', { id: 'k', created_at: '', updated_at: '' }));
    const late = Promise.withResolvers<void>();
    log.onAppended = () => late.promise;
    log.release('through');
    await made;
    late.resolve();
    await Promise.all([changed, deleted]);
    expect(runs).to.equal(1);
    expect(node.status().writable).to.equal(true);
    for (const one of [node, other])
      expect(await one.readAll((views) => views.map(({ project: at }) => at))).to.deep.equal([await made]);
  });

  it('wait for a change although a later one was refused before', async () => {
    const log = asked();
    const node = await open(log);
    const project = await makeProject(node);
    const { id } = await newItem(node, project);
    log.hold(() => undefined);
    const changed = change(node, project, 'task', id, { title: 'Changed' });
    log.outcomeOf = ({ body }) =>
      JSON.stringify(body).includes('Refused') ? { is: 'missing', blobs: ['0'] } : undefined;
    const refusal: unknown = await change(node, project, 'task', id, { title: 'Refused' }).catch(
      (error: unknown) => error,
    );
    expect(refusal).to.have.property('code', 'invalid_argument');
    let isReleased = false;
    const read = node.read(project, (view) => view.get('task', id)!.title).then((title) => [title, isReleased]);
    for (let turns = 0; turns < 20; turns++) await nextTurn();
    isReleased = true;
    log.release('through');
    await changed;
    expect(await read).to.deep.equal(['Changed', true]);
  });

  it('ask first for entries of others to a project in which they have just lost a place', async () => {
    const outcomes: string[] = [];
    const counting = async (): Promise<TestNode> => {
      const log = asked();
      const node = await open(log);
      const append = log.append.bind(log);
      log.append = async (entry) => {
        const appended = await append(entry);
        outcomes.push(appended.is);
        return appended;
      };
      return node;
    };
    const [one, two] = [await counting(), await counting()];
    const project = await makeProject(one);
    const { id } = await newItem(one, project);
    for (const node of [one, two]) await node.read(project, () => undefined);
    outcomes.length = 0;
    for (let at = 0; at < 6; at++)
      await change(at % 2 === 0 ? one : two, project, 'task', id, { title: `Title ${at}` });
    // Each of them loses once.
    expect(outcomes).to.deep.equal(['ok', 'conflict', 'ok', 'conflict', 'ok', 'ok', 'ok', 'ok']);
  });

  it('answer although a project was loaded, and its log trimmed, while they asked for later entries', async function () {
    this.timeout(10_000);
    const log = asked();
    const other = await open();
    const project = await makeProject(other);
    const { id } = await newItem(other, project);
    const node = await open(log);
    const [isAsked, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    log.onAsk = (known) => {
      if (!known.has(project)) return Promise.resolve();
      log.onAsk = () => Promise.resolve();
      isAsked.resolve();
      return late.promise;
    };
    const read = node.read(project, (view) => view.get('task', id)!.title);
    await isAsked.promise;
    await node.read(project, () => undefined);
    for (const title of ['Next', 'Last']) await change(other, project, 'task', id, { title });
    await node.read(project, () => undefined);
    server.trim();
    late.resolve();
    expect(await read).to.equal('Last');
  });

  it('know that a call made a project before they have loaded it', async () => {
    const log = asked();
    const [node, other] = [await open(log), await open()];
    const create = (at: TestNode): Promise<string> =>
      at.createProject('Once', meta, (tx) => {
        tx.service.put('responses', { id: 'call', created_at: tx.now, updated_at: tx.now });
        tx.put('project', { id: tx.project, created_at: tx.now, name: 'Once' });
        return tx.project;
      });
    const made = await create(other);
    const loads = Promise.withResolvers<void>();
    const loading = Promise.withResolvers<void>();
    log.onAsk = async (known) => {
      if (!known.has(made)) return;
      loading.resolve();
      await loads.promise;
    };
    const read = node.readService(() => undefined);
    await loading.promise;
    const again = create(node).catch((error: unknown) => error);
    // The call is at the end of its turn.
    await nextTurn();
    loads.resolve();
    expect(await again).to.be.instanceOf(AnsweredBefore);
    await read;
    expect(node.projects()).to.deep.equal([made]);
    // Also after the project is gone, at a node that never had it.
    await other.deleteProject(made, meta);
    const third = await open();
    expect(await create(third).catch((error: unknown) => error)).to.be.instanceOf(AnsweredBefore);
    expect(await third.findAnswer('responses', 'call', '')).to.include({ id: 'call' });
    expect(third.projects()).to.deep.equal([]);
  });

  it('take the time from the log as soon as it has answered, although their own clocks are ahead', () => {
    let passed = 0;
    const clock = new LogClock({ now: () => 7_000 + passed, monotonic: () => passed } as Clock);
    expect(clock.now()).to.equal(7_000);
    clock.answered(1_000);
    passed = 5;
    expect(clock.now()).to.equal(1_005);
    clock.answered(900);
    expect(clock.now(), 'it does not step back').to.equal(1_005);
  });
});
