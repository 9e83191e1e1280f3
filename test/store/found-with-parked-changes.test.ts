import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { describeItems, faultsOf, ItemFold } from '../support/item-events.ts';
import {
  change,
  editFile,
  fileNamed,
  newItem,
  newPage,
  openStore,
  read,
  recordingSyncs,
  storeWithProject,
  type TestStore,
} from '../support/plan-store.ts';

/** Schedules with changes that cannot be written, which the simulator has found with all actors, in their shortest form. */
describe('A store that a simulation has found at fault with parked changes', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  it('keeps the merge of its opening of a parked record, although a power cut takes the edit back [A.crash.power-cut]', async () => {
    const item = await newItem(store, project, { status: 'todo', text: 'Some text.\n' });
    await store.close();
    const path = fileNamed(directory, item.id);
    const rename: typeof nodeDisk.rename = (from, to) => {
      if (to === path) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      nodeDisk.rename(from, to);
    };
    const open = async (boot: string): Promise<void> => {
      const disk = { ...nodeDisk, rename, bootId: () => boot };
      store = await openStore(scratch.path, { disk, describe: describeItems });
    };
    const isParked = async (): Promise<void> => {
      while ((await store.read(project, (view) => view.problems)).length === 0)
        await new Promise((resolve) => setTimeout(resolve, 10));
    };
    const fold = new ItemFold();
    const faults = (): Promise<readonly string[]> => faultsOf(store, project, fold);
    await open('first');
    await change(store, project, 'task', item.id, { status: 'acknowledged' });
    await isParked();
    store.abandon();
    editFile(directory, item.id, `title: ${item.title}`, 'title: Edited');
    await open('first');
    await isParked();
    expect(await read(store, project, 'task', item.id)).to.deep.include({ status: 'acknowledged', title: 'Edited' });
    expect(await faults()).to.deep.equal([]);
    await store.close();
    editFile(directory, item.id, 'title: Edited', `title: ${item.title}`);
    await open('second');
    expect(await read(store, project, 'task', item.id)).to.deep.include({ status: 'acknowledged', title: 'Edited' });
    expect(await faults()).to.deep.equal([]);
  });

  it('keeps a change of a record although the disk failed after its file was in its place [A.write.checkpoint]', async () => {
    await store.close();
    const failing = { fails: false };
    const rename: typeof nodeDisk.rename = (from, to) => {
      nodeDisk.rename(from, to);
      failing.fails = to.includes('/documents/');
    };
    const statOpen: typeof nodeDisk.statOpen = (fd) => {
      if (!failing.fails) return nodeDisk.statOpen(fd);
      failing.fails = false;
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    store = await openStore(scratch.path, { disk: { ...nodeDisk, rename, statOpen } });
    const page = await newPage(store, project, { title: 'Soil', body: 'Some loam.\n' });
    const isThere = (): boolean => existsSync(join(directory, `documents/Soil.${page.id.slice(-4)}.md`));
    while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 10));
    await change(store, project, 'document', page.id, { body: 'Heavy clay.\n' });
    await store.rescan();
    await store.flush();
    expect((await read(store, project, 'document', page.id))?.body).to.equal('Heavy clay.\n');
    expect(readFileSync(fileNamed(directory, page.id.slice(-4)), 'utf8')).to.contain('Heavy clay.');
    expect(store.check()).to.deep.equal([]);
  });

  it('syncs the file that another program wrote with a change before the service did [A.crash.power-cut]', async () => {
    const item = await newItem(store, project, { status: 'todo' });
    await store.close();
    const { disk, synced } = recordingSyncs();
    store = await openStore(scratch.path, { disk });
    await change(store, project, 'task', item.id, { status: 'doing' });
    editFile(directory, item.id, 'todo', 'doing');
    await store.rescan();
    await store.close();
    expect(synced).to.include(join(directory, 'tasks'));
    store = await openStore(scratch.path);
    expect((await read(store, project, 'task', item.id))?.status).to.equal('doing');
  });
});
