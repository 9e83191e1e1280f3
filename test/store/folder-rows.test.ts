import { expect } from 'chai';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mergeFilesForTest, rowsIn } from '../support/folder-rows.ts';
import { readRows, textOfRows } from '../../src/store/record/folder-rows.ts';
import {
  change,
  type Folder,
  newFolder,
  newPage,
  read,
  reopened,
  rescanTwice,
  storeWithProject,
  type TestStore,
  write,
} from '../support/plan-store.ts';

describe('The file of folder ids', () => {
  it('has one line for each folder, sorted by path, and reads back [A.format.folder-rows]', () => {
    const text =
      '{\n  "A": { "id": "fld_a" },\n  "A/B": { "id": "fld_b", "name": "B?" },\n  "\u00e4": { "id": "fld_c" }\n}\n';
    const { rows, isWhole } = readRows(text);
    expect(isWhole).to.equal(true);
    expect(textOfRows(rows)).to.equal(text);
    expect(textOfRows(new Map([...rows].reverse()))).to.equal(text);
    expect(textOfRows(new Map())).to.equal('{}\n');
    expect(readRows(JSON.stringify(JSON.parse(text))).rows).to.deep.equal(rows);
    expect([...readRows('{ "a\u0308": { "id": "fld_c" } }').rows.keys()]).to.deep.equal(['\u00e4']);
  });

  it('has the lines of both sides of a merge, whatever is between them [A.git.folders]', () => {
    const { rows, isWhole } = readRows(
      '{\n  "A": { "id": "fld_a" },\n<<<<<<< ours\n  "B": { "id": "fld_b" }\n=======\n  "B": { "id": "fld_a2" },\n  "C": 5,\n  "D": { "id": "fld_d" }\n>>>>>>> theirs\n}\n',
    );
    expect(isWhole).to.equal(false);
    expect(rowsIn(rows)).to.deep.equal({ A: 'fld_a', B: 'fld_a2', D: 'fld_d' });
    for (const text of ['', '{}', '[]', 'null', '{ "A": null, "B": {}, "C": { "id": 5 }, "D": { "id": "" } }'])
      expect(rowsIn(readRows(text).rows), text).to.deep.equal({});
  });

  it('merges as a set by the driver, the same in either order [A.git.folders]', () => {
    const text = (rows: Readonly<Record<string, string>>): string =>
      textOfRows(new Map(Object.entries(rows).map(([path, id]) => [path, { id }])));
    const [base, ours, theirs] = [
      { kept: 'fld_k', removed: 'fld_r', changed: 'fld_c', both: 'fld_b' },
      { kept: 'fld_k', changed: 'fld_c', both: 'fld_b2', added: 'fld_a' },
      { kept: 'fld_k', removed: 'fld_r', changed: 'fld_c2', both: 'fld_b1', new: 'fld_n' },
    ].map((one) => text(one as unknown as Readonly<Record<string, string>>)) as [string, string, string];
    const merged = text({ kept: 'fld_k', changed: 'fld_c2', both: 'fld_b1', added: 'fld_a', new: 'fld_n' });
    expect(mergeFilesForTest(base, ours, theirs)).to.deep.equal({ text: merged, conflicts: 0 });
    expect(mergeFilesForTest(base, theirs, ours)).to.deep.equal({ text: merged, conflicts: 0 });
  });
});

describe('A folder with a line in the file of ids', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );
  const at = (path: string): string => join(directory, 'documents', path);
  const rows = (): Readonly<Record<string, string>> => rowsIn(readRows(readFileSync(at('.folders.json'), 'utf8')).rows);

  it('keeps its id when it is renamed, and gives those below it theirs; a clone has the same [A.format.folder-rows]', async () => {
    write(at('Old/Deep/Page.md'), 'Text.\n');
    await rescanTwice(store);
    const before = await store.read(project, (view) => [...view.list('folder')] as Folder[]);
    const [old, deep] = ['Old', 'Deep'].map((name) => before.find((one) => one.name === name)!.id) as [string, string];
    await change(store, project, 'folder', old, { name: 'New?' });
    await store.flush();
    expect(rows()).to.deep.equal({ 'New-': old, 'New-/Deep': deep });
    for (const withCache of [true, false]) {
      store = await reopened(store, scratch.path, withCache);
      expect(await read(store, project, 'folder', old)).to.include({ name: 'New?', parent_folder_id: null });
      expect(await read(store, project, 'folder', deep)).to.include({ parent_folder_id: old });
      expect(store.check()).to.deep.equal([]);
    }
  });

  it('keeps it when its directory is renamed under a running service, and writes the line again [A.format.folder-rows]', async () => {
    const { id } = await newFolder(store, project, { name: 'Beds' });
    const inside = await newFolder(store, project, { name: 'Why?', parent_folder_id: id });
    const page = await newPage(store, project, { title: 'Page', folder_id: id });
    await store.flush();
    mkdirSync(at('Above'));
    renameSync(at('Beds'), at('Above/Rows'));
    await store.rescan();
    // An editor saves the file before the line is written, and the directory is renamed again.
    writeFileSync(at('.folders.json'), readFileSync(at('.folders.json'), 'utf8').replaceAll('\n', '\r\n'));
    await store.rescan();
    renameSync(at('Above'), at('Over'));
    // While a line is written, an edit is not read.
    await store.flush();
    await rescanTwice(store);
    await store.flush();
    expect(await read(store, project, 'folder', id)).to.include({ name: 'Rows' });
    expect(await read(store, project, 'document', page.id)).to.include({ folder_id: id });
    expect(await read(store, project, 'folder', inside.id)).to.include({ name: 'Why?', parent_folder_id: id });
    expect(rows()).to.deep.equal({ 'Over/Rows': id, 'Over/Rows/Why-': inside.id });
  });

  it('keeps it when its directory is gone before it is seen under another name, although nothing is in it [A.format.folder-rows]', async () => {
    const { id } = await newFolder(store, project, { name: 'Why?' });
    await store.flush();
    renameSync(at('Why-'), join(directory, 'aside'));
    await store.rescan();
    renameSync(join(directory, 'aside'), at('Reasons'));
    await rescanTwice(store);
    await store.flush();
    expect(await read(store, project, 'folder', id)).to.include({ name: 'Reasons' });
    expect(rows()).to.deep.equal({ Reasons: id });
    rmSync(at('Reasons'), { recursive: true });
    await rescanTwice(store);
    expect(await read(store, project, 'folder', id)).to.equal(undefined);
  });

  it('has that id as soon as the line is there, with all that is in it, and its derived one without it [A.format.folder-rows]', async () => {
    write(at('Beds/Page.md'), 'Text.\n');
    await rescanTwice(store);
    const folderOf = async (): Promise<string | null> => {
      const [page] = await store.read(project, (view) => [...view.list('document')]);
      expect(await read(store, project, 'folder', page!.folder_id!)).to.include({ name: 'Beds' });
      return page!.folder_id;
    };
    const derived = await folderOf();
    writeFileSync(at('.folders.json'), '{ "Beds": { "id": "fld_given" } }\n');
    await rescanTwice(store);
    expect(await folderOf()).to.equal('fld_given');
    rmSync(at('.folders.json'));
    await store.rescan();
    expect(await folderOf(), 'an editor may be replacing the file').to.equal('fld_given');
    store = await reopened(store, scratch.path, true);
    expect(await folderOf()).to.equal(derived);
  });
});
