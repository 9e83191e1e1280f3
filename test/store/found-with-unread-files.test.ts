import { expect } from 'chai';
import { readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import {
  afterBoot,
  change,
  fileNamed,
  formerValuesOf,
  newItem,
  newPage,
  openStore,
  read,
  rescanTwice,
  storeWithProject,
  type TestStore,
} from '../support/plan-store.ts';

/** Schedules with files that an opening could not read, which the simulator has found, in their shortest form. */
describe('A store that a simulation has found at fault with files that it never read', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  /** Opens the store with a cache without the records. */
  async function begin(): Promise<void> {
    await store.close();
    store = await openStore(scratch.path, { disk: afterBoot('first') });
  }

  /** Opens the store after a kill. `unread`: the file that it cannot read. */
  async function reopen(boot: string, unread?: string): Promise<void> {
    store.abandon();
    const stat: typeof nodeDisk.stat = (path) => {
      if (path === unread) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      return nodeDisk.stat(path);
    };
    store = await openStore(scratch.path, { disk: { ...nodeDisk, bootId: () => boot, stat } });
  }

  /** Waits until the journal says that the files have all changes until now. */
  async function isMarked(): Promise<void> {
    await store.flush();
    await newItem(store, project, { title: 'Later' });
    await store.flush();
  }

  for (const name of ['task', 'document'] as const)
    it(`serves a ${name} whose file is in no cache, and keeps it through a power cut [A.crash.power-cut]`, async () => {
      await begin();
      const fields = { title: 'Soil' };
      const { id } = name === 'task' ? await newItem(store, project, fields) : await newPage(store, project, fields);
      await isMarked();
      const path = fileNamed(directory, id.slice(-4));
      await reopen('first', path);
      expect((await read(store, project, name, id))?.title).to.equal('Soil');
      await reopen('second');
      expect(await formerValuesOf(store, project, id)).to.equal('[]');
      store.abandon();
      writeFileSync(path, Buffer.alloc(readFileSync(path).length));
      await reopen('third');
      expect((await read(store, project, name, id))?.title).to.equal('Soil');
      await store.flush();
      expect(readFileSync(path, 'utf8')).to.contain(id);
    });

  it('keeps a record whose file got its name from a person and is in no cache [A.crash.kill]', async () => {
    await begin();
    const { id } = await newItem(store, project, { title: 'Soil' });
    await store.flush();
    const path = join(directory, 'tasks/Earth.md');
    renameSync(fileNamed(directory, id), path);
    await rescanTwice(store);
    await isMarked();
    await reopen('first', path);
    expect((await read(store, project, 'task', id))?.title).to.equal('Soil');
    await reopen('first');
    expect((await read(store, project, 'task', id))?.title).to.equal('Soil');
    expect(await formerValuesOf(store, project, id)).to.equal('[]');
    await store.flush();
    expect(readFileSync(path, 'utf8')).to.contain(id);
    expect(store.check()).to.deep.equal([]);
  });

  it('merges a change of a record whose file is in no cache with an edit of the file', async () => {
    await begin();
    const { id } = await newItem(store, project, { title: 'Soil', status: 'todo' });
    await isMarked();
    const path = fileNamed(directory, id);
    await reopen('first', path);
    await change(store, project, 'task', id, { status: 'changed' });
    writeFileSync(path, readFileSync(path, 'utf8').replace('title: Soil', 'title: Earth'));
    await reopen('first');
    await store.flush();
    await rescanTwice(store);
    expect(await read(store, project, 'task', id)).to.deep.include({ title: 'Earth', status: 'changed' });
    expect(readFileSync(fileNamed(directory, id), 'utf8'))
      .to.contain('Earth')
      .and.contain('status: changed');
    expect(store.check()).to.deep.equal([]);
  });

  it('keeps what history has while a segment cannot be read, and reads it again then [A.crash.simulation]', async () => {
    const item = await newItem(store, project, { status: 'todo' });
    await change(store, project, 'task', item.id, { status: 'doing' });
    await store.close();
    const disk = hookedDisk({
      readIfExists: (path) => {
        if (path === segment && failures-- > 0) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      },
    });
    let failures = 0;
    let segment = '';
    store = await openStore(scratch.path, { disk });
    segment = fileNamed(directory, '.jsonl');
    failures = 1;
    // Another program gives it another time, as a checkout does.
    utimesSync(segment, 1, 1);
    for (const left of [0, -1]) {
      await store.rescan();
      expect(failures).to.equal(left);
      expect(await formerValuesOf(store, project, item.id)).to.contain('todo');
    }
  });
});
