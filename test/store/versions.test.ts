import { expect } from 'chai';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { Delta } from '../../src/store/record/read-transaction.ts';
import { limits } from '../../src/base/limits.ts';
import { change, makeProject, meta, newItem, newPage, openStore, projectDirectory } from '../support/plan-store.ts';
import type { Item, TestCollections, TestStore } from '../support/plan-store.ts';
import { scratchDirectory } from '../support/scratch.ts';

type Name = 'project' | 'task' | 'document' | 'folder';
const names: readonly Name[] = ['project', 'task', 'document', 'folder'];

describe('The time of changes', () => {
  const scratch = scratchDirectory();

  it('ascends over restarts although the clock was set back a little, so that lists keep the order of creation', async () => {
    let aheadMs = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    const created: string[] = [];
    let store = await openStore(scratch.path, { clock });
    const project = await makeProject(store);
    for (const how of ['stopped', 'killed', 'stopped'] as const) {
      for (const title of ['First', 'Second']) created.push((await newItem(store, project, { title })).id);
      if (how === 'stopped') await store.close();
      else store.abandon();
      aheadMs -= 5000;
      store = await openStore(scratch.path, { clock });
    }
    created.push((await newItem(store, project)).id);
    const listed = await store.read(project, (view) => [...view.list('task')]);
    expect(listed.map(({ id }) => id)).to.deep.equal(created);
    const times = listed.map(({ created_at: at }) => at);
    expect(times).to.deep.equal([...times].sort());
    expect(new Set([times[1], times[3], times[5]]).size, 'later than in any earlier opening').to.equal(3);
    // A clock that was wrong by a day.
    await store.close();
    aheadMs -= 86_400_000;
    store = await openStore(scratch.path, { clock });
    expect((await newItem(store, project)).created_at < times[0]!).to.equal(true);
    await store.close();
  });
});

describe('The versions of collections', () => {
  const scratch = scratchDirectory();
  let store: TestStore;
  let project: string;
  let items: Item[];

  beforeEach(async () => {
    store = await openStore(scratch.path);
    project = await makeProject(store);
    items = [];
    for (const title of ['One', 'Two', 'Three']) items.push(await newItem(store, project, { title }));
  });
  afterEach(() => store.close());

  const version = (...of: Name[]): Promise<string> => store.read(project, (view) => view.version(...of));
  const versions = (): Promise<string[]> => store.read(project, (view) => names.map((name) => view.version(name)));
  const since = (from: string, name: Name = 'task'): Promise<Delta | undefined> =>
    store.read(project, (view) => view.since(name, from));
  const ids = async (from: string): Promise<string[] | undefined> => {
    const delta = await since(from);
    return delta && [...delta.ids].sort();
  };
  const fileOf = (title: string): string => {
    const tasks = join(projectDirectory(scratch.path), 'tasks');
    const name = readdirSync(tasks).find((one) => readFileSync(join(tasks, one), 'utf8').includes(`title: ${title}`));
    return join(tasks, name!);
  };
  /** Opens the store again as after a clean stop or a kill. */
  async function reopen(how: 'stopped' | 'killed', between: () => void = () => undefined): Promise<void> {
    if (how === 'stopped') await store.close();
    else store.abandon();
    between();
    store = await openStore(scratch.path);
  }

  it('name the change set that changed or touched the collection last, and no other one [D1.etag]', async () => {
    const [, task, page] = await versions();
    await newPage(store, project, { title: 'Page' });
    const [, sameTask, otherPage] = await versions();
    expect(sameTask).to.equal(task);
    expect(otherPage).not.to.equal(page);
    expect(await version('task', 'document'), 'the later of both').to.equal(otherPage);
    await store.update(project, meta, (tx) => tx.touch('task', items[0]!.id));
    expect(await ids(task!)).to.deep.equal([items[0]!.id]);
    expect(await version('task', 'document')).to.equal(await version('task'));
  });

  it('do not change if a change is rolled back, or leaves nothing changed', async () => {
    const before = await versions();
    const rolledBack = store.update(project, meta, (tx) => {
      tx.put('task', { ...items[0]!, title: 'Never' });
      throw new Error('no');
    });
    expect(await rolledBack.catch(() => 'rejected')).to.equal('rejected');
    await store.update(project, meta, (tx) => {
      tx.put('task', { ...items[0]!, id: 'tsk_never' });
      tx.remove('task', 'tsk_never');
    });
    expect(await versions()).to.deep.equal(before);
    await change(store, project, 'task', items[1]!.id, { title: 'Other' });
    expect(await ids(before[1]!)).to.deep.equal([items[1]!.id]);
  });

  for (const how of ['stopped', 'killed'] as const) {
    it(`survive a restart of a service that was ${how}, with everything changed since [D1.tag-restart]`, async () => {
      const before = await version('task');
      await store.flush();
      await store.update(project, meta, (tx) => tx.touch('task', items[0]!.id));
      await change(store, project, 'task', items[1]!.id, { status: 'done' });
      const all = await versions();
      // A killed service leaves the journal alone: the first opening writes the cache that the second one needs.
      if (how === 'killed') await reopen('stopped');
      const kept = await versions();
      if (how === 'killed') expect(kept).to.deep.equal(all);
      const touched = await version('task');
      await store.update(project, meta, (tx) => tx.touch('task', items[2]!.id));
      await change(store, project, 'task', items[0]!.id, { title: 'After' });
      const last = await versions();
      await reopen(how);
      expect(await versions()).to.deep.equal(last);
      expect(await ids(last[1]!)).to.deep.equal([]);
      if (how === 'killed') expect(await ids(touched)).to.deep.equal([items[0]!.id, items[2]!.id].sort());
      const delta = await ids(before);
      if (delta !== undefined) expect(delta).to.have.members(items.map(({ id }) => id));
    });
  }

  it('do not move with changes of the service alone, after a record was touched, and over a restart [D1.tag-restart]', async () => {
    await store.flush();
    await reopen('stopped');
    await store.update(project, meta, (tx) => tx.touch('task', items[0]!.id));
    const touched = await versions();
    const lease = { id: 'lease', created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
    await store.update(project, meta, (tx) => tx.service.put('leases', lease));
    expect(await versions()).to.deep.equal(touched);
    await reopen('killed');
    expect(await versions()).to.deep.equal(touched);
  });

  it('survive a restart with texts that the index cache does not contain [D1.tag-restart]', async () => {
    await newItem(store, project, { title: 'Large', text: 'x'.repeat(limits.residentTextBytesMax + 1) });
    await store.flush();
    const all = await versions();
    await reopen('stopped');
    expect(await versions()).to.deep.equal(all);
    await reopen('stopped', () => rmSync(fileOf('Large')));
    expect(await version('task')).not.to.equal(all[1]);
  });

  it('change with edits that were made while no service ran, of every collection of the project [D1.tag-restart]', async () => {
    const other = await makeProject(store, 'Zoo');
    const untouched = await store.read(other, (view) => view.version('project'));
    await store.flush();
    const all = await versions();
    for (const how of ['stopped', 'killed'] as const) {
      const before = await versions();
      await reopen(how, () => {
        const path = fileOf('Two');
        writeFileSync(path, readFileSync(path, 'utf8').replace(/status: \w+/, `status: ${how}`));
      });
      const after = await versions();
      names.forEach((name, at) => expect(after[at], `${how}: ${name}`).not.to.equal(before[at]));
      expect(await ids(before[1]!), 'answered in full').to.equal(undefined);
      expect(await ids(all[1]!)).to.equal(undefined);
      await change(store, project, 'task', items[2]!.id, { title: how });
      expect(await ids(after[1]!)).to.deep.equal([items[2]!.id]);
    }
    expect(await store.read(other, (view) => view.version('project'))).to.equal(untouched);
  });

  it('change if a file was removed or added while no service ran [D1.tag-restart]', async () => {
    await store.flush();
    const before = await version('task');
    let text = '';
    let path = '';
    await reopen('stopped', () => {
      path = fileOf('Three');
      text = readFileSync(path, 'utf8');
      rmSync(path);
    });
    const without = await version('task');
    expect(without).not.to.equal(before);
    await reopen('stopped', () => writeFileSync(path, text));
    expect([before, without]).not.to.include(await version('task'));
  });

  it('change if the index cache or the journal was removed, or is of another time [D1.tag-restart]', async () => {
    await store.flush();
    const local = join(scratch.path, '.planner/local');
    const before = await version('task');
    await reopen('stopped', () => rmSync(join(local, 'index-cache')));
    const without = await version('task');
    expect(without).not.to.equal(before);
    await reopen('stopped');
    expect(await version('task')).to.equal(without);
    await reopen('stopped', () => rmSync(join(local, 'journal'), { recursive: true }));
    expect(existsSync(join(local, 'index-cache'))).to.equal(true);
    expect(await version('task'), 'the log begins again, with the same sequences').not.to.equal(without);
    expect(await ids(without)).to.equal(undefined);
  });

  it('change if the journal has other entries than those that the index cache continues [D1.tag-restart]', async () => {
    const local = join(scratch.path, '.planner/local');
    const copy = (from: string, to: string): void => {
      rmSync(join(local, to), { recursive: true, force: true });
      cpSync(join(local, from), join(local, to), { recursive: true });
    };
    await reopen('killed', () => copy('journal', 'kept'));
    await newItem(store, project, { title: 'Here' });
    const here = await version('task');
    await reopen('stopped', () => {
      copy('index-cache', 'kept-cache');
      copy('kept', 'journal');
      rmSync(join(local, 'index-cache'));
    });
    for (const title of ['There', 'There too']) await newItem(store, project, { title });
    await reopen('killed', () => copy('kept-cache', 'index-cache'));
    expect(await ids(here)).to.equal(undefined);
  });

  it('never belong to a change set that was lost with the journal [D1.tag-restart]', async () => {
    const typed = (view: { version: (name: keyof TestCollections & string) => string }): string => view.version('task');
    const seen = new Set<string>();
    for (let round = 0; round < 5; round++) {
      await newItem(store, project, { title: `Round ${round}` });
      const last = await store.read(project, typed);
      expect(seen.has(last)).to.equal(false);
      seen.add(last);
      await store.flush();
      await reopen('killed', () => rmSync(join(scratch.path, '.planner/local/journal'), { recursive: true }));
      const opened = await version('task');
      expect(seen.has(opened)).to.equal(false);
      seen.add(opened);
    }
  });
});
