import { expect } from 'chai';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { describeItems } from '../support/item-events.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  afterBoot,
  change,
  editFile,
  fileNamed,
  formerValuesOf,
  type Folder,
  meta,
  newFolder,
  newItem,
  newPage,
  openStore,
  type Page,
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

  it('names in history repeated edits made while no service ran [A.open.written]', async () => {
    const item = await newItem(store, project, { status: 'acknowledged' });
    await store.flush();
    edit(item.id, 'title: An item', 'title: Edited');
    await store.rescan();
    await newItem(store, project);
    store.abandon();
    edit(item.id, 'status: acknowledged', 'status: edited');
    store = await openStore(scratch.path);
    expect(await read(store, project, 'task', item.id)).to.deep.include({ status: 'edited', title: 'Edited' });
    expect(await formerValues(item.id)).to.contain('acknowledged');
  });

  it('names in history values that the file of an unfinished change replaced while no service ran [A.open.merge]', async () => {
    const item = await newItem(store, project, { status: 'one' });
    await store.flush();
    await change(store, project, 'task', item.id, { status: 'two' });
    await store.flush();
    await change(store, project, 'task', item.id, { owner: 'me' });
    store.abandon();
    edit(item.id, 'status: two', 'status: three');
    store = await openStore(scratch.path);
    expect(await read(store, project, 'task', item.id)).to.deep.include({ status: 'three', owner: 'me' });
    expect(await formerValues(item.id)).to.contain('"status":"two"');
  });

  it('serves the directory of a removed folder into which a person has put a file before', async () => {
    const folder = await newFolder(store, project, { name: 'Beds' });
    await store.flush();
    const path = dirname(fileNamed(directory, '.folder.json'));
    writeFileSync(join(path, 'Dropped.md'), 'text\n');
    await store.update(project, meta, (tx) => tx.remove('folder', folder.id));
    await store.flush();
    const folders = (): Promise<readonly Folder[]> =>
      store.read(project, (view) => [...view.list('folder')] as Folder[]);
    while ((await folders()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await folders())[0]?.name).to.equal('Beds');
  });

  it('renames the directory of a folder that a person made', async () => {
    mkdirSync(join(directory, 'documents/Beds'), { recursive: true });
    await rescanTwice(store);
    const [folder] = await store.read(project, (view) => [...view.list('folder')] as Folder[]);
    await change(store, project, 'folder', folder!.id, { name: 'Fields' });
    await store.flush();
    expect(existsSync(join(directory, 'documents/Fields/.folder.json'))).to.equal(true);
    expect(existsSync(join(directory, 'documents/Beds'))).to.equal(false);
    expect(store.check()).to.deep.equal([]);
  });

  it('moves a folder into one that is renamed at the same time', async () => {
    const above = await newFolder(store, project, { name: 'Above' });
    const below = await newFolder(store, project, { name: 'Below' });
    await store.flush();
    await change(store, project, 'folder', above.id, { name: 'Renamed' });
    await change(store, project, 'folder', below.id, { name: 'Moved', parent_folder_id: above.id });
    await store.flush();
    expect(existsSync(join(directory, 'documents/Renamed/Moved/.folder.json'))).to.equal(true);
    expect(existsSync(join(directory, 'documents/Above'))).to.equal(false);
    expect(store.check()).to.deep.equal([]);
  });

  it('serves the other file of an id when the record is removed, and not neither', async () => {
    const page = await newPage(store, project, { title: 'Soil' });
    await store.flush();
    const path = fileNamed(directory, 'Soil');
    copyFileSync(path, join(dirname(path), 'Zzz copy.md'));
    await rescanTwice(store);
    await store.update(project, meta, (tx) => tx.remove('document', page.id));
    await store.flush();
    await rescanTwice(store);
    expect((await read(store, project, 'document', page.id))?.title).to.equal('Soil');
    expect(await store.read(project, (view) => view.pathOf(page.id))).to.contain('Zzz copy.md');
  });

  it('knows a file with its id whose name another file had for a moment', async () => {
    const page = await newPage(store, project, { title: 'Soil' });
    await store.flush();
    const own = fileNamed(directory, 'Soil');
    const path = join(directory, 'documents/Other.md');
    writeFileSync(path, 'other\n');
    await rescanTwice(store);
    const pages = (): Promise<readonly Page[]> => store.read(project, (view) => [...view.list('document')] as Page[]);
    const out = join(scratch.path, 'out.md');
    renameSync(own, out);
    renameSync(path, own);
    await rescanTwice(store);
    renameSync(out, path);
    await rescanTwice(store);
    const other = (await pages()).find(({ id }) => id !== page.id)!;
    expect(other.body).to.equal('other');
    expect((await read(store, project, 'document', page.id))?.body).to.equal(page.body);
    await store.update(project, meta, (tx) => tx.remove('document', page.id));
    await store.flush();
    expect((await pages()).map(({ id }) => id)).to.deep.equal([other.id]);
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

  it('deletes a record whose file was renamed while it was written, and removed since', async () => {
    // The rescan sees the new file at another moment of the write each time.
    for (let turns = 0; turns < 6; turns++) {
      const item = await newItem(store, project, { title: 'Soil' });
      await store.flush();
      await change(store, project, 'task', item.id, { status: 'done' });
      const renamed = join(directory, `tasks/Renamed ${turns}.md`);
      renameSync(fileNamed(directory, item.id), renamed);
      const written = store.flush();
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      await store.rescan();
      rmSync(renamed);
      await written;
      await rescanTwice(store);
      await rescanTwice(store);
      expect(await read(store, project, 'task', item.id), `${turns} turns`).to.equal(undefined);
    }
  });

  it('keeps in the journal the text of a file that is renamed before it is synced [A.crash.power-cut]', async () => {
    const item = await newItem(store, project, { title: 'Soil' });
    await store.flush();
    const journal = join(scratch.path, '.planner/local/journal');
    const journaled = (): string =>
      readdirSync(journal).reduce((all, name) => all + readFileSync(join(journal, name), 'utf8'), '');
    renameSync(fileNamed(directory, item.id), join(directory, 'tasks/Renamed.md'));
    await store.close();
    expect(journaled()).to.contain(item.id);
    store = await openStore(scratch.path);
    expect((await read(store, project, 'task', item.id))?.title).to.equal('Soil');
  });

  it('makes a new folder at the top if the folder above it is gone before that', async () => {
    const above = await newFolder(store, project, { name: 'Above' });
    await store.flush();
    const path = dirname(fileNamed(directory, '.folder.json'));
    const folder = await newFolder(store, project, { name: 'Below', parent_folder_id: above.id });
    rmSync(path, { recursive: true });
    await rescanTwice(store);
    await store.flush();
    await rescanTwice(store);
    expect((await read(store, project, 'folder', folder.id))?.name).to.equal('Below');
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

  it('moves a new document to the top whose folder is gone before the document is written', async () => {
    const folder = await newFolder(store, project, { name: 'Beds' });
    await store.flush();
    const path = dirname(fileNamed(directory, '.folder.json'));
    const page = await newPage(store, project, { folder_id: folder.id });
    rmSync(path, { recursive: true });
    await rescanTwice(store);
    await store.flush();
    while ((await read(store, project, 'document', page.id))?.folder_id !== null)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(existsSync(path)).to.equal(false);
  });

  it('leaves a folder where it is if the one that it is moved to is gone before that', async () => {
    const goal = await newFolder(store, project, { name: 'Goal' });
    const folder = await newFolder(store, project, { name: 'Beds' });
    await store.flush();
    await change(store, project, 'folder', folder.id, { parent_folder_id: goal.id });
    rmSync(join(directory, 'documents/Goal'), { recursive: true });
    await rescanTwice(store);
    await store.flush();
    expect((await read(store, project, 'folder', folder.id))?.parent_folder_id).to.equal(null);
    expect(store.check()).to.deep.equal([]);
  });

  it('leaves folders in one that gets another id', async () => {
    mkdirSync(join(directory, 'documents/Above/Middle/Below'), { recursive: true });
    await rescanTwice(store);
    writeFileSync(join(directory, 'documents/Above/.folder.json'), JSON.stringify({ id: 'fld_of_a_person' }));
    await rescanTwice(store);
    const folders = await store.read(project, (view) => [...view.list('folder')] as Folder[]);
    const [above, middle, below] = ['Above', 'Middle', 'Below'].map((name) => folders.find((one) => one.name === name));
    expect(above?.id).to.equal('fld_of_a_person');
    expect(middle?.parent_folder_id).to.equal(above?.id);
    expect(below?.parent_folder_id).to.equal(middle?.id);
  });

  it('makes no second folder where a person has just renamed one', async () => {
    const folder = await newFolder(store, project, { name: 'Beds' });
    await store.flush();
    const page = await newPage(store, project, { folder_id: folder.id });
    renameSync(join(directory, 'documents/Beds'), join(directory, 'documents/Fields'));
    await store.flush();
    while (!fileNamed(directory, page.id.slice(-4)).includes('Fields'))
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(existsSync(join(directory, 'documents/Beds'))).to.equal(false);
    expect(await read(store, project, 'document', page.id)).to.deep.include({ folder_id: folder.id });
    expect(await read(store, project, 'folder', folder.id)).to.deep.include({ name: 'Fields' });
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

  it('overwrites no copy of a file in a folder that is renamed and comes first since', async () => {
    const [folder, other] = [
      await newFolder(store, project, { name: 'Beds' }),
      await newFolder(store, project, { name: 'Zone' }),
    ];
    const page = await newPage(store, project, { title: 'Soil', folder_id: folder.id });
    await store.flush();
    const path = fileNamed(directory, 'Soil');
    const copy = join(directory, 'documents/Zone', basename(path));
    writeFileSync(copy, `${readFileSync(path, 'utf8')}only in the copy\n`);
    await rescanTwice(store);
    await change(store, project, 'folder', other.id, { name: 'Above' });
    await change(store, project, 'document', page.id, { title: 'Renamed' });
    await store.flush();
    await rescanTwice(store);
    const served = await read(store, project, 'document', page.id);
    const moved = join(directory, 'documents/Above', basename(path));
    const text = existsSync(moved) ? readFileSync(moved, 'utf8') : '';
    expect(`${served?.body}${text}`).to.contain('only in the copy');
  });

  it('leaves a folder where it is if a person has moved the one that it is moved to into it', async () => {
    const [folder, goal] = [
      await newFolder(store, project, { name: 'Beds' }),
      await newFolder(store, project, { name: 'Goal' }),
    ];
    await store.flush();
    await change(store, project, 'folder', folder.id, { parent_folder_id: goal.id });
    renameSync(join(directory, 'documents/Goal'), join(directory, 'documents/Beds/Goal'));
    await rescanTwice(store);
    await store.flush();
    await rescanTwice(store);
    await store.flush();
    expect((await read(store, project, 'folder', folder.id))?.parent_folder_id).to.equal(null);
    expect((await read(store, project, 'folder', goal.id))?.parent_folder_id).to.equal(folder.id);
    expect(store.status().pending).to.equal(0);
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

  it('overwrites no copy of a file that comes first once the folder of the file is renamed', async () => {
    const folder = await newFolder(store, project, { name: 'Above' });
    const page = await newPage(store, project, { title: 'Soil', folder_id: folder.id });
    await store.flush();
    const path = fileNamed(directory, 'Soil');
    const copy = join(directory, 'documents', basename(path));
    writeFileSync(copy, `${readFileSync(path, 'utf8')}only in the copy\n`);
    await rescanTwice(store);
    await change(store, project, 'folder', folder.id, { name: 'Zone' });
    await store.flush();
    await change(store, project, 'document', page.id, { title: 'Renamed' });
    await store.flush();
    await rescanTwice(store);
    const served = await read(store, project, 'document', page.id);
    const text = existsSync(copy) ? readFileSync(copy, 'utf8') : '';
    expect(`${served?.body}${text}`).to.contain('only in the copy');
  });

  it('names in history edits made while no service ran, although the journal was idle before [A.open.written]', async () => {
    await store.close();
    const clock = new ManualClock(Date.now());
    store = await openStore(scratch.path, { clock });
    const item = await clock.during(newItem(store, project, { status: 'acknowledged' }));
    await clock.during(store.flush());
    await clock.pass(4500);
    store.abandon();
    edit(item.id, 'status: acknowledged', 'status: edited');
    store = await openStore(scratch.path);
    expect((await read(store, project, 'task', item.id))?.status).to.equal('edited');
    expect(await formerValues(item.id)).to.contain('acknowledged');
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

  it('removes the torn file of a removed record in a folder that the record was moved to [A.crash.power-cut]', async () => {
    const [first, second] = [
      await newFolder(store, project, { name: 'First' }),
      await newFolder(store, project, { name: 'Second' }),
    ];
    const page = await newPage(store, project, { title: 'Soil', folder_id: first.id });
    await store.close();
    store = await openStore(scratch.path, { clock: new ManualClock(Date.now()) });
    await change(store, project, 'document', page.id, { folder_id: second.id });
    await store.update(project, meta, (tx) => tx.remove('document', page.id));
    store.abandon();
    // The power cut left the new name, and half of the content.
    const path = fileNamed(directory, 'Soil');
    const torn = join(directory, 'documents/Second', basename(path));
    writeFileSync(torn, readFileSync(path).subarray(0, 50));
    rmSync(path);
    store = await openStore(scratch.path);
    await store.rescan();
    await store.flush();
    expect(existsSync(torn)).to.equal(false);
    expect(store.check()).to.deep.equal([]);
  });
});
