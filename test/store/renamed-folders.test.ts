import { expect } from 'chai';
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  change,
  type Folder,
  meta,
  openStore,
  type Page,
  reopened,
  rescanTwice,
  storeWithProject,
  type TestStore,
  tree,
  write,
} from '../support/plan-store.ts';

describe('A folder without a file of its own', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  const at = (path: string): string => join(directory, 'documents', path);
  const look = (): Promise<void> => rescanTwice(store);

  async function reopen(withCache?: boolean): Promise<void> {
    store = await reopened(store, scratch.path, withCache);
  }

  /** The ids of all folders by name; each document's folder is the one whose directory has its file. */
  async function folders(): Promise<Record<string, string>> {
    const all = await store.read(project, (view) => [...view.list('folder')] as Folder[]);
    expect(new Set(all.map(({ id }) => id)).size).to.equal(all.length);
    const pages = await store.read(project, (view) => [...view.list('document')] as Page[]);
    for (const { id, folder_id } of pages) {
      const path = await store.read(project, (view) => view.pathOf(id));
      const name = path!.split('/').at(-2);
      expect(all.find((folder) => folder.id === folder_id)?.name ?? 'documents').to.equal(name);
    }
    return Object.fromEntries(all.map(({ id, name }) => [name, id]));
  }

  async function addFolders(): Promise<Record<string, string>> {
    write(at('Old/one.md'), 'First text\n');
    write(at('Old/two.md'), 'Second text\n');
    write(at('Old/Deep/three.md'), 'Third text\n');
    await look();
    return folders();
  }

  /** As a checkout does: all files and directories are other inodes. */
  function recreate(from: string, to: string): void {
    cpSync(at(from), at(to), { recursive: true });
    rmSync(at(from), { recursive: true });
  }

  it('keeps its id when its directory is renamed or moved, and nothing is written [A.format.folder-rename]', async () => {
    const { Old: id, Deep: deep } = await addFolders();
    renameSync(at('Old'), at('New'));
    const files = tree(directory);
    await look();
    expect(await folders()).to.deep.equal({ New: id, Deep: deep });
    renameSync(at('New/Deep'), at('Flat'));
    await look();
    expect(await folders()).to.deep.equal({ New: id, Flat: deep });
    renameSync(at('Flat'), at('New/Deep'));
    await look();
    expect(await folders()).to.deep.equal({ New: id, Deep: deep });
    expect(tree(directory)).to.deep.equal(files);
    expect(store.check()).to.deep.equal([]);
  });

  it('results when a file of a folder without an id is removed: named by its directory, and changed as such [A.format.folder]', async () => {
    write(at('Beds/one.md'), 'First text\n');
    write(at('Beds/.folder.json'), '{"name": "Beds and paths"}\n');
    await look();
    const { 'Beds and paths': id } = await store.read(project, (view) =>
      Object.fromEntries([...view.list('folder')].map((folder) => [folder.name, folder.id])),
    );
    rmSync(at('Beds/.folder.json'));
    await look();
    expect(await folders()).to.deep.equal({ Beds: id });
    await change(store, project, 'folder', id!, { name: 'Rows' });
    await store.flush();
    expect(await folders()).to.deep.equal({ Rows: id });
    expect(store.status().pending).to.equal(0);
    expect(store.check()).to.deep.equal([]);
  });

  it('keeps it over a restart, with an index cache and without one [A.format.folder-rename]', async () => {
    const { Old: id, Deep: deep } = await addFolders();
    renameSync(at('Old'), at('New'));
    await look();
    for (const withCache of [true, false]) {
      await reopen(withCache);
      expect(await folders()).to.deep.equal({ New: id, Deep: deep });
    }
    await store.close();
    renameSync(at('New'), at('Newer'));
    store = await openStore(scratch.path);
    expect(await folders()).to.deep.equal({ Newer: id, Deep: deep });
    expect(store.check()).to.deep.equal([]);
  });

  it('is recognised by the files below it if its inode is another one [A.format.folder-rename]', async () => {
    const { Old: id, Deep: deep } = await addFolders();
    recreate('Old', 'New');
    writeFileSync(at('New/four.md'), 'Fourth text\n');
    await look();
    expect(await folders()).to.deep.equal({ New: id, Deep: deep });
    await store.close();
    recreate('New', 'Newer');
    store = await openStore(scratch.path);
    expect(await folders()).to.deep.equal({ Newer: id, Deep: deep });
    expect(store.check()).to.deep.equal([]);
  });

  it('with other files is another folder, and so is a copy [A.format.folder-rename]', async () => {
    const { Old: id, Deep: deep } = await addFolders();
    cpSync(at('Old'), at('Copy'), { recursive: true });
    rmSync(at('Copy/Deep'), { recursive: true });
    await look();
    const { Copy: copy, ...others } = await folders();
    expect(others).to.deep.equal({ Old: id, Deep: deep });
    expect(copy).not.to.equal(id);
    rmSync(at('Old'), { recursive: true });
    write(at('Other/else.md'), 'Something else\n');
    await look();
    const left = await folders();
    expect(left).to.have.keys('Copy', 'Other');
    expect(left['Copy']).to.equal(copy);
    expect([id, deep]).not.to.include(left['Other']);
  });

  it('leaves its name to another folder, immediately and later, over restarts too [A.format.folder-rename]', async () => {
    const { Old: id } = await addFolders();
    renameSync(at('Old'), at('New'));
    mkdirSync(at('Old'));
    await look();
    const found = await folders();
    expect(found['New']).to.equal(id);
    expect(found['Old']).not.to.equal(id);
    for (const withCache of [true, false]) {
      await reopen(withCache);
      expect(await folders()).to.deep.equal(found);
    }
    rmSync(at('Old'), { recursive: true });
    await look();
    renameSync(at('New'), at('Old'));
    await look();
    expect((await folders())['Old']).to.equal(id);
    expect(store.check()).to.deep.equal([]);
  });

  it('has the same id over a kill and a restart where a renamed folder was removed [A.format.folder-rename]', async () => {
    const { Old: removed } = await addFolders();
    renameSync(at('Old'), at('New'));
    await look();
    await store.flush();
    await store.update(project, meta, (tx) => {
      for (const page of [...tx.list('document')]) tx.remove('document', page.id);
      for (const folder of [...tx.list('folder')]) tx.remove('folder', folder.id);
    });
    write(at('New/four.md'), 'Fourth text\n');
    await store.flush();
    await look();
    const found = await folders();
    expect(found['New']).not.to.equal(removed);
    await store.flush();
    store.abandon();
    store = await openStore(scratch.path);
    expect(await folders()).to.deep.equal(found);
    await reopen();
    expect(await folders()).to.deep.equal(found);
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
