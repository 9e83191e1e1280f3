import { expect } from 'chai';
import { hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { projectCodeOf } from '../../src/base/ids.ts';
import { CheckpointWriter } from '../../src/store/files/checkpoint/checkpoint-writer.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import {
  afterBoot,
  change,
  clock,
  fileNamed,
  formerValuesOf,
  meta,
  newFolder,
  newItem,
  newPage,
  openStore,
  read,
  recordingSyncs,
  remove,
  rescanTwice,
  storeWithProject,
  type TestStore,
  write,
} from '../support/plan-store.ts';
import { createRenderer } from '../support/renderer.ts';

/** Schedules with files that got other names, which the simulator has found with all actors, in their shortest form. */
describe('A store that a simulation has found at fault after files were renamed', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  it('keeps the text of a record while an editor empties a file at the path that it had before, to write it', async () => {
    const item = await newItem(store, project, { title: 'Dig', text: 'Deep.' });
    await store.flush();
    const former = fileNamed(directory, item.id);
    const content = readFileSync(former, 'utf8');
    await change(store, project, 'task', item.id, { title: 'Sow' });
    await store.flush();
    for (const saved of ['', content.replace('Deep.', 'Wide.')]) {
      write(former, saved);
      await store.rescan();
      expect((await read(store, project, 'task', item.id))?.text).to.equal(saved === '' ? 'Deep.' : 'Wide.');
    }
    expect(await formerValuesOf(store, project, item.id)).not.to.contain('""');
  });

  it('syncs the names in a directory that a person moved before they were synced [A.crash.power-cut]', async () => {
    const [outer, other] = await Promise.all(['First', 'Other'].map((name) => newFolder(store, project, { name })));
    await store.close();
    const { disk, synced } = recordingSyncs();
    store = await openStore(scratch.path, { disk });
    const inner = await newFolder(store, project, { name: 'Second', parent_folder_id: outer!.id });
    await store.flush();
    const [from, to] = ['First', 'Other/First'].map((name) => join(directory, 'documents', name));
    renameSync(from!, to!);
    await rescanTwice(store);
    expect((await read(store, project, 'folder', outer!.id))?.parent_folder_id).to.equal(other!.id);
    synced.length = 0;
    await store.close();
    store = await openStore(scratch.path);
    expect(await read(store, project, 'folder', inner.id)).to.include({ parent_folder_id: outer!.id });
    expect(synced).to.include.members([to, join(to!, 'Second')]);
  });

  it('reports a save by rename after the check, which got the new name of a moved file [A.write.look-back]', () => {
    const [from, path, saved] = ['from.md', 'to.md', 'saved.md'].map((name) => join(directory, 'documents', name));
    write(from!, 'Some loam.');
    const disk = hookedDisk({
      rename: () => {
        write(saved!, 'Some clay.');
        renameSync(saved!, from!);
      },
    });
    const writer = new CheckpointWriter({
      disk,
      root: join(scratch.path, '.planner'),
      renderer: createRenderer('new'),
    });
    const bytes = 'Some loam.';
    const expected = { sha256: hash('sha256', bytes, 'hex') };
    const [result] = writer.run([{ key: 'moved', kind: 'file', from, path: path!, expect: expected, bytes }]).results;
    expect(result).to.deep.equal({ key: 'moved', status: 'changed', path, bytes: readFileSync(path!) });
    expect(readFileSync(path!, 'utf8')).to.equal('Some clay.');
  });

  it('does not know a file that a save of the same size has changed between the rename and a slow stat [A.write.look-back]', () => {
    const path = join(directory, 'tasks', 'a.md');
    let now = 0;
    const disk = hookedDisk({
      statOpen: () => {
        if (!existsSync(path)) return;
        now += 200;
        write(path, 'Some clay.');
      },
    });
    const { results } = new CheckpointWriter({
      ...{ disk, root: join(scratch.path, '.planner'), renderer: createRenderer('new') },
      clock: { ...systemClock, monotonic: () => now },
    }).run([{ key: 'a', kind: 'file', path, expect: null, bytes: 'Some loam.' }]);
    expect(results[0]).to.include({ status: 'ok', emitsEvent: false });
    expect(results[0]).not.to.have.nested.property('stat.ino', statSync(path).ino);
  });

  it('keeps in history text that an editor saves of one record into the file of another, while that is replaced [A.write.look-back]', async () => {
    const [own, other] = [await newItem(store, project, { status: 'todo' }), await newItem(store, project)];
    await store.close();
    const path = fileNamed(directory, other.id);
    const saved = readFileSync(fileNamed(directory, own.id), 'utf8').replace('status: todo', 'status: saved');
    let saves = 1;
    const rename: typeof nodeDisk.rename = (from, to) => {
      const opened = to === path && saves-- > 0 ? openSync(path, 'r+') : undefined;
      nodeDisk.rename(from, to);
      if (opened === undefined) return;
      ftruncateSync(opened);
      writeSync(opened, saved, 0);
      closeSync(opened);
    };
    store = await openStore(scratch.path, { disk: { ...nodeDisk, rename } });
    await change(store, project, 'task', other.id, { owner: 'me' });
    await store.flush();
    expect((await read(store, project, 'task', own.id))?.status).to.equal('todo');
    expect((await read(store, project, 'task', other.id))?.owner).to.equal('me');
    expect(await formerValuesOf(store, project, own.id)).to.contain('saved');
    expect(store.check().map(({ kind, id }) => ({ kind, id }))).to.deep.equal([{ kind: 'overridden', id: own.id }]);
  });

  it('counts a file as emptied after the grace period if an empty one has replaced it', async () => {
    const path = join(directory, 'documents', 'Soil.md');
    write(path, 'Some loam.\n');
    await store.rescan();
    const [page] = await store.read(project, (view) => [...view.list('document')]);
    const empty = join(scratch.path, 'empty');
    write(empty, '');
    renameSync(empty, path);
    for (const body of ['Some loam.', '']) {
      await store.rescan();
      expect((await read(store, project, 'document', page!.id))?.body).to.equal(body);
      clock.skip(2100);
    }
  });

  it('keeps the text of a file that was replaced, and that an editor empties to write it while it is read [A.format.empty]', async () => {
    const page = await newPage(store, project, { title: 'Soil', body: 'Some loam.' });
    await store.close();
    const path = fileNamed(directory, `.${page.id.slice(-4)}.`);
    const content = readFileSync(path, 'utf8');
    let isOpened = false;
    const readSame: typeof nodeDisk.readSame = (from, stat) => {
      const bytes = nodeDisk.readSame(from, stat);
      if (from === path && isOpened) truncateSync(path);
      return bytes;
    };
    store = await openStore(scratch.path, { disk: { ...nodeDisk, readSame } });
    isOpened = true;
    const saved = join(scratch.path, 'saved');
    write(saved, content);
    renameSync(saved, path);
    await store.rescan();
    expect(readFileSync(path, 'utf8')).to.equal('');
    isOpened = false;
    expect((await read(store, project, 'document', page.id))?.body).to.equal('Some loam.');
    write(path, content.replace('loam', 'clay'));
    await store.rescan();
    expect((await read(store, project, 'document', page.id))?.body).to.equal('Some clay.');
    expect(await formerValuesOf(store, project, page.id)).not.to.contain('""');
  });

  it('serves no empty document while an editor empties a file at the path that a document had before, to write it [A.format.empty]', async () => {
    const page = await newPage(store, project, { title: 'Soil', body: 'Some loam.' });
    await store.flush();
    const former = fileNamed(directory, `.${page.id.slice(-4)}.`);
    const content = readFileSync(former, 'utf8');
    await change(store, project, 'document', page.id, { title: 'Earth' });
    await store.flush();
    for (const saved of ['', content]) {
      write(former, saved);
      await store.rescan();
      const pages = await store.read(project, (view) => [...view.list('document')]);
      expect(pages.map(({ id, body }) => ({ id, body }))).to.deep.equal([{ id: page.id, body: 'Some loam.' }]);
    }
  });

  it('keeps a folder whose own file alone a power cut has lost, and writes it again [A.crash.power-cut]', async () => {
    await store.close();
    store = await openStore(scratch.path, { disk: afterBoot('first') });
    const folder = await newFolder(store, project, { name: 'Beds' });
    const page = await newPage(store, project, { title: 'Soil', folder_id: folder.id });
    await store.flush();
    await change(store, project, 'folder', folder.id, { name: 'Rows' });
    store.abandon();
    const own = join(directory, 'documents/Rows/.folder.json');
    renameSync(join(directory, 'documents/Beds'), dirname(own));
    const content = readFileSync(own, 'utf8');
    remove(own);
    store = await openStore(scratch.path, { disk: afterBoot('second') });
    expect(await read(store, project, 'document', page.id)).to.include({ folder_id: folder.id });
    const folders = await store.read(project, (view) => [...view.list('folder')]);
    expect(folders.map(({ id, name }) => ({ id, name }))).to.deep.equal([{ id: folder.id, name: 'Rows' }]);
    await store.flush();
    expect(readFileSync(own, 'utf8')).to.equal(content);
    expect(store.check()).to.deep.equal([]);
  });

  it('keeps a folder in an empty directory where a removed one was before [A.crash.power-cut]', async () => {
    const former = await newFolder(store, project, { name: 'Beds' });
    await store.close();
    store = await openStore(scratch.path, { disk: afterBoot('first') });
    await change(store, project, 'folder', former.id, { name: 'Rows' });
    await store.flush();
    mkdirSync(join(directory, 'documents/Beds'));
    await rescanTwice(store);
    const folders = await store.read(project, (view) => [...view.list('folder')]);
    const { id } = folders.find(({ name }) => name === 'Beds')!;
    const page = await newPage(store, project);
    await store.flush();
    await change(store, project, 'document', page.id, { folder_id: id });
    await store.update(project, meta, (tx) => tx.remove('folder', former.id));
    store.abandon();
    store = await openStore(scratch.path, { disk: afterBoot('second') });
    await store.flush();
    const names = await store.read(project, (view) => [...view.list('folder')].map(({ name }) => name));
    expect(names).to.deep.equal(['Beds']);
    expect((await read(store, project, 'document', page.id))?.folder_id).to.equal(id);
    expect(store.check()).to.deep.equal([]);
  });

  it('takes nothing of a record whose file a person removed into a new file at a path that it had before', async () => {
    const path = join(directory, 'documents/Soil.md');
    const served = (): Promise<string[][]> =>
      store.read(project, (view) => [...view.list('document')].map(({ title, body }) => [title, body]));
    write(path, 'Some loam.\n');
    await store.rescan();
    const [page] = await store.read(project, (view) => [...view.list('document')]);
    await change(store, project, 'document', page!.id, { title: 'Earth' });
    await store.flush();
    const renamed = join(directory, 'documents/Loam.md');
    renameSync(path, renamed);
    await rescanTwice(store);
    rmSync(renamed);
    await rescanTwice(store);
    expect(await served()).to.deep.equal([]);
    write(path, 'Sow in spring.\n');
    await store.rescan();
    expect(await served()).to.deep.equal([['Soil', 'Sow in spring.']]);
  });

  it('keeps a move by a client if a power cut loses the new place alone of a file edited there [A.crash.power-cut]', async () => {
    const [first, second] = await Promise.all(['Beds', 'Rows'].map((name) => newFolder(store, project, { name })));
    await store.close();
    store = await openStore(scratch.path, { disk: afterBoot('first') });
    const page = await newPage(store, project, { title: 'Soil', body: 'Loam.', folder_id: first!.id });
    await store.flush();
    const path = fileNamed(directory, page.id.slice(-4));
    await change(store, project, 'document', page.id, { folder_id: second!.id });
    await store.flush();
    const moved = fileNamed(directory, page.id.slice(-4));
    write(moved, readFileSync(moved, 'utf8').replace('Loam.', 'Clay.'));
    await store.rescan();
    await change(store, project, 'document', page.id, { status: 'draft' });
    store.abandon();
    renameSync(moved, path);
    store = await openStore(scratch.path, { disk: afterBoot('second') });
    await store.flush();
    const { folder_id, status, body } = (await read(store, project, 'document', page.id))!;
    expect([folder_id, status, body]).to.deep.equal([second!.id, 'draft', 'Clay.']);
    expect(existsSync(moved)).to.equal(true);
    expect(store.check()).to.deep.equal([]);
  });

  it('removes a document of a removed folder again whose directory is another folder since [A.crash.power-cut]', async () => {
    await store.close();
    store = await openStore(scratch.path, { disk: afterBoot('first') });
    const folder = await newFolder(store, project, { id: `fld_${projectCodeOf(project)}0123456789`, name: 'Beds' });
    const page = await newPage(store, project, { title: 'Soil', folder_id: folder.id });
    await store.flush();
    const paths = ['.folder.json', page.id.slice(-4)].map((name) => fileNamed(join(directory, 'documents/Beds'), name));
    const contents = paths.map((path) => readFileSync(path));
    write(join(directory, 'documents/Beds/Rows.md'), 'Peas.\n');
    await store.update(project, meta, (tx) => {
      tx.remove('document', page.id);
      tx.remove('folder', folder.id);
    });
    await store.flush();
    await rescanTwice(store);
    store.abandon();
    for (const [at, path] of paths.entries()) writeFileSync(path, contents[at]!);
    store = await openStore(scratch.path, { disk: afterBoot('second') });
    await store.flush();
    await rescanTwice(store);
    const pages = await store.read(project, (view) => [...view.list('document')].map(({ title }) => title));
    expect(pages).to.deep.equal(['Rows']);
    expect(paths.map((path) => existsSync(path))).to.deep.equal([false, false]);
    expect(store.check()).to.deep.equal([]);
  });
});
