import { expect } from 'chai';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { initRepository } from '../support/git.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  afterBoot,
  change,
  editFile,
  fileNamed,
  meta,
  newItem,
  newPage,
  openStore,
  read,
  rescanTwice,
  storeWithProject,
  type Item,
  type TestStore,
} from '../support/plan-store.ts';
import { powerCutDisk, rebooted } from '../support/power-cut-disk.ts';
import { Random } from '../support/random.ts';

/** Schedules that the simulator has found with editors, movers, git and crashes together, in their shortest form. */
describe('A store that a simulation of all actors has found at fault', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  it('serves a record from its own file although a torn write is where that file was [A.crash.power-cut]', async () => {
    const own = await newItem(store, project, { title: 'Own', text: 'Some text.\n' });
    const other = await newItem(store, project, { title: 'Other' });
    const third = await newItem(store, project, { title: 'Third' });
    await store.flush();
    const path = fileNamed(directory, other.id);
    renameSync(path, join(directory, 'tasks/Other.md'));
    renameSync(fileNamed(directory, own.id), path);
    await rescanTwice(store);
    await store.close();
    store = await openStore(scratch.path, { clock: new ManualClock(Date.now()) });
    await change(store, project, 'task', other.id, { status: 'changed' });
    store.abandon();
    const last = fileNamed(directory, third.id);
    renameSync(last, join(directory, 'tasks/Third.md'));
    renameSync(path, last);
    writeFileSync(path, Buffer.alloc(100));
    store = await openStore(scratch.path, { disk: afterBoot('second') });
    expect((await read(store, project, 'task', own.id))?.text).to.equal('Some text.\n');
    expect((await read(store, project, 'task', other.id))?.status).to.equal('changed');
    await store.flush();
    expect(store.check()).to.deep.equal([]);
  });

  it('keeps text that an editor saves into a file while it is being replaced, although the service is killed then [A.write.look-back]', async () => {
    const item = await newItem(store, project, { status: 'todo' });
    await store.close();
    const path = fileNamed(directory, item.id);
    const saved = readFileSync(path, 'utf8').replace('status: todo', 'status: saved');
    let saves = 1;
    const rename: typeof nodeDisk.rename = (from, to) => {
      const opened = to === path && saves-- > 0 ? openSync(path, 'r+') : undefined;
      nodeDisk.rename(from, to);
      if (opened === undefined) return;
      writeSync(opened, saved, 0);
      closeSync(opened);
    };
    const clock = new ManualClock(Date.now());
    store = await openStore(scratch.path, { clock, disk: { ...nodeDisk, rename } });
    await clock.during(change(store, project, 'task', item.id, { owner: 'me' }));
    const status = async (): Promise<string | undefined> =>
      (await clock.during(read(store, project, 'task', item.id)))?.status ?? undefined;
    for (let passes = 0; (await status()) !== 'saved'; passes++) {
      await clock.pass(10);
      expect(passes).to.be.below(100);
    }
    store.abandon();
    expect(readFileSync(path, 'utf8')).to.contain('status: todo');
    store = await openStore(scratch.path);
    expect(await read(store, project, 'task', item.id)).to.deep.include({ status: 'saved', owner: 'me' });
  });

  it('writes a record that is restored after its file was removed and git began in between [A.write.git-batch]', async () => {
    const item = await newItem(store, project, { title: 'Soil' });
    await store.close();
    initRepository(scratch.path);
    const lock = join(scratch.path, '.git/index.lock');
    const path = fileNamed(directory, item.id);
    const remove: typeof nodeDisk.remove = (removed) => {
      if (removed === path) writeFileSync(lock, '');
      nodeDisk.remove(removed);
    };
    store = await openStore(scratch.path, { disk: { ...nodeDisk, remove } });
    await store.update(project, meta, (tx) => tx.remove('task', item.id));
    while (existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 10));
    await store.update(project, meta, (tx) => tx.put('task', item));
    rmSync(lock);
    await store.flush();
    await rescanTwice(store);
    expect((await read(store, project, 'task', item.id))?.title).to.equal('Soil');
    expect(readFileSync(fileNamed(directory, item.id), 'utf8')).to.contain('Soil');
  });

  it('finds edits although the disk fails when the watch begins [A.check]', async () => {
    const item = await newItem(store, project, { status: 'todo' });
    await store.close();
    const disk = {
      ...nodeDisk,
      fails: false,
      stat(path: string) {
        if (this.fails && path.endsWith('/projects')) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        return nodeDisk.stat(path);
      },
    };
    disk.stat = disk.stat.bind(disk);
    store = await openStore(scratch.path, { disk, watch: true });
    disk.fails = true;
    await store.watching();
    disk.fails = false;
    editFile(directory, item.id, 'status: todo', 'status: edited');
    for (let turns = 0; (await read(store, project, 'task', item.id))?.status !== 'edited'; turns++) {
      expect(turns).to.be.below(1000);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });

  describe('when its opening cannot read a file that it had written', () => {
    let item: Item;
    let disk: FailingDisk;

    beforeEach(async () => {
      item = await newItem(store, project, { status: 'cached', text: 'Some text.\n' });
      await store.close();
      store = await openStore(scratch.path);
    });

    async function reopen(): Promise<void> {
      store.abandon();
      disk = failingToRead(fileNamed(directory, item.id));
      store = await openStore(scratch.path, { disk: disk.disk });
    }

    async function recover(): Promise<void> {
      disk.fails = false;
      await store.flush();
      await rescanTwice(store);
      await store.flush();
      expect(store.check()).to.deep.equal([]);
    }

    async function writeStatus(status: string): Promise<void> {
      await change(store, project, 'task', item.id, { status });
      const path = fileNamed(directory, item.id);
      while (!readFileSync(path, 'utf8').includes(`status: ${status}`))
        await new Promise((done) => setTimeout(done, 5));
    }

    it('removes it', async () => {
      await writeStatus('written');
      await reopen();
      await store.update(project, meta, (tx) => tx.remove('task', item.id));
      await recover();
      expect(await read(store, project, 'task', item.id)).to.equal(undefined);
    });

    it('changes again its own texts', async () => {
      await writeStatus('written');
      await reopen();
      await change(store, project, 'task', item.id, { status: 'cached' });
      await recover();
      expect((await read(store, project, 'task', item.id))?.status).to.equal('cached');
      expect(readFileSync(fileNamed(directory, item.id), 'utf8')).to.contain('status: cached');
    });

    it('changes its own texts in changes that the journal has as such', async () => {
      await writeStatus('marked');
      await newItem(store, project, {});
      await store.flush();
      await newItem(store, project, {});
      await reopen();
      expect((await read(store, project, 'task', item.id))?.status).to.equal('marked');
      await change(store, project, 'task', item.id, { status: 'last' });
      await recover();
      expect((await read(store, project, 'task', item.id))?.status).to.equal('last');
    });

    it('writes its last change although the index cache has a value from before the one in the file', async () => {
      await writeStatus('marked');
      await newItem(store, project, {});
      await store.flush();
      await change(store, project, 'task', item.id, { status: 'last' });
      await reopen();
      await recover();
      expect((await read(store, project, 'task', item.id))?.status).to.equal('last');
    });

    it('keeps text that a person wrote into it in between', async () => {
      await writeStatus('written');
      await reopen();
      editFile(directory, item.id, 'Some text.', 'Edited text.');
      await change(store, project, 'task', item.id, { status: 'last' });
      await recover();
      expect(await read(store, project, 'task', item.id)).to.deep.include({ status: 'last', text: 'Edited text.\n' });
    });
  });

  it('syncs a file that was renamed before it was synced, although another file is written under its former name [A.crash.power-cut]', async () => {
    await store.close();
    const disk = powerCutDisk(scratch.path);
    store = await openStore(scratch.path, { disk });
    const own = await newPage(store, project, { title: 'Own', body: 'Some text.\n' });
    const other = await newPage(store, project, { title: 'Other' });
    await store.flush();
    const path = fileNamed(directory, 'Own');
    disk.rename(path, join(directory, 'documents/Moved.md'));
    disk.rename(fileNamed(directory, 'Other'), path);
    await rescanTwice(store);
    await change(store, project, 'document', other.id, { body: 'Changed.\n' });
    await store.close();
    disk.cut({ data: 'zeros', names: 'kept' }, new Random(1));
    store = await openStore(scratch.path, { disk: rebooted(nodeDisk) });
    expect((await read(store, project, 'document', own.id))?.body).to.contain('Some text.');
    expect((await read(store, project, 'document', other.id))?.body).to.contain('Changed.');
  });
});

interface FailingDisk {
  readonly disk: typeof nodeDisk;
  fails: boolean;
}

/** A disk that fails to read one file as long as it `fails`. */
function failingToRead(path: string): FailingDisk {
  const failing: FailingDisk = {
    fails: true,
    disk: {
      ...nodeDisk,
      stat(other) {
        if (failing.fails && other === path) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        return nodeDisk.stat(other);
      },
    },
  };
  return failing;
}
