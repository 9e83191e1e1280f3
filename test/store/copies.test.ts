import { expect } from 'chai';
import { copyFileSync, cpSync, readFileSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ManualClock } from '../support/manual-clock.ts';
import {
  change,
  fileNamed,
  formerValuesOf,
  meta,
  newFolder,
  newPage,
  openStore,
  read,
  remove,
  reopened,
  rescanTwice,
  storeWithProject,
  type TestStore,
  write,
} from '../support/plan-store.ts';

/** The names that tools give copies of `sync.md`. */
const copyNames = [
  'sync (1)',
  'sync 2',
  'sync - Copy',
  'sync copy',
  'sync-HOST',
  "sync (Bob's conflicted copy 2026-01-01)",
  'sync (conflicted copy 2026-01-01 120000)',
  'sync.sync-conflict-20260101-120000-ABCDEFG',
];

describe('Copies of a record file', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  let id: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );
  beforeEach(() => (id = `tsk_${project.slice(4, 10)}aaaabbbbcc`));

  const at = (name: string): string => join(directory, `${name}.md`);
  const text = (body: string): string => `---\nid: ${id}\ntitle: Named\nstatus: todo\n---\n\n${body}\n`;
  const put = (name: string, body: string): void => write(at(name), text(body));

  /** The path and the text of the record, and the paths of the listed copies. */
  const served = (): Promise<{ path: string; text: string | undefined; copies: string[] }> =>
    store.read(project, (view) => {
      const nameOf = (path = ''): string => path.split('/').slice(3).join('/').replace(/\.md$/, '');
      const record = view.get('task', id) ?? view.get('document', id);
      return {
        path: nameOf(view.pathOf(id)),
        text: (record === undefined ? undefined : 'text' in record ? record.text : record.body)?.trim(),
        copies: view.problems
          .filter(({ kind }) => kind === 'duplicate_id')
          .map(({ path }) => nameOf(path))
          .sort(),
      };
    });

  /** A change of the service is in the file of the record, and an edit of a person there is read. */
  async function isRecord(name: string, copies: Readonly<Record<string, string>>): Promise<void> {
    await change(store, project, 'task', id, { status: 'done' });
    await store.flush();
    expect(readFileSync(at(name), 'utf8')).to.contain('status: done');
    put(name, 'words of a person');
    await store.rescan();
    expect(await served()).to.deep.equal({ path: name, text: 'words of a person', copies: Object.keys(copies).sort() });
    for (const [copy, body] of Object.entries(copies)) expect(readFileSync(at(copy), 'utf8')).to.equal(text(body));
    expect(store.check().filter(({ kind }) => kind !== 'duplicate_id')).to.deep.equal([]);
  }

  for (const name of copyNames)
    it(`never take over the record that a person named: ${name} [A.hands.copies-keep]`, async () => {
      put('tasks/sync', 'original words');
      await store.rescan();
      put(`tasks/${name}`, 'OLD words');
      await store.rescan();
      const kept = { path: 'tasks/sync', text: 'original words', copies: [`tasks/${name}`] };
      expect(await served()).to.deep.equal(kept);
      put(`tasks/${name}`, 'other OLD words');
      await store.rescan();
      expect(await served()).to.deep.equal(kept);
      for (const withCache of [true, false]) {
        store = await reopened(store, scratch.path, withCache);
        expect(await served(), `with a cache: ${withCache}`).to.deep.equal(kept);
      }
      await isRecord('tasks/sync', { [`tasks/${name}`]: 'other OLD words' });
    });

  for (const name of ['aaa', 'tasks/Archive'])
    it(`do not take it over by a name that has nothing of its own: ${name} [A.hands.copies-keep]`, async () => {
      const [own, copy] = name === 'aaa' ? ['tasks/sync', 'tasks/aaa'] : ['documents/sync', 'documents/Archive/sync'];
      if (name !== 'aaa') id = id.replace('tsk_', 'doc_');
      put(own, 'original words');
      await store.rescan();
      put(copy, 'OLD words');
      await store.rescan();
      const kept = { path: own, text: 'original words', copies: [copy] };
      expect(await served()).to.deep.equal(kept);
      store = await reopened(store, scratch.path);
      expect(await served()).to.deep.equal(kept);
      store.abandon();
      store = await openStore(scratch.path);
      expect(await served()).to.deep.equal(kept);
    });

  it('do not take it over if the texts are so long that the index cache leaves them out [A.hands.copies-keep]', async () => {
    const words = 'original words '.repeat(20_000).trim();
    put('tasks/sync', words);
    await store.rescan();
    put('tasks/aaa', 'OLD words');
    put('tasks/aab', 'OLD words '.repeat(30_000));
    await store.rescan();
    store = await reopened(store, scratch.path);
    expect((await served()).path).to.equal('tasks/sync');
    expect((await served()).copies).to.deep.equal(['tasks/aaa', 'tasks/aab']);
  });

  it('stay copies of a record that was served from a copy first, until the original is removed [A.hands.copies-keep]', async () => {
    put('tasks/sync (1)', 'first words');
    await store.rescan();
    put('tasks/sync', 'later words');
    await store.rescan();
    expect(await served()).to.deep.equal({ path: 'tasks/sync (1)', text: 'first words', copies: ['tasks/sync'] });
    store = await reopened(store, scratch.path);
    await isRecord('tasks/sync (1)', { 'tasks/sync': 'later words' });
    unlinkSync(at('tasks/sync (1)'));
    await rescanTwice(store);
    expect(await served()).to.deep.equal({ path: 'tasks/sync', text: 'later words', copies: [] });
  });

  it('serve the record from a folder that was removed before a kill, with the values of the removed original in history [A.edit.gone, A.crash.kill]', async () => {
    const folder = await newFolder(store, project, { name: 'Copies' });
    const page = await newPage(store, project, { title: 'Own', status: 'first' });
    await store.flush();
    const path = fileNamed(directory, page.id.slice(-4));
    copyFileSync(path, join(directory, 'documents/Copies/copy.md'));
    await rescanTwice(store);
    await change(store, project, 'document', page.id, { status: 'second' });
    await store.close();
    const clock = new ManualClock(Date.now());
    store = await openStore(scratch.path, { clock });
    await clock.during(store.update(project, meta, (tx) => tx.remove('folder', folder.id)));
    store.abandon();
    rmSync(path);
    store = await openStore(scratch.path);
    expect(await read(store, project, 'document', page.id)).to.include({ status: 'first', folder_id: null });
    expect(await formerValuesOf(store, project, page.id)).to.include('"status":"second"');
  });

  describe('among files that were never seen before', () => {
    const readAtOnce = async (how: string): Promise<void> => {
      if (how === 'a rescan') await store.rescan();
      else store = await reopened(store, scratch.path, how === 'an opening');
    };
    for (const how of ['a rescan', 'an opening', 'an opening without a cache'])
      it(`have names that begin with the name of the record, for ${how} [A.hands.copies-keep]`, async () => {
        for (const name of copyNames) put(`tasks/${name}`, 'OLD words');
        put('tasks/sync', 'original words');
        await readAtOnce(how);
        const copies = copyNames.map((name) => `tasks/${name}`).sort();
        expect(await served()).to.deep.equal({ path: 'tasks/sync', text: 'original words', copies });
      });

    it('are those without the name that the service gives [A.hands.copies-keep]', async () => {
      const named = `tasks/named.${id}`;
      const copies = [`tasks/an-older-name.${id}`, `${named} (1)`, `${named}.sync-conflict-20260101-120000-AAAAAAA`];
      for (const name of [...copies, 'tasks/named']) put(name, 'OLD words');
      put(named, 'original words');
      await store.rescan();
      expect(await served()).to.deep.equal({
        path: named,
        text: 'original words',
        copies: [...copies, 'tasks/named'].sort(),
      });
    });

    it('are those that the names of directories show, and else those with the greater paths [A.hands.copies-keep]', async () => {
      id = id.replace('tsk_', 'doc_');
      put('documents/Shed/sync (1)', 'OLD words');
      put('documents/Shed (1)/sync', 'OLD words');
      put('documents/Shed/sync', 'original words');
      await store.rescan();
      expect((await served()).path).to.equal('documents/Shed/sync');
      for (const name of ['Shed/sync', 'Shed/sync (1)', 'Shed (1)/sync']) unlinkSync(at(`documents/${name}`));
      await rescanTwice(store);
      put('documents/b', 'other words');
      put('documents/a', 'words');
      await store.rescan();
      expect(await served()).to.deep.equal({ path: 'documents/a', text: 'words', copies: ['documents/b'] });
    });

    it('are a directory and all that is in it [A.hands.copies-keep]', async () => {
      const folder = `fld_${project.slice(4, 10)}aaaabbbbcc`;
      id = id.replace('tsk_', 'doc_');
      write(join(directory, 'documents/.folders.json'), `{"Shed": {"id": "${folder}"}}\n`);
      put('documents/Shed/sync', 'original words');
      await store.rescan();
      cpSync(join(directory, 'documents/Shed'), join(directory, 'documents/Shed (1)'), { recursive: true });
      put('documents/Shed (1)/sync', 'OLD words');
      for (const withCache of [true, false]) {
        await store.rescan();
        const kept = { path: 'documents/Shed/sync', text: 'original words' };
        expect(await served()).to.deep.include(kept);
        expect(await store.read(project, (view) => view.pathOf(folder))).to.contain('/Shed/');
        store = await reopened(store, scratch.path, withCache);
        expect(await served()).to.deep.include(kept);
      }
    });
  });

  describe('while the original', () => {
    beforeEach(async () => {
      put('tasks/sync', 'original words');
      await store.rescan();
      put('tasks/sync (1)', 'OLD words');
      await store.rescan();
    });

    const copies = { 'tasks/sync (1)': 'OLD words' };

    for (const how of ['a rescan', 'an opening', 'an opening after a kill'])
      it(`is renamed, do not take over the record, for ${how} [A.hands.copies-keep]`, async () => {
        store = await reopened(store, scratch.path);
        if (how === 'an opening') await store.close();
        if (how === 'an opening after a kill') store.abandon();
        renameSync(at('tasks/sync'), at('tasks/zeta'));
        put('tasks/aaa', 'OLD words');
        if (how === 'a rescan') await store.rescan();
        else store = await openStore(scratch.path);
        const all = { ...copies, 'tasks/aaa': 'OLD words' };
        const renamed = { path: 'tasks/zeta', text: 'original words', copies: Object.keys(all).sort() };
        expect(await served()).to.deep.equal(renamed);
        store = await reopened(store, scratch.path);
        expect(await served()).to.deep.equal(renamed);
        await isRecord('tasks/zeta', all);
      });

    it('is renamed by git, which writes a new file, do not take over the record [A.hands.copies-keep]', async () => {
      const bytes = readFileSync(at('tasks/sync'), 'utf8');
      unlinkSync(at('tasks/sync'));
      put('tasks/aaa', 'OLD words');
      write(at('tasks/zeta'), bytes);
      await store.rescan();
      await isRecord('tasks/zeta', { ...copies, 'tasks/aaa': 'OLD words' });
    });

    it('is renamed and edited, do not take over the record [A.hands.copies-keep]', async () => {
      unlinkSync(at('tasks/sync'));
      put('tasks/zeta', 'edited words');
      await store.rescan();
      expect(await served()).to.deep.equal({
        path: 'tasks/zeta',
        text: 'edited words',
        copies: ['tasks/sync (1)'],
      });
    });

    it('is missing for a moment, do not take over the record by being edited or made [A.hands.copies-keep]', async () => {
      renameSync(at('tasks/sync'), join(directory, '..', 'aside'));
      put('tasks/sync (1)', 'other OLD words');
      put('tasks/sync 2', 'OLD words');
      await store.rescan();
      expect(await served()).to.deep.include({ path: 'tasks/sync', text: 'original words' });
      renameSync(join(directory, '..', 'aside'), at('tasks/zeta'));
      await rescanTwice(store);
      await isRecord('tasks/zeta', { 'tasks/sync (1)': 'other OLD words', 'tasks/sync 2': 'OLD words' });
    });

    it('is deleted, become the record, and a copy again when it is back [A.hands.copies-keep]', async () => {
      copyFileSync(at('tasks/sync'), at('tasks/backup'));
      await store.rescan();
      for (const copy of ['tasks/backup', 'tasks/sync (1)']) {
        unlinkSync(at('tasks/sync'));
        await rescanTwice(store);
        expect((await served()).path).to.equal(copy);
        put('tasks/sync', 'original words');
        await rescanTwice(store);
        expect((await served()).path).to.equal('tasks/sync');
        if (copy === 'tasks/backup') unlinkSync(at('tasks/backup'));
        await rescanTwice(store);
      }
      await isRecord('tasks/sync', copies);
    });

    it('is replaced by a tool that renames it first, do not take over the record [A.hands.copies-keep]', async () => {
      const name = 'tasks/sync.sync-conflict-20260101-120000-ABCDEFG';
      renameSync(at('tasks/sync'), at(name));
      await rescanTwice(store);
      expect(await served()).to.deep.include({ path: name, text: 'original words' });
      put('tasks/sync', 'words of another machine');
      await store.rescan();
      expect(await served()).to.deep.include({ path: 'tasks/sync', text: 'words of another machine' });
      await isRecord('tasks/sync', { ...copies, [name]: 'original words' });
    });

    it('is unreadable, do not take over the record [A.hands.copies-keep, A.edit.unreadable]', async () => {
      write(at('tasks/sync'), text('original words').replace('status', '<<<<<<< ours\nstatus'));
      for (const again of [false, true]) {
        if (again) store = await reopened(store, scratch.path);
        else await store.rescan();
        expect(await served()).to.deep.equal({
          path: 'tasks/sync',
          text: 'original words',
          copies: ['tasks/sync (1)'],
        });
      }
      put('tasks/sync', 'original words');
      await store.rescan();
      await isRecord('tasks/sync', copies);
    });

    it('is changed by the service immediately, do not take over the record [A.hands.copies-keep]', async () => {
      await change(store, project, 'task', id, { title: 'Other', text: 'words of the service' });
      put('tasks/sync (2)', 'OLD words');
      await store.rescan();
      await store.flush();
      expect(readFileSync(at('tasks/sync'), 'utf8')).to.contain('words of the service');
      await isRecord('tasks/sync', { ...copies, 'tasks/sync (2)': 'OLD words' });
    });
  });

  it('do not take over a document whose folder the service renames, in it or next to it [A.hands.copies-keep]', async () => {
    id = id.replace('tsk_', 'doc_');
    put('documents/Shed/sync', 'original words');
    await store.rescan();
    put('documents/Shed/aaa', 'OLD words');
    put('documents/aaa', 'OLD words');
    await store.rescan();
    const folder = await store.read(project, (view) => [...view.list('folder')][0]!.id);
    await change(store, project, 'folder', folder, { name: 'Barn' });
    await store.flush();
    await store.rescan();
    const moved = {
      path: 'documents/Barn/sync',
      text: 'original words',
      copies: ['documents/Barn/aaa', 'documents/aaa'],
    };
    expect(await served()).to.deep.equal(moved);
    store = await reopened(store, scratch.path);
    expect(await served()).to.deep.equal(moved);
    remove(dirname(at('documents/Barn/sync')));
    await rescanTwice(store);
    expect(await served()).to.deep.equal({ path: 'documents/aaa', text: 'OLD words', copies: [] });
  });
});
