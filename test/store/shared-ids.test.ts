import { expect } from 'chai';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  change,
  type Item,
  newItem,
  openStore,
  reopened,
  rescanTwice,
  storeWithProject,
  type TestStore,
  tree,
  write,
} from '../support/plan-store.ts';

describe('An id of another tool that several files contain', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  const at = (path: string): string => join(directory, path);
  const file = (id: string, text: string): string => `---\nid: ${id}\n---\n${text}\n`;
  const look = (): Promise<void> => rescanTwice(store);

  async function reopen(withCache?: boolean): Promise<void> {
    store = await reopened(store, scratch.path, withCache);
  }

  /** The ids of all tasks and documents by their titles, which are the names of their files. */
  async function ids(): Promise<Record<string, string>> {
    const records = await store.read(project, (view) => [...view.list('task'), ...view.list('document')] as Item[]);
    expect(new Set(records.map(({ id }) => id)).size).to.equal(records.length);
    return Object.fromEntries(records.map(({ id, title }) => [title, id]));
  }

  const sharing = (id: string): Promise<readonly string[]> => store.read(project, (view) => view.sharing(id));
  const problems = (): Promise<readonly { kind: string; severity?: string; reason: string }[]> =>
    store.read(project, (view) => view.problems);

  it('leaves every file a record of its own, noted once with all files, and no byte is written [A.edit.shared-id]', async () => {
    write(at('tasks/one.md'), file('1', 'First'));
    write(at('tasks/two.md'), file('1', 'Second'));
    write(at('documents/three.md'), file('1', 'Third'));
    const files = tree(directory);
    await look();
    const found = await ids();
    expect(found).to.have.keys('one', 'two', 'three');
    expect(Object.values(found).join(' ')).to.match(/^doc_\S+ tsk_\S+ tsk_\S+$|^tsk_\S+ tsk_\S+ doc_\S+$/);
    expect(await sharing('1')).to.have.members(Object.values(found));
    const listed = await problems();
    expect(listed).to.have.length(1);
    expect(listed[0]).to.deep.include({ kind: 'shared_id', severity: 'note' });
    for (const path of ['tasks/one.md', 'tasks/two.md', 'documents/three.md'])
      expect(listed[0]!.reason).to.contain(path);
    await change(store, project, 'task', found['one']!, { status: 'done' });
    await store.flush();
    expect(readFileSync(at('tasks/one.md'), 'utf8'))
      .to.contain('id: 1\n')
      .and.contain('status: done');
    expect({ ...tree(directory), 'tasks/one.md': '' }).to.deep.include({ ...files, 'tasks/one.md': '' });
    expect(await ids()).to.deep.equal(found);
    expect(await problems()).to.have.length(1);
    expect(store.check().filter(({ severity }) => severity !== 'note')).to.deep.equal([]);
  });

  it('keeps the records over restarts, with an index cache and without one, and renames [A.edit.shared-id]', async () => {
    write(at('tasks/one.md'), file('TASK-1.2', 'First line\nSecond line'));
    write(at('tasks/two.md'), file('TASK-1.2', 'Another line\nAnd another'));
    await look();
    const { one, two } = await ids();
    for (const withCache of [true, false]) {
      await reopen(withCache);
      expect(await ids()).to.deep.equal({ one, two });
    }
    renameSync(at('tasks/one.md'), at('tasks/moved.md'));
    await look();
    expect(await ids()).to.deep.equal({ moved: one, two });
    await store.close();
    // Another inode and another content, as of a checkout.
    writeFileSync(at('tasks/changed.md'), file('TASK-1.2', 'Another line\nAnd another\nAnd a third'));
    rmSync(at('tasks/two.md'));
    store = await openStore(scratch.path);
    expect(await ids()).to.deep.equal({ moved: one, changed: two });
    await reopen(false);
    expect(await ids()).to.deep.equal({ moved: one, changed: two });
    expect(await sharing('TASK-1.2')).to.have.members([one, two]);
  });

  it('stays the id of the record that had it, whose copy is a new record [A.edit.shared-id]', async () => {
    write(at('tasks/one.md'), file('задача', 'First'));
    await look();
    expect(await ids()).to.deep.equal({ one: 'задача' });
    copyFileSync(at('tasks/one.md'), at('tasks/a copy.md'));
    await look();
    const { 'a copy': copy, ...others } = await ids();
    expect(others).to.deep.equal({ one: 'задача' });
    expect(copy).to.match(/^tsk_/);
    for (const withCache of [true, false]) {
      await reopen(withCache);
      expect(await ids()).to.deep.equal({ one: 'задача', 'a copy': copy });
    }
    renameSync(at('tasks/one.md'), at('tasks/renamed.md'));
    await look();
    expect(await ids()).to.deep.equal({ renamed: 'задача', 'a copy': copy });
    rmSync(at('tasks/renamed.md'));
    writeFileSync(at('tasks/a copy.md'), file('задача', 'Changed'));
    await look();
    expect(await ids()).to.deep.equal({ 'a copy': copy });
    expect(await sharing('задача')).to.deep.equal([copy]);
    expect(await problems()).to.deep.equal([]);
  });

  it('follows the file over a copy whose original is removed afterwards [A.edit.shared-id]', async () => {
    write(at('tasks/one.md'), file('mine', 'First'));
    await look();
    copyFileSync(at('tasks/one.md'), at('tasks/other.md'));
    await look();
    rmSync(at('tasks/one.md'));
    await look();
    expect(await ids()).to.deep.equal({ other: 'mine' });
    expect(await sharing('mine')).to.deep.equal([]);
    expect(store.check()).to.deep.equal([]);
  });

  it('belongs to the file with the id in its name in a clone, as the service names files [A.edit.shared-id]', async () => {
    await store.update(project, { author: 'human:test', source: 'rest' }, (tx) =>
      tx.put('task', {
        ...{ id: 'auth-login', created_at: tx.now, title: 'Log in', status: 'todo', owner: null },
        ...{ text: '', tags: [], links: [] },
      }),
    );
    await store.flush();
    const [name] = Object.keys(tree(at('tasks')));
    mkdirSync(at('documents'), { recursive: true });
    copyFileSync(at(`tasks/${name}`), at('documents/a copy.md'));
    await store.close();
    rmSync(join(scratch.path, '.planner/local'), { recursive: true });
    store = await openStore(scratch.path);
    expect(await store.read(project, (view) => [...view.list('task')].map(({ id }) => id))).to.deep.equal([
      'auth-login',
    ]);
    expect(await sharing('auth-login')).to.have.length(2);
  });

  it('stays in the file of a record that begins to be referred to, or that is moved [A.edit.shared-id]', async () => {
    write(at('documents/A/one.md'), file('1', 'First'));
    write(at('documents/A/two.md'), file('1', 'Second'));
    await look();
    const { one, two } = await ids();
    await newItem(store, project, { title: 'Refers', links: [{ to: one!, id: undefined as never, type: 'document' }] });
    await store.flush();
    expect(readFileSync(at('documents/A/one.md'), 'utf8')).to.contain('id: 1\n');
    await change(store, project, 'document', two!, { folder_id: null });
    await store.flush();
    expect(await ids()).to.include({ one, two });
    for (const withCache of [true, false]) {
      await reopen(withCache);
      expect(await ids()).to.include({ one, two });
      expect(await sharing('1')).to.have.members([one, two]);
    }
    expect(store.check().filter(({ severity }) => severity !== 'note')).to.deep.equal([]);
  });

  it('is not one of ours: two files with such an id are a problem, and one is served [A.edit.two-ids]', async () => {
    write(at('tasks/one.md'), file('tsk_4n0c2m8w1x7k9q3f', 'First'));
    write(at('tasks/two.md'), file('tsk_4n0c2m8w1x7k9q3f', 'Second'));
    await look();
    expect(await ids()).to.deep.equal({ one: 'tsk_4n0c2m8w1x7k9q3f' });
    expect((await problems()).map(({ kind }) => kind)).to.deep.equal(['duplicate_id']);
  });
});
