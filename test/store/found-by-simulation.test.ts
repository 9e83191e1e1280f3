import { expect } from 'chai';
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { describeItems } from '../support/item-events.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  afterBoot,
  change,
  editFile,
  fileNamed,
  formerValuesOf,
  meta,
  newFolder,
  newItem,
  newPage,
  openStore,
  read,
  rescanTwice,
  storeWithProject,
  type TestStore,
} from '../support/plan-store.ts';

/** Schedules that the simulator has found, in their shortest form. */
describe('A store that a simulation has found at fault', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  const formerValues = (id: string): Promise<string> => formerValuesOf(store, project, id);
  const edit = (id: string, from: string, to: string): void => editFile(directory, id, from, to);

  it('writes the revision of an external edit although no change follows', async () => {
    const item = await newItem(store, project, { title: 'Before' });
    await store.close();
    const clock = new ManualClock(Date.now());
    store = await openStore(scratch.path, { clock });
    await clock.pass(500);
    edit(item.id, 'title: Before', 'title: After');
    await clock.during(store.rescan());
    await clock.until(() => store.status().pending === 0, 10_000);
    const segments = readdirSync(join(scratch.path, '.planner/local/history'), { recursive: true });
    expect(segments.join()).to.contain('.jsonl');
    await clock.during(store.close());
    store = await openStore(scratch.path);
  });

  it('keeps the last state of a record whose file is removed after it was removed and restored before', async () => {
    const item = await newItem(store, project, { title: 'First' });
    await store.update(project, meta, (tx) => tx.remove('task', item.id));
    await store.update(project, meta, (tx) => tx.put('task', item));
    await change(store, project, 'task', item.id, { title: 'Second' });
    await store.flush();
    rmSync(fileNamed(directory, item.id));
    await rescanTwice(store);
    expect(await read(store, project, 'task', item.id)).to.equal(undefined);
    expect(await formerValues(item.id)).to.contain('Second');
  });

  it('names in history edits made while no service ran, from the journal if there is no cache [A.open.written]', async () => {
    const item = await newItem(store, project, { status: 'acknowledged' });
    await store.flush();
    // The journal gets the mark of the file with the next entry.
    await newItem(store, project);
    store.abandon();
    edit(item.id, 'status: acknowledged', 'status: edited');
    store = await openStore(scratch.path);
    expect((await read(store, project, 'task', item.id))?.status).to.equal('edited');
    expect(await formerValues(item.id)).to.contain('acknowledged');
  });

  it('rewrites the torn file of a record that was removed and restored as it was [A.crash.power-cut]', async () => {
    const item = await newItem(store, project, { title: 'Soil', text: 'Some text.\n' });
    await store.flush();
    await store.update(project, meta, (tx) => tx.remove('task', item.id));
    await store.update(project, meta, (tx) => tx.put('task', item));
    store.abandon();
    const path = fileNamed(directory, item.id);
    writeFileSync(path, Buffer.alloc(readFileSync(path).length));
    store = await openStore(scratch.path);
    await store.flush();
    expect(readFileSync(path, 'utf8')).to.contain('Some text.');
    expect(store.check()).to.deep.equal([]);
  });

  it('keeps text that an editor saves into a file while it is being removed [A.write.look-back]', async () => {
    const item = await newItem(store, project, { status: 'todo' });
    await store.close();
    const path = fileNamed(directory, item.id);
    const saved = readFileSync(path, 'utf8').replace('status: todo', 'status: saved');
    const remove: typeof nodeDisk.remove = (removed) => {
      const opened = removed === path ? openSync(path, 'r+') : undefined;
      nodeDisk.remove(removed);
      if (opened === undefined) return;
      writeSync(opened, saved, 0);
      closeSync(opened);
    };
    store = await openStore(scratch.path, { disk: { ...nodeDisk, remove } });
    await store.update(project, meta, (tx) => tx.remove('task', item.id));
    await store.flush();
    await store.flush();
    expect((await read(store, project, 'task', item.id))?.status).to.equal('saved');
    expect(readFileSync(path, 'utf8')).to.equal(saved);
  });

  it('deletes records that a person removed from a directory just before the service renamed it', async () => {
    const above = await newFolder(store, project, { name: 'Above' });
    const below = await newFolder(store, project, { name: 'Below', parent_folder_id: above.id });
    const page = await newPage(store, project, { folder_id: below.id });
    await store.flush();
    await change(store, project, 'folder', above.id, { name: 'Renamed' });
    rmSync(join(directory, 'documents/Above/Below'), { recursive: true });
    await store.flush();
    while ((await read(store, project, 'document', page.id)) !== undefined)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(store.check()).to.deep.equal([]);
  });

  it('applies an edit although the history of its record cannot be read [A.check]', async () => {
    await store.close();
    const disk = {
      ...nodeDisk,
      fails: false,
      readRange(path: string, offset: number, length: number) {
        if (this.fails && path.includes('/history/')) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        return nodeDisk.readRange(path, offset, length);
      },
    };
    disk.readRange = disk.readRange.bind(disk);
    store = await openStore(scratch.path, { disk });
    const item = await newItem(store, project, { status: 'first' });
    await change(store, project, 'task', item.id, { status: 'second' });
    await store.flush();
    edit(item.id, 'status: second', 'status: edited');
    disk.fails = true;
    await store.rescan();
    disk.fails = false;
    expect((await read(store, project, 'task', item.id))?.status).to.equal('edited');
    expect(await formerValues(item.id)).to.contain('second');
  });

  it('names in history edits made between two openings although a power cut lost it [A.crash.power-cut]', async () => {
    const item = await newItem(store, project, { status: 'acknowledged' });
    await store.close();
    edit(item.id, 'status: acknowledged', 'status: edited');
    store = await openStore(scratch.path);
    await change(store, project, 'task', item.id, { title: 'Renamed' });
    await store.flush();
    store.abandon();
    // The unsynced files: the revision of the edit, and the record's file.
    rmSync(join(scratch.path, '.planner/local/history'), { recursive: true });
    writeFileSync(fileNamed(directory, item.id), '');
    store = await openStore(scratch.path);
    expect(await read(store, project, 'task', item.id)).to.deep.include({ status: 'edited', title: 'Renamed' });
    expect(await formerValues(item.id)).to.contain('acknowledged');
  });

  it('writes a change again that a power cut took back to an edit between two openings [A.crash.power-cut]', async () => {
    const disk = afterBoot('first');
    const item = await newItem(store, project, { title: 'Created' });
    await store.close();
    store = await openStore(scratch.path, { disk });
    await change(store, project, 'task', item.id, { status: 'changed' });
    await store.flush();
    store.abandon();
    edit(item.id, 'title: Created', 'title: Edited');
    store = await openStore(scratch.path, { disk });
    const path = fileNamed(directory, item.id);
    const synced = readFileSync(path);
    await change(store, project, 'task', item.id, { title: 'Acknowledged' });
    await store.flush();
    store.abandon();
    rmSync(fileNamed(directory, item.id));
    writeFileSync(path, synced);
    store = await openStore(scratch.path, { disk: afterBoot('second') });
    expect((await read(store, project, 'task', item.id))?.title).to.equal('Acknowledged');
    expect(await formerValues(item.id)).to.contain('Edited');
  });

  for (const aheadMs of [0, 3_600_000])
    it(`reads again after a restart of the machine changes that a person made shortly before${aheadMs === 0 ? '' : ', and then the clock was set'} [A.crash.power-cut]`, async () => {
      const item = await newItem(store, project, { status: 'synced' });
      await store.close();
      const path = fileNamed(directory, item.id);
      const synced = readFileSync(path);
      const clock = new ManualClock(Date.now() + aheadMs);
      const disk = afterBoot('first');
      store = await openStore(scratch.path, { clock, disk });
      edit(item.id, 'status: synced', 'status: edited');
      await clock.during(store.rescan());
      // Old enough for the times of files to be trusted.
      await clock.pass(5000);
      await clock.during(store.close());
      // The power cut lost the data of the edit, and not its time.
      const readSame: typeof nodeDisk.readSame = (at, stat) => (at === path ? synced : nodeDisk.readSame(at, stat));
      store = await openStore(scratch.path, { disk: { ...disk, bootId: () => 'second', readSame } });
      expect((await read(store, project, 'task', item.id))?.status).to.equal('synced');
      expect(await formerValues(item.id)).to.contain('edited');
    });

  it('names in history edits made while no service ran, although the next opening was killed immediately [A.open.written]', async () => {
    const item = await newItem(store, project, { status: 'acknowledged' });
    await store.flush();
    store.abandon();
    edit(item.id, 'status: acknowledged', 'status: edited');
    // Time does not pass: the revision is not written. The feed's entry of the edit is, and with it the file's mark.
    const clock = new ManualClock(Date.now());
    store = await openStore(scratch.path, { clock, describe: describeItems });
    await clock.during(newItem(store, project));
    store.abandon();
    store = await openStore(scratch.path, { describe: describeItems });
    expect((await read(store, project, 'task', item.id))?.status).to.equal('edited');
    expect(await formerValues(item.id)).to.contain('acknowledged');
  });
});
