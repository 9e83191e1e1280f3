import { expect } from 'chai';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PlannerError } from '../../src/base/errors.ts';
import { type FaultyDisk, faultyDisk } from '../support/faulty-disk.ts';
import { describeItems, faultsOf, ItemFold } from '../support/item-events.ts';
import { makeProject, meta, newItem, openStore, rescanTwice, type TestStore } from '../support/plan-store.ts';
import { nextTurn } from '../../src/base/slices.ts';
import { powerCutDisk, type PowerCutDisk } from '../support/power-cut-disk.ts';
import { Random, roundsOf } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { scratchDirectory } from '../support/scratch.ts';

/** Ids that Planner made elsewhere: imported records keep them. */
const ids = ['prj_7k3m9q2c4x8v5b1n', 'prj_8k3m9q2c4x8v5b1n'] as const;
const taskOf = (project: string, n: number): string => `tsk_${project.slice(4, 10)}${n}k3m9q2c4x`;

describe('A project that was deleted and comes back with its ids', () => {
  const scratch = scratchDirectory();
  let store: TestStore;
  let power: PowerCutDisk;
  let disk: FaultyDisk;
  const open = async (): Promise<void> => {
    // Small segments: the journal begins new ones and lets old ones go within a few changes.
    disk = faultyDisk({ disk: power });
    store = await openStore(scratch.path, { disk, describe: describeItems, segmentBytes: 4096 });
  };
  const boot = (bootId: string): void => {
    power = { ...powerCutDisk(scratch.path), bootId: () => bootId };
  };
  const kill = async (): Promise<void> => {
    store.abandon();
    await nextTurn();
    disk.closeAll();
  };
  beforeEach(async () => {
    boot('first');
    await open();
  });
  afterEach(async () => {
    await store.close();
    disk.closeAll();
  });

  const create = (id: string, titles: readonly string[], name = 'Back'): Promise<string> =>
    store.createProject(
      name,
      meta,
      (tx) => {
        tx.put('project', { id: tx.project, created_at: tx.now, name });
        for (const [n, title] of titles.entries())
          tx.put('task', {
            ...{ id: taskOf(id, n), created_at: tx.now, title, status: 'todo', owner: null, text: '' },
            ...{ tags: [], links: [] },
          });
        return tx.project;
      },
      id,
    );
  const titlesOf = (id: string): Promise<string[]> =>
    store.read(id, (view) => [...view.list('task')].map(({ title }) => title).sort());
  const codeOf = (change: Promise<unknown>): Promise<string> =>
    change.then(
      () => 'done',
      (error: unknown) => {
        if (error instanceof PlannerError) return error.code;
        throw error;
      },
    );
  const projects = (): string => join(scratch.path, '.planner/projects');
  const trash = (): string => join(scratch.path, '.planner/local/trash');
  const directoryOf = (id: string): string => join(projects(), store.directoryOf(id)!);

  /** Writes to another project go on, and nothing is wrong anywhere. */
  async function expectSound(others: string): Promise<void> {
    await newItem(store, others);
    expect(store.status().writable).to.equal(true);
    await store.flush();
    expect(store.check()).to.deep.equal([]);
  }

  for (const flushed of [true, false])
    it(`is there again, also after a restart, ${flushed ? 'with its former files written' : 'with nothing written yet'} [A.returning.same]`, async () => {
      const others = await makeProject(store, 'Others');
      const [id] = ids;
      await create(id, ['first', 'gone']);
      if (flushed) await store.flush();
      await store.deleteProject(id, meta);
      await create(id, ['second']);
      await newItem(store, id, { title: 'third' });
      expect(await titlesOf(id)).to.deep.equal(['second', 'third']);
      if (flushed) await store.flush();
      await kill();
      await open();
      expect(await titlesOf(id)).to.deep.equal(['second', 'third']);
      await store.deleteProject(id, meta);
      await store.close();
      await open();
      await create(id, ['fourth']);
      await expectSound(others);
      await store.close();
      await open();
      expect(await titlesOf(id)).to.deep.equal(['fourth']);
    });

  it('is made by one of two imports at the same time, and the other one is refused alone [A.returning.one]', async () => {
    const others = await makeProject(store, 'Others');
    const sliced = (title: string): Promise<string> =>
      store.createProjectSliced(
        'Back',
        meta,
        function* (tx) {
          tx.put('project', { id: tx.project, created_at: tx.now, name: title });
          yield;
          return title;
        },
        ids[0],
      );
    for (const round of ['new', 'returning']) {
      const answers = await Promise.allSettled([sliced('one'), sliced('two'), create(ids[0], [round])]);
      const made = answers.filter(({ status }) => status === 'fulfilled');
      expect(made, round).to.have.length(1);
      for (const answer of answers)
        if (answer.status === 'rejected') expect((answer.reason as PlannerError).code).to.equal('conflict');
      expect(store.projects()).to.have.members([ids[0], others]);
      await expectSound(others);
      await store.deleteProject(ids[0], meta);
    }
  });

  it('stays where its directory was restored from the trash, also after a restart [A.returning.same]', async () => {
    const others = await makeProject(store, 'Others');
    const [id] = ids;
    await create(id, ['first']);
    await store.flush();
    const name = store.directoryOf(id)!;
    await store.deleteProject(id, meta);
    renameSync(join(trash(), readdirSync(trash())[0]!), join(projects(), name));
    await store.rescan();
    expect(await titlesOf(id)).to.deep.equal(['first']);
    await newItem(store, id, { title: 'second' });
    await kill();
    await open();
    expect(await titlesOf(id)).to.deep.equal(['first', 'second']);
    await expectSound(others);
  });

  /** Creates, deletes and loses projects with the same ids in any order, between ends of the service of every kind. */
  async function comeAndGo(steps: number): Promise<void> {
    const random = Random.announced('returning projects');
    const others = await makeProject(store, 'Others');
    const model = new Map<string, string[]>();
    let folds = new Map<string, ItemFold>();
    let made = 0;
    /** True if a follower may have to begin again, because changes in between are unknown. */
    let mayForget = false;
    let returned = 0;
    const former = new Set<string>();
    const title = (): string => `Item ${++made}`;
    const anyServed = (): string | undefined => (model.size === 0 ? undefined : random.pick([...model.keys()]));
    const isLost = async (end: () => Promise<void> | void): Promise<void> => {
      await end();
      await open();
    };
    const actions: Record<string, () => Promise<unknown>> = {
      create: async () => {
        const [id, titles] = [random.pick(ids), Array.from({ length: random.integer(0, 2) }, title)];
        const known = model.has(id);
        const name = random.pick(['Back', 'Other name']);
        expect(await codeOf(create(id, titles, name)), `create ${id}`).to.equal(known ? 'conflict' : 'done');
        if (!known) model.set(id, titles);
        if (former.has(id)) returned++;
        former.add(id);
      },
      delete: async () => {
        const id = random.pick(ids);
        expect(await codeOf(store.deleteProject(id, meta))).to.equal(model.delete(id) ? 'done' : 'not_found');
      },
      write: async () => {
        const id = anyServed();
        if (id === undefined) return;
        model.get(id)!.push(title());
        await newItem(store, id, { title: model.get(id)!.at(-1)! });
      },
      'remove by hand': async () => {
        const id = anyServed();
        if (id === undefined) return;
        await store.flush();
        rmSync(directoryOf(id), { recursive: true });
        // Or a power failure may bring it back.
        disk.syncDirectory(projects());
        await rescanTwice(store);
        model.delete(id);
      },
      flush: () => store.flush(),
      restart: () => {
        mayForget = false;
        return isLost(() => store.close());
      },
      'restart without the cache': () =>
        isLost(async () => {
          mayForget = true;
          await store.close();
          rmSync(join(scratch.path, '.planner/local/index-cache'));
        }),
      kill: () => isLost(kill),
      'cut the power': () => {
        mayForget = true;
        return isLost(async () => {
          await kill();
          power.cut({ data: 'mixed', names: random.pick(['kept', 'lost', 'some']) }, random);
          boot(`boot ${++made}`);
        });
      },
    };
    const log: string[] = [];
    for (let step = 0; step < steps; step++) {
      const name = random.pick(Object.keys(actions));
      log.push(name);
      const where = log.join(', ');
      try {
        await actions[name]!();
        await newItem(store, others);
        expect(store.status().writable, where).to.equal(true);
        expect([...store.projects()].sort(), where).to.deep.equal([...model.keys(), others].sort());
        for (const [id, titles] of model) {
          expect(await titlesOf(id), where).to.deep.equal([...titles].sort());
          const fold = folds.get(id) ?? new ItemFold();
          expect(await faultsOf(store, id, fold), where).to.deep.equal([]);
          if (!mayForget) expect(fold.expired, where).to.equal(0);
          fold.expired = 0;
          folds.set(id, fold);
        }
        folds = new Map([...folds].filter(([id]) => model.has(id)));
      } catch (error) {
        (error as Error).message += ` after ${where}`;
        throw error;
      }
    }
    await expectSound(others);
    reached('projects that came back with their ids', returned);
  }

  it('comes and goes any number of times, whatever ends the service [A.returning.same, A.returning.others]', async function () {
    this.timeout(60_000);
    await comeAndGo(roundsOf(40));
  });
});
