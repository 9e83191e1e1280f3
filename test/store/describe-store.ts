import { expect } from 'chai';
import type { StoredRecord } from '../../src/store/record/record.ts';
import type { Release } from '../concurrency/held-journal.ts';
import { change, makeProject, meta, newItem, type TestStore } from '../support/plan-store.ts';
import { Random } from '../support/random.ts';

/** A store of an implementation over the test collections, with a storage that outlives it. */
export interface StoreWorld {
  open(): Promise<TestStore>;
  /** Ends the store as a killed process would. */
  kill(store: TestStore): void;
  /** Removes what only makes an opening faster. */
  dropCaches(): void;
  /** Holds the writes of the log until they are released. */
  hold(): void;
  reached(): Promise<void>;
  release(how: Release): void;
  remove(): void;
}

interface StoreFactory {
  readonly name: string;
  readonly make: () => StoreWorld;
  /** Several nodes serve the same projects, and the store comes with the tests of that. */
  readonly isShared: boolean;
}

const collections = ['project', 'task', 'document', 'folder'] as const;

/** Everything of a project that a reader can see, but for versions. */
function contentOf(store: TestStore, project: string): Promise<unknown> {
  return store.read(project, (view) => ({
    records: collections.map((name) => [...view.list(name)]),
    incoming: collections.map((name) => [...view.list(name)].map(({ id }) => view.incoming(id))),
    history: [...view.history({})],
    leases: [...view.service.list('leases')],
  }));
}

/** The same with versions. */
async function stateOf(store: TestStore, project: string): Promise<unknown> {
  const versions = await store.read(project, (view) => [
    ...collections.map((name) => view.version(name)),
    view.historyVersion,
  ]);
  return { versions, content: await contentOf(store, project) };
}

/** What every store promises its callers. Some promises concern stores over a shared log alone. */
export function describeStore({ name, make, isShared }: StoreFactory): void {
  describe(`The store: ${name}`, () => {
    const seed = Number(process.env['PLANNER_TEST_SEED'] ?? 20_260_102);
    let world: StoreWorld;
    let store: TestStore;
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

    const ifShared = (title: string, why: string): void => {
      if (isShared) it(title, () => expect.fail('A store over a shared log comes with this test.'));
      else it(`${title} (skipped: ${why})`);
    };

    /** One random transaction: records put and removed, links, touches, leases; some are rolled back. */
    async function step(random: Random, items: string[]): Promise<void> {
      const id = items.length === 0 ? undefined : random.pick(items);
      const kind = id === undefined ? 0 : random.integer(0, 6);
      if (kind === 0) items.push((await newItem(store, project, { title: `Item ${items.length}` })).id);
      else if (kind === 1) await change(store, project, 'task', id!, { status: random.pick(['todo', 'done']) });
      else if (kind === 2) await store.update(project, meta, (tx) => tx.touch('task', id!));
      else if (kind === 3) await change(store, project, 'task', id!, { links: linkTo(random.pick(items)) } as never);
      else if (kind === 4 && items.length > 3) {
        items.splice(items.indexOf(id!), 1);
        await store.update(project, meta, (tx) => tx.remove('task', id!));
      } else if (kind === 5) await store.update(project, meta, ({ service }) => service.put('leases', lease(id!)));
      else if (kind === 6)
        await store
          .update(project, meta, (tx) => {
            tx.put('task', { ...tx.get('task', id!)!, title: 'Never' });
            throw new Error('rolled back');
          })
          .catch(() => undefined);
    }

    ifShared('runs a rule again whose entry conflicted with that of another node', 'one process appends');

    it('refuses, and answers that nothing changed, by state that is durable', async () => {
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

    ifShared('has the same tags on every node', 'one node serves a project');

    it('returns every change since a version, whatever ran in between', async () => {
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

    it('leaves records, links, versions and history as they were before changes that were lost', async () => {
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

    ifShared('has the same state on all nodes after random changes', 'one node serves a project');

    it('has the same state after a restart, after a kill and without caches', async () => {
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
        expect(store.check()).to.deep.equal([]);
      }
    });
  });
}

function linkTo(to: string): readonly unknown[] {
  return [{ to, id: undefined, type: 'task' }];
}

function lease(task: string): StoredRecord {
  return { id: task, created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
}
