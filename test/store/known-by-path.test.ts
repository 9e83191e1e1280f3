import { expect } from 'chai';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deletionGraceMs } from '../../src/store/files/life/path-life.ts';
import { git } from '../support/git.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  afterBoot,
  change,
  fileNamed,
  type Folder,
  formerValuesOf,
  type Item,
  meta,
  newItem,
  newPage,
  openStore,
  type Page,
  read,
  remove,
  reopened,
  rescanTwice,
  storeWithProject,
  type TestStore,
  tree,
  write,
} from '../support/plan-store.ts';

/** Files that Planner has never written. */
describe('Files without an id', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  const at = (path: string): string => join(directory, path);

  const look = (): Promise<void> => rescanTwice(store);

  async function reopen(withCache = true): Promise<void> {
    store = await reopened(store, scratch.path, withCache);
  }

  /** The ids of all tasks by their titles, which are the names of their files. */
  async function ids(): Promise<Record<string, string>> {
    const items = await store.read(project, (view) => [...view.list('task')] as Item[]);
    expect(new Set(items.map(({ id }) => id)).size).to.equal(items.length);
    return Object.fromEntries(items.map(({ id, title }) => [title, id]));
  }

  /** The ids of all documents by their paths. */
  const pages = (): Promise<Record<string, string>> =>
    store.read(project, (view) =>
      Object.fromEntries([...view.list('document')].map(({ id }) => [view.pathOf(id)!.split('documents/')[1]!, id])),
    );

  /** Adds a file without an id; returns the id of its record. */
  async function add(name: string, text = `Text of ${name}\n`): Promise<string> {
    write(at(`tasks/${name}.md`), text);
    await look();
    return (await ids())[name]!;
  }

  /** Replaces a file by one with another inode under another name, as git does. */
  function recreate(from: string, to: string): void {
    write(at(to), readFileSync(at(from), 'utf8'));
    rmSync(at(from));
  }

  it('keep id and history if a rescan finds their inodes under other names, and not a byte is written [A.format.by-path, A.edit.no-write-back]', async () => {
    const id = await add('a');
    writeFileSync(at('tasks/a.md'), 'Other text\n');
    await look();
    renameSync(at('tasks/a.md'), at('tasks/b.md'));
    await look();
    expect(await ids()).to.deep.equal({ b: id });
    await store.flush();
    expect(tree(at('tasks'))).to.deep.equal({ 'b.md': 'Other text\n' });
    expect(await formerValuesOf(store, project, id)).to.contain('Text of a');
    renameSync(at('tasks/b.md'), at('tasks/c.md'));
    await look();
    expect(await ids()).to.deep.equal({ c: id });
    expect(store.check()).to.deep.equal([]);
  });

  it('keep them in another directory if a rescan finds their contents and names there [A.format.by-path]', async () => {
    for (const name of ['Old/one', 'Old/two', 'three']) write(at(`documents/${name}.md`), 'The same in each\n');
    await look();
    const before = await pages();
    mkdirSync(at('documents/New'));
    for (const name of ['one', 'two']) recreate(`documents/Old/${name}.md`, `documents/New/${name}.md`);
    recreate('documents/three.md', 'documents/four.md');
    await look();
    const { 'four.md': four, ...others } = await pages();
    expect(others).to.deep.equal({ 'New/one.md': before['Old/one.md'], 'New/two.md': before['Old/two.md'] });
    expect(four).not.to.equal(before['three.md']);
    expect(store.check()).to.deep.equal([]);
  });

  it('are other records under other names otherwise, and copies are [A.format.by-path]', async () => {
    const id = await add('a');
    copyFileSync(at('tasks/a.md'), at('tasks/copy.md'));
    await look();
    const { copy } = await ids();
    expect(await ids()).to.deep.equal({ a: id, copy });
    recreate('tasks/a.md', 'tasks/b.md');
    await look();
    const { b } = await ids();
    expect([id, copy]).not.to.include(b);
    mkdirSync(at('documents'));
    renameSync(at('tasks/b.md'), at('documents/b.md'));
    await look();
    expect(await ids()).to.deep.equal({ copy });
    expect(Object.values(await pages())).not.to.include(b);
  });

  it('have the ids that their paths derive again once nothing is known of them in local/ [A.format.by-path]', async () => {
    const id = await add('a');
    renameSync(at('tasks/a.md'), at('tasks/b.md'));
    await look();
    await reopen();
    expect(await ids()).to.deep.equal({ b: id });
    await reopen(false);
    const { b } = await ids();
    expect(b).not.to.equal(id);
    renameSync(at('tasks/b.md'), at('tasks/a.md'));
    await look();
    await reopen(false);
    expect(await ids()).to.deep.equal({ a: id });
  });

  it('leave their names to other records, which are others over restarts and in clones, too [A.format.by-path]', async () => {
    const id = await add('a');
    renameSync(at('tasks/a.md'), at('tasks/b.md'));
    await look();
    const other = await add('a', 'Something else\n');
    expect(other).not.to.equal(id);
    expect(await ids()).to.deep.equal({ a: other, b: id });
    await reopen();
    expect(await ids()).to.deep.equal({ a: other, b: id });
    // The service writes the id into the file: a clone reads the same two records, whatever it reads first.
    await change(store, project, 'task', id, { status: 'done' });
    await store.close();
    rmSync(join(scratch.path, '.planner/local'), { recursive: true });
    store = await openStore(scratch.path);
    expect(await ids()).to.deep.equal({ a: other, b: id });
    expect(await store.read(project, (view) => view.problems)).to.deep.equal([]);
    expect(store.check()).to.deep.equal([]);
  });

  it('keep their records by what refers to them, wherever they are moved then [A.format.by-path, A.format.no-id]', async () => {
    const id = await add('a');
    await newItem(store, project, { title: 'Refers', links: [{ to: id, id: undefined as never, type: 'task' }] });
    // Before the id is in the file, and after it.
    renameSync(at('tasks/a.md'), at('tasks/b.md'));
    await look();
    expect((await ids())['b']).to.equal(id);
    await store.flush();
    expect(readFileSync(at('tasks/b.md'), 'utf8')).to.contain(`id: ${id}\n`);
    await store.close();
    write(at('tasks/c.md'), readFileSync(at('tasks/b.md'), 'utf8').replace('Text of a', 'Nothing in common'));
    rmSync(at('tasks/b.md'));
    rmSync(join(scratch.path, '.planner/local'), { recursive: true });
    store = await openStore(scratch.path);
    expect((await ids())['c']).to.equal(id);
    expect(await store.read(project, (view) => view.incoming(id))).to.have.length(1);
  });

  it('get their ids after a kill if something began to refer to them before it [A.format.no-id, A.crash.points]', async () => {
    const id = await add('a');
    await store.close();
    const clock = new ManualClock(Date.now());
    store = await openStore(scratch.path, { clock });
    await clock.during(
      newItem(store, project, { title: 'Refers', links: [{ to: id, id: undefined as never, type: 'task' }] }),
    );
    store.abandon();
    expect(readFileSync(at('tasks/a.md'), 'utf8')).to.equal('Text of a\n');
    store = await openStore(scratch.path);
    await store.flush();
    expect(readFileSync(at('tasks/a.md'), 'utf8')).to.contain(`id: ${id}\n`);
  });

  it('get other ids if theirs are found in other files, whichever is read first [A.format.by-path, A.edit.two-ids]', async () => {
    const id = await add('a');
    await change(store, project, 'task', id, { status: 'done' });
    await store.flush();
    for (const name of ['b', '0']) {
      const [former] = Object.keys(tree(at('tasks'))).filter((one) => one !== 'a.md' || name === 'b');
      renameSync(at(`tasks/${former}`), at(`tasks/${name}.md`));
      write(at('tasks/a.md'), 'Another one\n');
      await look();
      const { [name]: renamed, a } = await ids();
      expect(renamed).to.equal(id);
      expect(a).to.be.a('string').and.not.to.equal(id);
      await reopen(false);
      expect(await ids()).to.deep.equal({ [name]: id, a });
    }
    expect(await store.read(project, (view) => view.problems)).to.deep.equal([]);
  });

  it('leave it to the file that contains it, although the opening knows their path for it [A.format.by-path, A.crash.points]', async () => {
    write(at('documents/Old/page.md'), 'First text\n');
    await look();
    const { 'Old/page.md': page } = await pages();
    await reopen();
    await change(store, project, 'document', page!, { folder_id: null });
    await store.flush();
    // The index cache has the former paths.
    store.abandon();
    write(at('documents/Old/page.md'), 'Another one\n');
    store = await openStore(scratch.path);
    const { 'page.md': moved, 'Old/page.md': other } = await pages();
    expect(moved).to.equal(page);
    expect(other).to.be.a('string').and.not.to.equal(page);
    expect((await read(store, project, 'document', page!))?.body).to.equal('First text');
    expect(await store.read(project, (view) => view.problems)).to.deep.equal([]);
    expect(store.check()).to.deep.equal([]);
  });

  it('by git mv, and by a checkout there and back, keep their ids; the tree stays clean [A.format.by-path, A.edit.back]', async () => {
    const id = await add('a');
    git(scratch.path, 'init', '-q', '-b', 'main');
    git(scratch.path, 'add', '-A');
    git(scratch.path, 'commit', '-qm', 'a');
    git(directory, 'mv', 'tasks/a.md', 'tasks/b.md');
    await look();
    expect(await ids()).to.deep.equal({ b: id });
    git(scratch.path, 'commit', '-qm', 'b');
    git(scratch.path, 'checkout', '-q', 'HEAD~1');
    await look();
    expect(await ids()).to.deep.equal({ a: id });
    await store.flush();
    expect(git(scratch.path, 'status', '--porcelain')).to.equal('');
  });

  it('whose names contain the id of a file elsewhere are listed, and one of the two is served [A.edit.two-ids]', async () => {
    const item = await newItem(store, project, { title: 'Kept' });
    await store.flush();
    const [name] = Object.keys(tree(at('tasks')));
    renameSync(at(`tasks/${name}`), at('tasks/moved.md'));
    await look();
    write(at(`tasks/${name}`), 'Without an id\n');
    await look();
    const problems = await store.read(project, (view) => view.problems.map(({ kind, id }) => ({ kind, id })));
    expect(problems).to.deep.equal([{ kind: 'duplicate_id', id: item.id }]);
    remove(at(`tasks/${name}`));
    await look();
    expect(await store.read(project, (view) => view.problems)).to.deep.equal([]);
  });

  it('that lost their id keep it through more edits, over restarts too [A.format.path-remembers]', async () => {
    const item = await newItem(store, project, { title: 'Kept', owner: 'me' });
    await store.flush();
    const [name] = Object.keys(tree(at('tasks')));
    renameSync(at(`tasks/${name}`), at('tasks/plain.md'));
    await look();
    for (const text of ['One\n', 'Two\n', 'Three\n']) {
      writeFileSync(at('tasks/plain.md'), text);
      utimesSync(at('tasks/plain.md'), new Date(), new Date());
      await look();
      expect(await read(store, project, 'task', item.id)).to.include({ text: text.trim(), owner: 'me' });
    }
    await reopen();
    expect(await read(store, project, 'task', item.id)).to.include({ text: 'Three', owner: 'me' });
    await store.close();
    writeFileSync(at('tasks/plain.md'), 'Four\n');
    store = await openStore(scratch.path);
    expect(await read(store, project, 'task', item.id)).to.include({ text: 'Four', owner: 'me' });
    expect(await store.read(project, (view) => view.count('task'))).to.equal(1);
  });

  it('that lost their id since the last index cache keep it and their fields after a kill [A.format.path-remembers, A.crash.points]', async () => {
    const [item, page] = [
      await newItem(store, project, { title: 'Kept', owner: 'me' }),
      await newPage(store, project, { title: 'Kept', status: 'seen' }),
    ];
    await store.flush();
    for (const { id } of [item, page]) writeFileSync(fileNamed(directory, id.slice(-4)), 'Text alone\n');
    await look();
    await store.flush();
    store.abandon();
    store = await openStore(scratch.path);
    expect(await read(store, project, 'task', item.id)).to.include({ text: 'Text alone', owner: 'me' });
    expect(await read(store, project, 'document', page.id)).to.include({ body: 'Text alone', status: 'seen' });
    expect(await store.read(project, (view) => [view.count('task'), view.count('document')])).to.deep.equal([1, 1]);
  });

  it('that lost their id and were edited again keep the fields of the last edit after a power cut [A.format.path-remembers, A.crash.power-cut]', async () => {
    const item = await newItem(store, project, { title: 'Kept', status: 'first', text: 'One line.\n' });
    await store.close();
    store = await openStore(scratch.path);
    const path = fileNamed(directory, item.id);
    writeFileSync(path, readFileSync(path, 'utf8').replace('first', 'second'));
    await look();
    for (const text of [
      'Some more text, which is long enough.\n',
      'Some more text, which is long enough.\nAnd a line.\n',
    ]) {
      writeFileSync(path, text);
      await look();
    }
    await store.flush();
    store.abandon();
    // A part of the last edit is not on the disk.
    writeFileSync(path, 'Some more text, which is long enough.\nAnd a');
    store = await openStore(scratch.path, { disk: afterBoot('another') });
    expect(await read(store, project, 'task', item.id)).to.include({
      status: 'second',
      text: 'Some more text, which is long enough.\nAnd a',
    });
  });

  it('that are back without their ids have the values of changes that were not written when they were removed [A.format.path-remembers, A.edit.gone]', async () => {
    await store.close();
    const manual = new ManualClock(Date.now());
    store = await openStore(scratch.path, { clock: manual });
    const item = await newItem(store, project, { title: 'Kept', status: 'first' });
    await store.flush();
    const path = fileNamed(directory, item.id);
    await manual.during(change(store, project, 'task', item.id, { status: 'second' }));
    rmSync(path);
    await store.rescan();
    manual.sleep(2 * deletionGraceMs);
    await store.rescan();
    expect(await read(store, project, 'task', item.id)).to.equal(undefined);
    writeFileSync(path, 'Text alone\n');
    await store.rescan();
    expect(await read(store, project, 'task', item.id)).to.include({ status: 'second', text: 'Text alone' });
  });
});

/** What is shared by files of other tools, which number them, and copy a template with its id. */
describe('Files with one id', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  for (const id of ['TASK-1', 'tsk_4n0c2m8w1x7k9q3f'])
    it(`are all listed but the one that is served, always the same: ${id} [A.edit.two-ids, A.edit.foreign-id]`, async () => {
      const file = (text: string): string => `---\nid: ${id}\n---\n${text}\n`;
      for (const [name, text] of Object.entries({ two: 'Second', three: 'Third', one: 'First' })) {
        write(join(directory, `tasks/${name}.md`), file(text));
        await rescanTwice(store);
      }
      for (const withCache of [undefined, true]) {
        if (withCache !== undefined) store = await reopened(store, scratch.path, withCache);
        const items = await store.read(project, (view) => [...view.list('task')] as Item[]);
        expect(items.map((item) => [item.id, item.text])).to.deep.equal([[id, 'Second']]);
        const problems = await store.read(project, (view) => view.problems);
        expect(problems.map(({ kind, path }) => `${kind} ${path.split('/').at(-1)}`)).to.deep.equal([
          'duplicate_id one.md',
          'duplicate_id three.md',
        ]);
      }
    });
});

describe('A folder that Planner has not made', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  const at = (path: string): string => join(directory, 'documents', path);
  const look = (): Promise<void> => rescanTwice(store);

  /** The ids of all folders by name; each document's folder is the one whose directory has its file. */
  async function folders(): Promise<Record<string, string>> {
    const all = await store.read(project, (view) => [...view.list('folder')] as Folder[]);
    const found = await store.read(project, (view) => [...view.list('document')] as Page[]);
    for (const { id, folder_id } of found) {
      const path = await store.read(project, (view) => view.pathOf(id));
      const name = path!.split('/').at(-2);
      expect(all.find((folder) => folder.id === folder_id)?.name ?? 'documents').to.equal(name);
    }
    return Object.fromEntries(all.map(({ id, name }) => [name, id]));
  }

  it('is known by its path: renamed it is another one, its documents are the same, and nothing is written [A.format.by-path, A.hands.directories]', async () => {
    for (const path of ['Old/one', 'Old/two', 'Old/Deep/three']) write(at(`${path}.md`), `Text of ${path}\n`);
    await look();
    const before = await folders();
    const documents = await store.read(project, (view) => [...view.list('document')].map(({ id }) => id));
    renameSync(at('Old'), at('New'));
    const files = tree(directory);
    await look();
    const { New, Deep, ...others } = await folders();
    expect(others).to.deep.equal({});
    expect(Object.values(before)).to.not.include.members([New, Deep]);
    expect(await store.read(project, (view) => [...view.list('document')].map(({ id }) => id))).to.have.members(
      documents,
    );
    renameSync(at('New'), at('Old'));
    await look();
    expect(await folders()).to.deep.equal(before);
    renameSync(at('Old'), at('New'));
    expect(tree(directory)).to.deep.equal(files);
    await look();
    expect(store.check()).to.deep.equal([]);
  });

  it('leaves its name to another folder once it is changed and renamed [A.format.by-path]', async () => {
    write(at('Old/one.md'), 'First text\n');
    await look();
    const { Old: id } = await folders();
    await change(store, project, 'folder', id!, { name: 'New' });
    await store.flush();
    mkdirSync(at('Old'));
    await look();
    const found = await folders();
    expect(found['New']).to.equal(id);
    expect(found['Old']).to.be.a('string').and.not.to.equal(id);
    await store.update(project, meta, (tx) => tx.remove('folder', found['Old']!));
    await store.flush();
    expect(await folders()).to.deep.equal({ New: id });
    expect(store.check()).to.deep.equal([]);
  });

  it('moves a copy of a record, and does not serve it [A.edit.one-transaction, A.hands.copies-keep]', async () => {
    const text = (title: string): string => `---\nid: doc_page1\ntitle: ${title}\n---\n`;
    write(at('Page.md'), text('Of the record'));
    await look();
    write(at('Shed/Page.md'), text('Of the copy'));
    await look();
    const { Shed } = await folders();
    await change(store, project, 'folder', Shed!, { name: 'Attic' });
    await store.flush();
    await look();
    const [served] = await store.read(project, (view) => [...view.list('document')] as Page[]);
    expect(await store.read(project, (view) => view.pathOf(served!.id))).to.contain('documents/Page.md');
    expect(served).to.include({ title: 'Of the record', folder_id: null });
    const problems = await store.read(project, (view) => view.problems.map(({ path }) => path));
    expect(problems.join()).to.match(/Attic\/Page\.md$/);
  });
});
