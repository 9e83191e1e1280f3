import { expect } from 'chai';
import { hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { CheckpointWriter } from '../../src/store/files/checkpoint/checkpoint-writer.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import {
  afterBoot,
  change,
  clock,
  fileNamed,
  formerValuesOf,
  newFolder,
  newItem,
  newPage,
  openStore,
  read,
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
});
