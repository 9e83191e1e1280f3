import { expect } from 'chai';
import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { sha256Of } from '../../src/store/files/disk/sha256.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  afterBoot,
  change,
  fileNamed,
  meta,
  newItem,
  newPage,
  openStore,
  type Page,
  read,
  remove,
  rescanTwice,
  storeWithProject,
  testCollections,
  type TestStore,
  tree,
  write,
} from '../support/plan-store.ts';

describe('opening a root', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  /** The end of the process: nothing pending is written. */
  async function crashAnd(work: () => void): Promise<void> {
    store.abandon();
    work();
    store = await openStore(scratch.path);
  }

  it('after a crash writes values that no file contains yet, and accepts a written file [A.open.written]', async () => {
    const item = await newItem(store, project, { title: 'One' });
    await change(store, project, 'task', item.id, { status: 'done' });
    await store.flush();
    const other = await newItem(store, project, { title: 'Two' });
    await crashAnd(() => {
      const path = fileNamed(directory, item.id);
      writeFileSync(path, readFileSync(path, 'utf8').replace('status: done', 'status: todo'));
    });
    expect((await read(store, project, 'task', item.id))?.status).to.equal('todo');
    expect((await read(store, project, 'task', other.id))?.title).to.equal('Two');
    await store.flush();
    expect(readFileSync(fileNamed(directory, other.id), 'utf8')).to.contain('title: Two');
    expect(store.check()).to.deep.equal([]);
  });

  it('gives a value that no file contains yet the fields that came after it was written [A.open.written]', async () => {
    const { id } = await newItem(store, project, { title: 'One' });
    store.abandon();
    const size = { name: 'size', kind: 'text', absent: 'small' } as const;
    const collections = testCollections.map((one) =>
      one.name === 'task' ? { ...one, shape: { ...one.shape, fields: [...one.shape.fields, size] } } : one,
    );
    store = await openStore(scratch.path, { collections });
    expect(await read(store, project, 'task', id)).to.include({ title: 'One', size: 'small' });
    await store.flush();
    expect(store.check()).to.deep.equal([]);
  });

  it('merges edits made while the service was down with pending changes [A.open.merge]', async () => {
    const item = await newItem(store, project, { title: 'One', text: 'a\nb' });
    await store.flush();
    await change(store, project, 'task', item.id, { owner: 'me' });
    await crashAnd(() => {
      const path = fileNamed(directory, item.id);
      writeFileSync(path, readFileSync(path, 'utf8').replace('title: One', 'title: Two'));
    });
    expect(await read(store, project, 'task', item.id)).to.deep.include({ title: 'Two', owner: 'me', text: 'a\nb' });
    await store.flush();
    expect(readFileSync(fileNamed(directory, item.id), 'utf8'))
      .to.contain('title: Two')
      .and.to.contain('owner: me');
  });

  for (const [what, tornText] of [
    ['empty', () => ''],
    ['all NUL', (whole: string) => '\0'.repeat(whole.length)],
    ['cut off', (whole: string) => whole.slice(0, 40)],
  ] as const) {
    it(`rewrites a file that a power failure left ${what} [A.open.debris]`, async () => {
      const item = await newItem(store, project, { title: 'Whole', text: 'Some text\n' });
      await store.flush();
      const path = fileNamed(directory, item.id);
      const whole = readFileSync(path, 'utf8');
      await change(store, project, 'task', item.id, { text: 'Other text\n' });
      await crashAnd(() => writeFileSync(path, tornText(whole.replace('Some text', 'Other text'))));
      await store.flush();
      expect(readFileSync(path, 'utf8')).to.equal(whole.replace('Some text', 'Other text'));
      expect(store.check()).to.deep.equal([]);
    });
  }

  it('leaves one file if a crash interrupted a rename, whatever was acknowledged since [A.open.written]', async () => {
    const item = await newItem(store, project, { title: 'One' });
    await store.flush();
    await change(store, project, 'task', item.id, { title: 'Two' });
    await change(store, project, 'task', item.id, { title: 'Three' });
    await crashAnd(() => {
      const former = fileNamed(directory, item.id);
      const text = readFileSync(former, 'utf8');
      writeFileSync(former.replace('one.', 'two.'), text.replace('title: One', 'title: Two'));
      writeFileSync(join(directory, 'tasks', 'a copy.md'), text);
    });
    await store.flush();
    expect(Object.keys(tree(join(directory, 'tasks'))).sort()).to.deep.equal(['a copy.md', `three.${item.id}.md`]);
    expect((await read(store, project, 'task', item.id))?.title).to.equal('Three');
  });

  it('writes a torn file again, and not the copy that a person has made of it and changed [A.crash.power-cut]', async () => {
    const item = await newItem(store, project, { title: 'One' });
    await store.flush();
    const path = fileNamed(directory, item.id);
    const copy = join(directory, 'tasks', 'a copy.md');
    writeFileSync(copy, readFileSync(path, 'utf8').replace('title: One', 'title: Copied'));
    await rescanTwice(store);
    await store.close();
    store = await openStore(scratch.path, { disk: afterBoot('first') });
    await change(store, project, 'task', item.id, { status: 'done' });
    await store.flush();
    store.abandon();
    writeFileSync(path, Buffer.alloc(statSync(path).size));
    store = await openStore(scratch.path, { disk: afterBoot('second') });
    await store.flush();
    expect(await read(store, project, 'task', item.id)).to.include({ title: 'One', status: 'done' });
    expect(readFileSync(path, 'utf8')).to.contain('status: done');
    expect(readFileSync(copy, 'utf8')).to.contain('title: Copied');
  });

  it('leaves the file of another record to it if a power cut loses the one whose id its path derives [A.crash.power-cut]', async () => {
    await store.close();
    store = await openStore(scratch.path, { disk: afterBoot('first') });
    const page = (): Promise<Page[]> => store.read(project, (view) => [...view.list('document')] as Page[]);
    write(join(directory, 'documents/note.md'), 'Text.\n');
    await rescanTwice(store);
    const [first] = await page();
    await store.update(project, meta, (tx) => tx.remove('document', first!.id));
    await store.flush();
    await store.update(project, meta, (tx) => tx.put('document', { ...first!, title: 'Restored' }));
    await store.flush();
    write(join(directory, 'documents/note.md'), 'Other.\n');
    await rescanTwice(store);
    const other = (await page()).find(({ id }) => id !== first!.id)!;
    await change(store, project, 'document', first!.id, { status: 'final' });
    await store.flush();
    store.abandon();
    rmSync(fileNamed(directory, 'Restored'));
    store = await openStore(scratch.path, { disk: afterBoot('second') });
    await store.flush();
    expect(await read(store, project, 'document', first!.id)).to.include({ body: 'Text.', status: 'final' });
    expect(await read(store, project, 'document', other.id)).to.include({ body: 'Other.' });
    expect(readFileSync(join(directory, 'documents/note.md'), 'utf8')).to.equal('Other.\n');
  });

  it('treats a missing file as deleted, keeps its pending change, and writes a pending creation [A.open.gone]', async () => {
    const item = await newItem(store, project, { title: 'Old' });
    await store.flush();
    await change(store, project, 'task', item.id, { title: 'Pending' });
    const created = await newItem(store, project, { title: 'New' });
    await crashAnd(() => remove(fileNamed(directory, item.id)));
    expect(await read(store, project, 'task', item.id)).to.equal(undefined);
    const revisions = await store.read(project, (view) => view.revisions(item.id));
    expect(revisions.some(({ before }) => before['title'] === 'Pending')).to.equal(true);
    await store.flush();
    expect(readFileSync(fileNamed(directory, created.id), 'utf8')).to.contain('title: New');
  });

  it('parses only files that differ from the index cache [A.open.cache]', async () => {
    await store.close();
    const clock = new ManualClock(systemClock.now());
    store = await openStore(scratch.path, { clock });
    for (let i = 0; i < 20; i++) await newItem(store, project, { title: `Item ${i}` });
    const page = await newPage(store, project, { title: 'Page' });
    await clock.during(store.flush());
    // A file younger than two seconds might change again without changing its time.
    clock.advance(10_000);
    await clock.during(store.close());
    const path = fileNamed(directory, `.${page.id.slice(-4)}.md`);
    writeFileSync(path, readFileSync(path, 'utf8').replace('title: Page', 'title: Paper'));
    const records: string[] = [];
    const readSame = (one: string): void =>
      void (one.startsWith(directory) && one.endsWith('.md') && records.push(one));
    store = await openStore(scratch.path, { disk: hookedDisk({ readSame }) });
    // A file as recent as this one may be read again.
    expect([...new Set(records)]).to.deep.equal([path]);
    expect((await read(store, project, 'document', page.id))?.title).to.equal('Paper');
    expect(await store.read(project, (view) => view.count('task'))).to.equal(20);
  });

  it('rejects a damaged journal, and names the place [A.open.corrupt]', async () => {
    await newItem(store, project, { title: 'One' });
    await newItem(store, project, { title: 'Two' });
    store.abandon();
    const [journal = ''] = Object.keys(tree(join(scratch.path, '.planner/local/journal')));
    const path = join(scratch.path, '.planner/local/journal', journal);
    const content = readFileSync(path, 'utf8');
    writeFileSync(path, content.replace('"One"', '"0ne"'));
    const refused = await openStore(scratch.path).then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
    expect(String(refused))
      .to.contain(path)
      .and.to.match(/line \d+/);
    writeFileSync(path, content);
    store = await openStore(scratch.path);
    expect(await store.read(project, (view) => view.count('task'))).to.equal(2);
  });

  it('finds one problem in a second directory of the same project [A.edit.two-projects]', async () => {
    await newItem(store, project);
    await store.close();
    cpSync(directory, `${directory}-copy`, { recursive: true });
    store = await openStore(scratch.path);
    expect(store.projects()).to.deep.equal([project]);
    const problems = await store.read(project, (view) => view.problems);
    expect(problems.map(({ kind }) => kind)).to.deep.equal(['duplicate_project']);
    rmSync(`${directory}-copy`, { recursive: true });
  });

  it('ignores names that begin with a dot and directories without project.json [A.trust.dot]', async () => {
    await store.close();
    write(join(scratch.path, '.planner/projects/other/tasks/one.md'), '# One\n');
    cpSync(directory, join(scratch.path, '.planner/projects/.hidden'), { recursive: true });
    write(join(directory, 'tasks/.hidden.md'), '# Hidden\n');
    write(join(directory, 'documents/.git/page.md'), '# Hidden\n');
    store = await openStore(scratch.path);
    expect(store.projects()).to.deep.equal([project]);
    expect(
      await store.read(project, (view) => [view.count('task'), view.count('document'), view.count('folder')]),
    ).to.deep.equal([0, 0, 0]);
  });

  it('dates a file without a time by its oldest revision, else by its own time [A.format.created_at]', async () => {
    write(join(directory, 'tasks/idea.md'), '---\ntitle: Idea\n---\n');
    await store.rescan();
    const [item] = await store.read(project, (view) => [...view.list('task')]);
    const { mtimeMs } = statSync(join(directory, 'tasks/idea.md'));
    expect(item?.created_at).to.equal(new Date(mtimeMs).toISOString());
  });

  it('finds inconsistencies: a file that changed without an event, and a missing one [A.check]', async () => {
    const one = await newItem(store, project, { title: 'One' });
    const two = await newItem(store, project, { title: 'Two' });
    await store.flush();
    expect(store.check()).to.deep.equal([]);
    const path = fileNamed(directory, one.id);
    writeFileSync(path, readFileSync(path, 'utf8').replace('One', 'Changed'));
    remove(fileNamed(directory, two.id));
    const problems = store.check().map(({ kind, id }) => `${kind} ${id}`);
    expect(problems.sort()).to.deep.equal([`changed_file ${one.id}`, `missing_file ${two.id}`]);
    expect(sha256Of(Buffer.from(''))).to.match(/^e3b0c442/);
  });
});
