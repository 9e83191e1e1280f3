import { expect } from 'chai';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../support/git.ts';
import {
  change,
  formerValuesOf,
  type Item,
  newItem,
  openStore,
  read,
  remove,
  reopened,
  rescanTwice,
  storeWithProject,
  type TestStore,
  tree,
  write,
} from '../support/plan-store.ts';

describe('renamed files without an id', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  const at = (path: string): string => join(directory, path);

  const look = (): Promise<void> => rescanTwice(store);

  async function reopen(): Promise<void> {
    store = await reopened(store, scratch.path);
  }

  /** The ids of all tasks by their titles, which are the names of their files. */
  async function ids(): Promise<Record<string, string>> {
    const items = await store.read(project, (view) => [...view.list('task')] as Item[]);
    expect(new Set(items.map(({ id }) => id)).size).to.equal(items.length);
    return Object.fromEntries(items.map(({ id, title }) => [title, id]));
  }

  /** Adds a file without an id; returns the id of its record. */
  async function add(name: string, text = `Text of ${name}\n`): Promise<string> {
    write(at(`tasks/${name}.md`), text);
    await look();
    return (await ids())[name]!;
  }

  /** Replaces a file by one with another inode under another name, as git does. */
  function recreate(from: string, to: string, text = readFileSync(at(from), 'utf8')): void {
    write(at(to), text);
    rmSync(at(from));
  }

  async function revisions(id: string): Promise<number> {
    return store.read(project, (view) => view.revisions(id).length);
  }

  it('keep id and history, and not a byte is written [A.format.no-id-rename, A.edit.no-write-back]', async () => {
    const id = await add('a');
    writeFileSync(at('tasks/a.md'), 'Other text\n');
    await look();
    const before = await revisions(id);
    renameSync(at('tasks/a.md'), at('tasks/b.md'));
    await look();
    expect(await ids()).to.deep.equal({ b: id });
    await store.flush();
    expect(tree(at('tasks'))).to.deep.equal({ 'b.md': 'Other text\n' });
    expect(await revisions(id)).to.be.at.least(before);
    expect(before).to.equal(1);
    renameSync(at('tasks/b.md'), at('tasks/c.md'));
    await look();
    expect(await ids()).to.deep.equal({ c: id });
    expect(store.check()).to.deep.equal([]);
  });

  it('keep the links to them and the fields that the service sets [A.format.no-id-rename]', async () => {
    const id = await add('a');
    await newItem(store, project, { title: 'Refers', links: [{ to: id, id: undefined as never, type: 'task' }] });
    // Before the id is in the file, and after it.
    renameSync(at('tasks/a.md'), at('tasks/b.md'));
    await look();
    expect((await ids())['b']).to.equal(id);
    expect(await store.read(project, (view) => view.incoming(id))).to.have.length(1);
    await change(store, project, 'task', id, { status: 'done' });
    await store.flush();
    expect(readFileSync(at('tasks/b.md'), 'utf8'))
      .to.contain(`id: ${id}\n`)
      .and.to.contain('status: done');
    renameSync(at('tasks/b.md'), at('tasks/c.md'));
    await look();
    expect((await ids())['c']).to.equal(id);
    expect((await read(store, project, 'task', id))?.status).to.equal('done');
  });

  it('keep their id over a restart, with an index cache and without one [A.format.no-id-rename]', async () => {
    const id = await add('a');
    const large = await add('large', `${'A long line of text.\n'.repeat(8000)}`);
    renameSync(at('tasks/a.md'), at('tasks/b.md'));
    renameSync(at('tasks/large.md'), at('tasks/larger.md'));
    await look();
    await reopen();
    expect(await ids()).to.deep.equal({ b: id, larger: large });
    await store.close();
    rmSync(join(scratch.path, '.planner/local/index-cache'));
    store = await openStore(scratch.path);
    expect(await ids()).to.deep.equal({ b: id, larger: large });
    expect(store.check()).to.deep.equal([]);
  });

  it('while no service runs keep their id, also if they are changed since [A.format.no-id-rename]', async () => {
    const lines = (last: string): string => `First line\nSecond line\nThird line\n${last}\n`;
    const [moved, changed, copied] = [await add('a'), await add('b', lines('b')), await add('c')];
    await store.close();
    renameSync(at('tasks/a.md'), at('tasks/moved.md'));
    recreate('tasks/b.md', 'tasks/changed.md', lines('another'));
    recreate('tasks/c.md', 'tasks/copied.md');
    store = await openStore(scratch.path);
    expect(await ids()).to.deep.equal({ moved, changed, copied });
    expect(await revisions(changed)).to.equal(1);
    await reopen();
    expect(await ids()).to.deep.equal({ moved, changed, copied });
    expect(store.check()).to.deep.equal([]);
  });

  it('leave their name to another record, which is another one over restarts too [A.format.no-id-rename]', async () => {
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

  it('leave their name immediately: renaming and creating another are one edit [A.format.no-id-rename]', async () => {
    const id = await add('a', 'One\nTwo\nThree\n');
    renameSync(at('tasks/a.md'), at('tasks/b.md'));
    write(at('tasks/a.md'), 'Nothing in common\n');
    await look();
    const now = await ids();
    expect(now['b']).to.equal(id);
    expect(now['a']).to.be.a('string').and.not.to.equal(id);
    // A backup that an editor makes by renaming is another record: the edited file keeps its name.
    const edited = now['a']!;
    renameSync(at('tasks/a.md'), at('tasks/a copy.md'));
    write(at('tasks/a.md'), 'Nothing in common\nOne more\n');
    await look();
    const later = await ids();
    expect(later).to.include({ a: edited, b: id });
    expect(later['a copy']).to.be.a('string').and.not.to.equal(edited);
    await reopen();
    expect(await ids()).to.deep.equal(later);
    expect(store.check()).to.deep.equal([]);
  });

  it('are found after a kill, whatever the index cache knows [A.format.no-id-rename]', async () => {
    const id = await add('a');
    await reopen();
    renameSync(at('tasks/a.md'), at('tasks/b.md'));
    await look();
    const other = await add('a', 'Something else\n');
    await store.flush();
    store.abandon();
    store = await openStore(scratch.path);
    expect(await ids()).to.deep.equal({ a: other, b: id });
  });

  it('are distinguished from copies: a copy is a record of its own [A.format.no-id-rename]', async () => {
    const id = await add('a');
    copyFileSync(at('tasks/a.md'), at('tasks/copy.md'));
    await look();
    const copy = (await ids())['copy'];
    expect(await ids()).to.deep.equal({ a: id, copy });
    renameSync(at('tasks/a.md'), at('tasks/b.md'));
    copyFileSync(at('tasks/b.md'), at('tasks/c.md'));
    await look();
    const all = await ids();
    expect(all).to.include({ b: id, copy });
    expect(new Set(Object.values(all)).size).to.equal(3);
    rmSync(at('tasks/b.md'));
    await look();
    expect(Object.keys(await ids()).sort()).to.deep.equal(['c', 'copy']);
  });

  it('with equal contents follow the inode, else the name, else the order [A.format.no-id-rename]', async () => {
    const [a, b, c, d] = [await add('a', ''), await add('b', ''), await add('c', ''), await add('d', '')];
    // As if they had been there for a while: an empty file counts after a grace period.
    renameSync(at('tasks/a.md'), at('tasks/z.md'));
    renameSync(at('tasks/d.md'), at('tasks/y.md'));
    await look();
    expect(await ids()).to.deep.equal({ z: a, b, c, y: d });
    await store.close();
    const shared = 'The same text\n';
    for (const name of ['b', 'c', 'y', 'z']) rmSync(at(`tasks/${name}.md`));
    store = await openStore(scratch.path);
    for (const name of ['1', '2']) write(at(`documents/${name}/same.md`), shared);
    write(at('documents/3.md'), shared);
    await look();
    const pages = (): Promise<Record<string, string>> =>
      store.read(project, (view) =>
        Object.fromEntries([...view.list('document')].map(({ id }) => [view.pathOf(id)!.split('documents/')[1]!, id])),
      );
    const before = await pages();
    mkdirSync(at('documents/4'));
    mkdirSync(at('documents/5'));
    for (const name of ['1/same', '2/same', '3']) rmSync(at(`documents/${name}.md`));
    for (const name of ['4/same', '5/other', '6']) write(at(`documents/${name}.md`), shared);
    await look();
    expect(await pages()).to.deep.equal({
      '4/same.md': before['1/same.md'],
      '5/other.md': before['2/same.md'],
      '6.md': before['3.md'],
    });
    expect(store.check()).to.deep.equal([]);
  });

  it('with the content of a file that another file replaces immediately follow the inode [A.format.no-id-rename]', async () => {
    const [a, b] = [await add('a', 'The same text\n'), await add('b', 'The same text\n')];
    renameSync(at('tasks/b.md'), at('tasks/c.md'));
    write(at('tasks/new.md'), 'Nothing in common\n');
    renameSync(at('tasks/new.md'), at('tasks/a.md'));
    await look();
    const now = await ids();
    expect(now['c']).to.equal(b);
    expect(now['a']).to.be.a('string').and.not.to.equal(b);
    expect(Object.values(now)).to.have.length(2);
    expect(await formerValuesOf(store, project, a)).to.contain('The same text');
  });

  it('keep their ids when their folder is renamed, and in another folder [A.format.no-id-rename]', async () => {
    for (const name of ['one', 'two', 'deep/three']) write(at(`documents/Old/${name}.md`), 'The same in each\n');
    await look();
    const pages = (): Promise<Record<string, string>> =>
      store.read(project, (view) => Object.fromEntries([...view.list('document')].map(({ id, title }) => [title, id])));
    const before = await pages();
    renameSync(at('documents/Old'), at('documents/New'));
    await look();
    expect(await pages()).to.deep.equal(before);
    renameSync(at('documents/New/one.md'), at('documents/one.md'));
    await look();
    expect(await pages()).to.deep.equal(before);
    await reopen();
    expect(await pages()).to.deep.equal(before);
    const folders = await store.read(project, (view) => [...view.list('folder')].map(({ name }) => name));
    expect(folders.sort()).to.deep.equal(['New', 'deep']);
    expect(store.check()).to.deep.equal([]);
  });

  it('are no other record because they are of another kind [A.format.no-id-rename]', async () => {
    const id = await add('a');
    mkdirSync(at('documents'));
    renameSync(at('tasks/a.md'), at('documents/a.md'));
    await look();
    expect(await ids()).to.deep.equal({});
    const [page] = await store.read(project, (view) => [...view.list('document')]);
    expect(page?.title).to.equal('a');
    expect(page?.id).not.to.equal(id);
  });

  it('with less than half of their lines in common are other records [A.format.no-id-rename]', async () => {
    const id = await add('a', 'One line\nAnother line\nA third line\nA fourth line\n');
    recreate('tasks/a.md', 'tasks/b.md', 'One line\nQuite different\nNothing alike\nNor here\nOr anywhere\n');
    await look();
    expect((await ids())['b']).not.to.equal(id);
    const b = (await ids())['b'];
    recreate('tasks/b.md', 'tasks/c.md', 'One line\nQuite different\nNothing alike\nNor here\nChanged\n');
    await look();
    expect(await ids()).to.deep.equal({ c: b });
  });

  it('by git mv, and by a checkout there and back, keep their ids; the tree stays clean [A.format.no-id-rename, A.edit.back]', async () => {
    const id = await add('a');
    const status = (): string => git(scratch.path, 'status', '--porcelain');
    git(scratch.path, 'init', '-q', '-b', 'main');
    git(scratch.path, 'add', '-A');
    git(scratch.path, 'commit', '-qm', 'a');
    git(scratch.path, 'checkout', '-qb', 'renamed');
    git(directory, 'mv', 'tasks/a.md', 'tasks/b.md');
    await look();
    expect(await ids()).to.deep.equal({ b: id });
    git(scratch.path, 'commit', '-qm', 'b');
    for (const [branch, name] of [
      ['main', 'a'],
      ['renamed', 'b'],
      ['main', 'a'],
    ] as const) {
      git(scratch.path, 'checkout', '-q', branch);
      await look();
      expect(await ids()).to.deep.equal({ [name]: id });
    }
    await store.flush();
    expect(status()).to.equal('');
  });

  it('that have their id in the file leave no second record with it [A.format.no-id-rename, A.edit.two-ids]', async () => {
    const item = await newItem(store, project, { title: 'Kept' });
    await store.flush();
    const [name] = Object.keys(tree(at('tasks')));
    renameSync(at(`tasks/${name}`), at('tasks/moved.md'));
    await look();
    write(at(`tasks/${name}`), 'Without an id\n');
    await look();
    // The name of the file names the same id: two files with one id are a listed problem.
    const problems = await store.read(project, (view) => view.problems.map(({ kind, id }) => ({ kind, id })));
    expect(problems).to.deep.equal([{ kind: 'duplicate_id', id: item.id }]);
    remove(at(`tasks/${name}`));
    const known = await add('known');
    await change(store, project, 'task', known, { status: 'done' });
    await store.flush();
    renameSync(at('tasks/known.md'), at('tasks/renamed.md'));
    await look();
    copyFileSync(at('tasks/renamed.md'), at('tasks/zcopy.md'));
    await look();
    const copies = await store.read(project, (view) => view.problems.map(({ kind, id }) => ({ kind, id })));
    expect(copies).to.deep.equal([{ kind: 'duplicate_id', id: known }]);
    remove(at('tasks/zcopy.md'));
    write(at('tasks/known.md'), 'Another one\n');
    await look();
    expect((await ids())['known']).not.to.equal(known);
    expect(await store.read(project, (view) => view.problems)).to.deep.equal([]);
  });

  it('that lost their id in the file keep it through more edits and renames [A.format.path-remembers]', async () => {
    const item = await newItem(store, project, { title: 'Kept', owner: 'me' });
    await store.flush();
    const [name] = Object.keys(tree(at('tasks')));
    for (const text of ['One\n', 'Two\n', 'Three\n']) {
      writeFileSync(at(`tasks/${name}`), text);
      utimesSync(at(`tasks/${name}`), new Date(), new Date());
      await look();
      expect(await read(store, project, 'task', item.id)).to.include({ text: text.trim(), owner: 'me' });
    }
    renameSync(at(`tasks/${name}`), at('tasks/plain.md'));
    await look();
    expect(await read(store, project, 'task', item.id)).to.include({ text: 'Three' });
    await reopen();
    expect(await read(store, project, 'task', item.id)).to.include({ text: 'Three' });
    expect(await store.read(project, (view) => view.count('task'))).to.equal(1);
  });
});
