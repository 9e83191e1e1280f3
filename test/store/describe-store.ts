import { expect } from 'chai';
import type { HostedStore } from '../../src/store/hosted/node/hosted-store.ts';
import { AnsweredBefore } from '../../src/store/commit/superseded.ts';
import type { ServiceTx } from '../../src/store/record/read-transaction.ts';
import type { PlannerError } from '../../src/base/errors.ts';
import type { StoredRecord } from '../../src/store/record/record.ts';
import type { Release } from '../concurrency/held-journal.ts';
import {
  change,
  type Item,
  makeProject,
  meta,
  newItem,
  type TestCollections,
  type TestStore,
} from '../support/plan-store.ts';
import { Random } from '../support/random.ts';

/** The part of a store that the tests call. */
export type TestedStore = Pick<
  TestStore,
  'read' | 'update' | 'createProject' | 'deleteProject' | 'readService' | 'updateService' | 'findAnswer' | 'close'
> &
  Partial<Pick<TestStore, 'check'> & Pick<HostedStore<TestCollections>, 'trim' | 'whenSnapshotsTaken'>>;

/** A store of an implementation over the test collections, with a storage that outlives it. */
export interface StoreWorld {
  open(): Promise<TestedStore>;
  /** Ends the store as a killed process would. */
  kill(store: TestedStore): void;
  /** Removes what only makes an opening faster. */
  dropCaches(): void;
  /** Holds the writes of the log until they are released. */
  hold(): void;
  reached(): Promise<void>;
  release(how: Release): void;
  remove(): void;
  /** Another node over the same storage, if several can serve it. */
  readonly another?: () => Promise<TestedStore>;
  /** Opens the store without snapshots: it replays all entries. */
  readonly replayed?: () => Promise<TestedStore>;
}

/** Snapshots for tests: after some entries; a snapshot makes all entries below it superfluous immediately. */
export const fewEntries = { entries: 10, characters: Infinity, keepMs: 0 } as const;

interface StoreFactory {
  readonly name: string;
  readonly make: () => StoreWorld;
  /** Several nodes serve the same projects: the worlds have `another`. */
  readonly isShared: boolean;
}

const collections = ['project', 'task', 'document', 'folder'] as const;

/** Everything of a project that a reader can see, but for versions. */
function contentOf(store: TestedStore, project: string): Promise<unknown> {
  return store.read(project, (view) => ({
    records: collections.map((name) => [...view.list(name)]),
    incoming: collections.map((name) => Array.from(view.list(name), ({ id }) => unordered(view.incoming(id)))),
    history: [...view.history({})],
    leases: [...view.service.list('leases')],
  }));
}

/** Incoming links are in no order of their own. */
function unordered(items: readonly unknown[]): readonly string[] {
  return items.map((item) => JSON.stringify(item)).sort();
}

/** The state with versions. */
async function stateOf(store: TestedStore, project: string): Promise<unknown> {
  const versions = await store.read(project, (view) => [
    ...collections.map((name) => view.version(name)),
    view.historyVersion,
  ]);
  return { versions, content: await contentOf(store, project) };
}

/** The promises of every store to its callers, by number. Some promises concern stores over a shared log alone. */
export function describeStore({ name, make, isShared }: StoreFactory): void {
  describe(`The store: ${name}`, () => {
    const seed = Number(process.env['PLANNER_TEST_SEED'] ?? 20_260_102);
    let world: StoreWorld;
    let store: TestedStore;
    let project: string;

    beforeEach(async () => {
      world = make();
      store = await world.open();
      project = await makeProject(store);
    });
    afterEach(async () => {
      await store.close();
      world.remove();
    });

    const ifShared = (title: string, why: string, test: (other: TestedStore) => Promise<void>): void => {
      if (isShared)
        it(title, async () => {
          const other = await world.another!();
          await test(other);
          await other.close();
        });
      else it(`${title} (skipped: ${why})`);
    };

    /** One random transaction: records put and removed, links, touches, leases; some are rolled back. */
    async function step(random: Random, items: string[], at = store): Promise<void> {
      const id = items.length === 0 ? undefined : random.pick(items);
      const kind = id === undefined ? 0 : random.integer(0, 6);
      if (kind === 0) items.push((await newItem(at, project, { title: `Item ${items.length}` })).id);
      else if (kind === 1) await change(at, project, 'task', id!, { status: random.pick(['todo', 'done']) });
      else if (kind === 2) await at.update(project, meta, (tx) => tx.touch('task', id!));
      else if (kind === 3) await change(at, project, 'task', id!, { links: linkTo(random.pick(items)) } as never);
      else if (kind === 4 && items.length > 3) {
        items.splice(items.indexOf(id!), 1);
        await at.update(project, meta, (tx) => tx.remove('task', id!));
      } else if (kind === 5) await at.update(project, meta, ({ service }) => service.put('leases', lease(id!)));
      else if (kind === 6)
        await at
          .update(project, meta, (tx) => {
            tx.put('task', { ...tx.get('task', id!)!, title: 'Never' });
            throw new Error('rolled back');
          })
          .catch(() => undefined);
    }

    ifShared(
      '26: runs a rule again whose entry conflicted with that of another node',
      'one process appends',
      async (other) => {
        const { id } = await newItem(store, project, { status: '0' });
        let runs = 0;
        const count = (node: TestedStore): Promise<Item> =>
          node.update(project, meta, (tx) => {
            runs++;
            const item = tx.get('task', id)!;
            return tx.put('task', { ...item, status: String(Number(item.status) + 1) });
          });
        const random = new Random(seed);
        const counting = async (node: TestedStore): Promise<void> => {
          for (let at = 0; at < 20; at++) {
            await count(node);
            // A node that never pauses wins all the time.
            for (let turns = random.integer(0, 30); turns > 0; turns--) await nextTurn();
          }
        };
        await other.read(project, () => undefined);
        await Promise.all([counting(store), counting(other)]);
        for (const node of [store, other])
          await node.read(project, (view) => {
            expect(view.get('task', id)!.status).to.equal('40');
            expect(view.revisions(id)).to.have.length(40);
          });
        expect(runs).to.be.above(40);
        // Several changes that wait on one node: all of them are taken back, newest first, and run again. They
        // are concurrent: any order is right, as long as each continues the one before.
        const first = store.update(project, meta, (tx) => tx.put('task', { ...tx.get('task', id)!, title: 'theirs' }));
        const later = ['a', 'b', 'c'].map((title) =>
          other.update(project, meta, (tx) => tx.put('task', { ...tx.get('task', id)!, title })),
        );
        await Promise.all([first, ...later]);
        const titles = await other.read(project, (view) => [
          view.get('task', id)!.title,
          ...view.revisions(id).flatMap(({ before: { title } }) => (title === undefined ? [] : [title])),
        ]);
        expect(titles).to.have.members(['An item', 'theirs', 'a', 'b', 'c']);
        expect(await contentOf(store, project)).to.deep.equal(await contentOf(other, project));
      },
    );

    ifShared(
      '26: deletes a project and its credentials on all nodes, or on none',
      'one process appends',
      async (other) => {
        const key = { ...lease('key'), project };
        await store.updateService(meta, (tx) => tx.put('keys', key));
        await other.read(project, () => undefined);
        const [, changed] = await Promise.allSettled([
          store.deleteProject(project, meta, (_ofProject, ofService) => ofService.remove('keys', 'key')),
          other.update(project, meta, (tx) => tx.put('project', { ...tx.get('project', project)!, name: 'Kept' })),
          other.updateService(meta, (tx) => tx.put('keys', { ...key, id: 'other' })),
        ]);
        for (const node of [store, other]) {
          const failure: unknown = await node.read(project, () => undefined).catch((error: unknown) => error);
          expect(failure).to.have.property('code', 'not_found');
          expect(await node.readService((view) => Array.from(view.list('keys'), ({ id }) => id))).to.deep.equal([
            'other',
          ]);
        }
        if (changed.status === 'rejected') expect(changed.reason).to.have.property('code', 'not_found');
        project = await makeProject(store);
      },
    );

    ifShared(
      '27: refuses, and answers that nothing changed, by what other nodes have acknowledged',
      'one process appends',
      async (other) => {
        await other.read(project, () => undefined);
        const { id } = await newItem(store, project, { status: 'open' });
        const runs: boolean[] = [];
        const found = await other.update(project, meta, (tx) => {
          const item = tx.get('task', id);
          runs.push(item !== undefined);
          if (item === undefined) throw new Error('There is no such item.');
          return item.status;
        });
        expect([found, runs]).to.deep.equal(['open', [false, true]]);
        await change(store, project, 'task', id, { status: 'done' });
        // Answers without a change: the item is as it is asked to be, or not.
        const closed = await other.update(project, meta, (tx) => tx.get('task', id)!.status === 'done');
        expect(closed).to.equal(true);
        await store.updateService(meta, (tx) => tx.put('keys', lease('k')));
        expect(await other.updateService(meta, (tx) => tx.get('keys', 'k') !== undefined)).to.equal(true);
      },
    );

    it('27: refuses, and answers that nothing changed, by state that is durable', async () => {
      const item = await newItem(store, project, { title: 'One' });
      world.hold();
      const removal = store.update(project, meta, (tx) => tx.remove('task', item.id));
      await world.reached();
      const order: string[] = [];
      const refusal = store
        .update(project, meta, (tx) => {
          if (tx.get('task', item.id) === undefined) throw new Error('There is no such item.');
        })
        .catch((error: unknown) => order.push((error as Error).message));
      const unchanged = store.update(project, meta, () => undefined).then(() => order.push('nothing changed'));
      const read = store.read(project, (view) => view.count('task')).then((count) => order.push(`${count} items`));
      await new Promise((resolve) => setImmediate(resolve));
      expect(order, 'while it is not durable').to.deep.equal([]);
      const removed = removal.then(() => order.push('removed'));
      world.release('through');
      await Promise.all([removed, refusal, unchanged, read]);
      expect(order).to.have.members(['removed', 'There is no such item.', 'nothing changed', '0 items']);
    });

    ifShared('28: has the same tags on every node', 'one node serves a project', async (other) => {
      const random = new Random(seed);
      const items: string[] = [];
      const nodes = [store, other];
      let version = await store.read(project, (view) => view.version('task'));
      for (let round = 0; round < 30; round++) {
        const before = await other.read(project, (view) => view.version('task'));
        await step(random, items, random.pick(nodes));
        const [here, ...there] = await Promise.all(nodes.map((node) => stateOf(node, project)));
        for (const state of there) expect(state).to.deep.equal(here);
        // A version of one node is continued on the other.
        const ids = await other.read(project, (view) => view.since('task', version)!.ids);
        expect(await store.read(project, (view) => view.since('task', version)!.ids)).to.deep.equal(ids);
        expect(ids.size > 0).to.equal((await store.read(project, (view) => view.version('task'))) !== version);
        version = random.pick([version, before]);
        // A node that begins now has them, too.
        if (round % 10 === 9) nodes.push(await world.another!());
      }
      for (const node of nodes.slice(2)) await node.close();
    });

    ifShared('32: has the same state from a snapshot as from all entries', 'files are read instead', async (other) => {
      const random = new Random(seed + 4);
      const items: string[] = [];
      const versions = [await other.read(project, (view) => view.version('task'))];
      const walk = async (steps: number, nodes: readonly TestedStore[]): Promise<void> => {
        for (let at = 0; at < steps; at++) {
          await step(random, items, random.pick(nodes));
          if (random.chance(0.3)) versions.push(await store.read(project, (view) => view.version('task')));
        }
      };
      /** The state with the answers for every former version. */
      const fullStateOf = async (node: TestedStore): Promise<unknown> => {
        const sinces = versions.map((version) => node.read(project, (view) => view.since('task', version)?.ids));
        const keys = await node.readService((view) => [...view.list('keys'), ...view.list('listed_projects')]);
        return [await stateOf(node, project), await Promise.all(sinces), keys];
      };
      for (let at = 0; at < 30; at++) {
        await walk(2, [store, other]);
        const key = { ...lease(`key-${at % 7}`), updated_at: String(at) };
        await store.updateService(meta, (tx) => tx.put('keys', key));
        for (const node of [store, other]) await node.whenSnapshotsTaken!();
      }
      const replayed = await world.replayed!();
      const state = await fullStateOf(replayed);
      expect(await fullStateOf(store)).to.deep.equal(state);
      expect(await store.trim!(), 'entries that are not needed').to.be.above(10);
      const cold = await world.another!();
      expect(await fullStateOf(cold), 'from the snapshot').to.deep.equal(state);
      // All of them continue.
      const nodes = [store, other, replayed, cold];
      await walk(30, nodes);
      const later = await fullStateOf(store);
      for (const node of nodes) expect(await fullStateOf(node)).to.deep.equal(later);
      for (const node of [replayed, cold]) await node.close();
    });

    it('28: returns every change since a version, whatever ran in between', async () => {
      const random = new Random(seed);
      const items: string[] = [];
      const known = new Map<string, StoredRecord>();
      let version = await store.read(project, (view) => view.version('task'));
      for (let round = 0; round < 100; round++) {
        await Promise.all(Array.from({ length: random.integer(1, 3) }, () => step(random, items)));
        await store.read(project, (view) => {
          for (const id of view.since('task', version)?.ids ?? expect.fail('It is not too long ago.')) {
            const record = view.get('task', id);
            if (record === undefined) known.delete(id);
            else known.set(id, record);
          }
          const listed = [...view.list('task')];
          expect(known.size).to.equal(listed.length);
          for (const record of listed) expect(known.get(record.id)).to.equal(record);
          version = view.version('task');
        });
      }
    });

    it('29: leaves records, links, versions and history as they were before changes that were lost', async () => {
      const random = new Random(seed + 1);
      const items: string[] = [];
      for (let round = 0; round < 30; round++) await step(random, items);
      const before = await stateOf(store, project);
      world.hold();
      const lost = Array.from({ length: 10 }, async (_, at) => {
        if (at % 2 === 0) await newItem(store, project, { title: `Lost ${at}` });
        else await change(store, project, 'task', items[at % items.length]!, { title: `Lost ${at}` });
      });
      await world.reached();
      world.release('fail');
      for (const outcome of await Promise.allSettled(lost)) expect(outcome.status).to.equal('rejected');
      expect(await stateOf(store, project)).to.deep.equal(before);
      world.kill(store);
      store = await world.open();
      expect(await contentOf(store, project)).to.deep.equal((before as { content: unknown }).content);
    });

    ifShared('30: has the same state on all nodes after random changes', 'one node serves a project', async (other) => {
      const random = new Random(seed + 3);
      const third = await world.another!();
      const own: [TestedStore, string[]][] = [store, other, third].map((node) => [node, []]);
      for (let round = 0; round < 10; round++)
        await Promise.all(
          own.map(async ([node, items]) => {
            for (let at = random.integer(1, 4); at > 0; at--) await step(random, items, node);
          }),
        );
      const state = await stateOf(store, project);
      for (const node of [other, third, await world.another!()])
        expect(await stateOf(node, project), 'a node that begins now included').to.deep.equal(state);
      await third.close();
    });

    it('32: has the same state after a restart, after a kill and without caches', async () => {
      const random = new Random(seed + 2);
      const items: string[] = [];
      for (let round = 0; round < 6; round++) {
        for (let at = 0; at < 15; at++) await step(random, items);
        const before = await contentOf(store, project);
        if (round % 2 === 0) await store.close();
        else world.kill(store);
        if (round % 3 === 2) world.dropCaches();
        store = await world.open();
        expect(await contentOf(store, project), `round ${round}`).to.deep.equal(before);
        expect(store.check?.() ?? []).to.deep.equal([]);
      }
    });

    const answerOf = (node: TestedStore, id: string): Promise<StoredRecord | undefined> =>
      node.findAnswer('responses', id, '2026-01-01T00:00:00.000Z');

    it('33: has the answer to a call if and only if it has the change, also after a kill', async () => {
      const answered = (id: string): ((tx: { readonly service: ServiceTx }) => void) => {
        return ({ service }) => void service.put('responses', lease(id));
      };
      await store.update(project, meta, answered('unchanged'));
      await store.updateService(meta, (service) => answered('of the service')({ service }));
      const refused = store.update(project, meta, (tx) => {
        answered('refused')(tx);
        throw new Error('Refused.');
      });
      expect(await refused.catch((error: unknown) => error)).to.have.property('message', 'Refused.');
      const made = await store.createProject('Another', meta, (tx) => {
        answered('created')(tx);
        tx.put('project', { id: tx.project, created_at: tx.now, name: 'Another' });
        return tx.project;
      });
      await store.deleteProject(made, meta, (_ofProject, service) => answered('deleted')({ service }));
      for (let round = 0; round < 2; round++) {
        for (const id of ['unchanged', 'of the service', 'created', 'deleted'])
          expect(await answerOf(store, id), id).to.include({ id });
        expect(await answerOf(store, 'refused')).to.equal(undefined);
        world.kill(store);
        store = await world.open();
      }
    });

    ifShared(
      '33: has one of several changes with the same answer, whichever nodes and projects they are of',
      'the store itself looks up answers',
      async (other) => {
        const second = await makeProject(other);
        await Promise.all([store, other].map((node) => node.read(second, () => undefined)));
        for (let round = 0; round < 10; round++) {
          const id = `call ${round}`;
          const call = (node: TestedStore, of: string): Promise<unknown> =>
            node.update(of, meta, (tx) => {
              tx.service.put('responses', lease(id));
              return tx.put('task', { id: tx.newId('task'), created_at: tx.now, title: id } as never);
            });
          const outcomes = await Promise.allSettled([
            ...[call(store, project), call(other, second)],
            ...[call(store, second), call(other, project)],
          ]);
          const lost = outcomes.filter(({ status }) => status === 'rejected');
          expect(lost).to.have.length(3);
          for (const { reason } of lost as readonly PromiseRejectedResult[])
            expect(reason, String(reason)).to.be.instanceOf(AnsweredBefore);
          for (const node of [store, other]) {
            const counts = await Promise.all(
              [project, second].map((of) => node.read(of, (view) => view.count('task'))),
            );
            expect(counts.reduce((sum, count) => sum + count)).to.equal(round + 1);
            expect(await answerOf(node, id)).to.include({ id });
          }
        }
        // The answers are not in memory.
        expect(await store.readService((view) => [...view.list('responses')])).to.deep.equal([]);
      },
    );

    it('34: has a project with a given id of one of the calls that make it at the same time, also after it was deleted [A.returning.one]', async () => {
      const id = 'prj_7k3m9q2c4x8v5b1n';
      const made = (name: string): Promise<string> =>
        store.createProject(
          name,
          meta,
          (tx) => {
            tx.put('project', { id: tx.project, created_at: tx.now, name });
            return name;
          },
          id,
        );
      for (const round of ['first', 'again']) {
        const answers = await Promise.allSettled([made('one'), made('two')]);
        const winners = answers.filter((answer) => answer.status === 'fulfilled');
        expect(winners, round).to.have.length(1);
        for (const answer of answers)
          if (answer.status === 'rejected')
            expect((answer.reason as PlannerError).code, String(answer.reason)).to.equal('conflict');
        await newItem(store, id);
        expect(await store.read(id, (view) => view.get('project', id)!.name)).to.equal(winners[0]!.value);
        await store.deleteProject(id, meta);
      }
    });
  });
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function linkTo(to: string): readonly unknown[] {
  return [{ to, id: undefined, type: 'task' }];
}

function lease(task: string): StoredRecord {
  return { id: task, created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
}
