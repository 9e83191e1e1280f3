import { expect } from 'chai';
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeItems, faultsOf, ItemFold } from '../support/item-events.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  afterBoot,
  editFile,
  fileNamed,
  meta,
  newItem,
  newPage,
  openStore,
  read,
  rescanTwice,
  storeWithProject,
  type TestStore,
} from '../support/plan-store.ts';

/** Schedules with power cuts, and with copies of files, that the simulator has found, in their shortest form. */
describe('A store with torn files and copies that a simulation has found at fault', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  it('takes no torn file from the record that was in it for a restored one without a file [A.crash.power-cut]', async () => {
    const own = await newItem(store, project, { title: 'Own', status: 'acknowledged' });
    const other = await newItem(store, project, { title: 'Other' });
    await store.flush();
    const name = fileNamed(directory, other.id);
    await store.update(project, meta, (tx) => tx.remove('task', other.id));
    await store.flush();
    renameSync(fileNamed(directory, own.id), name);
    await rescanTwice(store);
    await store.close();
    const clock = new ManualClock(Date.now());
    store = await openStore(scratch.path, { clock });
    await clock.during(store.update(project, meta, (tx) => tx.put('task', other)));
    store.abandon();
    // An editor had saved it.
    writeFileSync(name, '');
    store = await openStore(scratch.path);
    await store.flush();
    await rescanTwice(store);
    await store.flush();
    expect((await read(store, project, 'task', own.id))?.status).to.equal('acknowledged');
    expect((await read(store, project, 'task', other.id))?.title).to.equal('Other');
    expect(store.check()).to.deep.equal([]);
  });

  it('serves the copy of a removed document that has its id, and not the torn one alone [A.crash.power-cut]', async () => {
    const page = await newPage(store, project, { title: 'Own' });
    await store.flush();
    const [torn, copy] = ['First', 'Second'].map((name) => join(directory, `documents/${name}.md`));
    for (const path of [torn!, copy!]) copyFileSync(fileNamed(directory, 'Own'), path);
    await rescanTwice(store);
    await store.close();
    writeFileSync(torn!, Buffer.alloc(100));
    store = await openStore(scratch.path);
    await store.update(project, meta, (tx) => tx.remove('document', page.id));
    await store.flush();
    await rescanTwice(store);
    expect((await read(store, project, 'document', page.id))?.title).to.equal('Own');
    expect(store.check()).to.deep.equal([]);
  });

  it('has the creation of a removed document that is served from one of two copies after a restart [A.feed.external]', async () => {
    await store.close();
    store = await openStore(scratch.path, { describe: describeItems });
    const fold = new ItemFold();
    const faults = (): Promise<readonly string[]> => faultsOf(store, project, fold);
    await faults();
    const page = await newPage(store, project, { title: 'Own' });
    await store.flush();
    const path = fileNamed(directory, 'Own');
    for (const name of ['First', 'Second']) copyFileSync(path, join(directory, `documents/${name}.md`));
    await rescanTwice(store);
    await store.update(project, meta, (tx) => tx.remove('document', page.id));
    await store.close();
    store = await openStore(scratch.path, { describe: describeItems });
    await store.flush();
    expect((await read(store, project, 'document', page.id))?.title).to.equal('Own');
    expect(await faults()).to.deep.equal([]);
  });

  describe('with a file that a person renamed, and an empty one that has its former name', () => {
    const open = async (bootId: string): Promise<void> =>
      void (store = await openStore(scratch.path, { disk: afterBoot(bootId) }));
    let id: string;

    beforeEach(async () => {
      await store.close();
      await open('first');
      ({ id } = await newItem(store, project, { status: 'doing' }));
      await store.flush();
      await newItem(store, project);
    });

    const renameAndEmpty = (): string => {
      store.abandon();
      const path = fileNamed(directory, id);
      renameSync(path, join(directory, 'tasks/Other.md'));
      writeFileSync(path, '');
      return path;
    };

    it('removes no file that another program has begun to write [A.crash.kill]', async () => {
      const path = renameAndEmpty();
      await open('first');
      expect(existsSync(path)).to.equal(true);
    });

    it('serves the text of the renamed one [A.crash.power-cut]', async () => {
      store.abandon();
      await open('second');
      await store.flush();
      await newItem(store, project);
      renameAndEmpty();
      await open('second');
      expect((await read(store, project, 'task', id))?.status).to.equal('doing');
      expect(store.check()).to.deep.equal([]);
    });
  });

  for (const by of ['an opening', 'a rescan'])
    it(`keeps an edit that ${by} found in a file that a power cut made unreadable, over two restarts [A.crash.power-cut]`, async () => {
      const item = await newItem(store, project, { title: 'Soil', status: 'before' });
      await store.close();
      const path = fileNamed(directory, item.id);
      const reopen = async (bootId: string): Promise<void> => {
        store = await openStore(scratch.path, { disk: afterBoot(bootId), describe: describeItems });
      };
      const status = async (): Promise<string | undefined> => (await read(store, project, 'task', item.id))?.status;
      await reopen('first');
      if (by === 'an opening') store.abandon();
      editFile(directory, item.id, 'status: before', 'status: edited');
      if (by === 'an opening') await reopen('first');
      else await rescanTwice(store);
      expect(await status()).to.equal('edited');
      await newItem(store, project);
      store.abandon();
      // An editor had saved it again.
      writeFileSync(path, `---\nstatus: other\nid: ${item.id}\n`);
      await reopen('second');
      expect(await status()).to.equal('edited');
      await store.close();
      await reopen('second');
      expect(await status()).to.equal('edited');
      writeFileSync(path, `---\nstatus: before\nid: ${item.id}\ntitle: Soil\n---\n`);
      await rescanTwice(store);
      await store.flush();
      expect(readFileSync(path, 'utf8')).to.contain('status: edited');
      expect(store.check()).to.deep.equal([]);
    });
});
