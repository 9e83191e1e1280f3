import { expect } from 'chai';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { Journal } from '../../src/store/files/journal/journal.ts';
import type { Entry } from '../../src/store/record/log.ts';
import type { EntryBody } from '../../src/store/record/entry.ts';
import type { StoredRecord } from '../../src/store/record/record.ts';
import { scratchDirectory } from '../support/scratch.ts';
import {
  change,
  fileNamed,
  type Item,
  makeProject,
  meta,
  newFolder,
  newItem,
  newPage,
  openStore,
  projectDirectory,
  read,
  type TestStore,
  tree,
} from '../support/plan-store.ts';

describe('store', () => {
  let store: TestStore;
  // Before the scratch directory's own hook, which removes the files.
  afterEach(() => store.close());
  const scratch = scratchDirectory();
  let project: string;

  beforeEach(async () => {
    store = await openStore(scratch.path);
    project = await makeProject(store);
  });

  async function reopen(): Promise<void> {
    await store.close();
    store = await openStore(scratch.path);
  }

  it("creates a root with git's files [A.format.layout]", async () => {
    await store.flush();
    const files = Object.keys(tree(join(scratch.path, '.planner'))).filter((path) => !path.startsWith('local/'));
    expect(files).to.include.members(['.gitignore', '.gitattributes', 'config.json']);
    expect(readFileSync(join(scratch.path, '.planner/.gitignore'), 'utf8'))
      .to.match(/^local\/$/m)
      .and.match(/^token$/m);
    expect(projectDirectory(scratch.path)).to.match(/\/plan-[0-9a-z]{6}$/);
  });

  it('writes one record to one file, with the edges that leave it [A.format.one-file, A.format.links]', async () => {
    const first = await newItem(store, project, { title: 'First thing', tags: ['b', 'a'] });
    const second = await newItem(store, project, {
      title: 'Second',
      text: 'Some text\n',
      links: [{ to: first.id, id: undefined as never, type: 'task', label: 'depends_on' }],
    });
    await store.flush();
    expect(Object.keys(tree(join(projectDirectory(scratch.path), 'tasks'))).sort()).to.deep.equal(
      [`first-thing.${first.id}.md`, `second.${second.id}.md`].sort(),
    );
    expect(readFileSync(fileNamed(projectDirectory(scratch.path), second.id), 'utf8')).to.equal(
      `---\nstatus: todo\nid: ${second.id}\ncreated_at: ${second.created_at}\ntitle: Second\nlinks:\n  - {to: ${first.id}, label: depends_on}\n---\nSome text\n\n`,
    );
    expect(readFileSync(fileNamed(projectDirectory(scratch.path), first.id), 'utf8')).to.contain(
      'tags:\n  - a\n  - b\n',
    );
  });

  it('returns acknowledged changes after a reopening [A.format.body]', async () => {
    const folder = await newFolder(store, project, { name: 'Notes' });
    const page = await newPage(store, project, {
      title: 'Über: alles?',
      body: '---\r\nnot front matter\n\n',
      folder_id: folder.id,
    });
    const item = await newItem(store, project, { text: 'x'.repeat(200_000), tags: ['t'] });
    await change(store, project, 'task', item.id, { status: 'done' });
    const before = { page, item: await read(store, project, 'task', item.id) };
    await reopen();
    expect(await read(store, project, 'document', page.id)).to.deep.equal(before.page);
    expect(await read(store, project, 'task', item.id)).to.deep.equal(before.item);
    expect(store.check()).to.deep.equal([]);
  });

  it('returns the time of a change back to the values of the file, after a reopening [A.format.updated_at]', async () => {
    const item = await newItem(store, project, { status: 'todo' });
    await store.flush();
    while (Date.now() <= Date.parse(item.updated_at));
    await store.update(project, meta, (tx) => {
      tx.put('task', { ...tx.get('task', item.id)!, status: 'done' });
      tx.put('task', { ...tx.get('task', item.id)!, status: 'todo' });
    });
    await store.flush();
    const before = (await read(store, project, 'task', item.id))!;
    expect(before.updated_at > item.updated_at).to.equal(true);
    await reopen();
    expect(await read(store, project, 'task', item.id)).to.deep.equal(before);
  });

  it('keeps a large text in memory while there is no room for its copy [A.memory.texts, A.crash.full]', async () => {
    await store.close();
    const makeDirectory: typeof nodeDisk.makeDirectory = (path, mode) => {
      if (path.includes('/texts/')) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
      nodeDisk.makeDirectory(path, mode);
    };
    store = await openStore(scratch.path, { disk: { ...nodeDisk, makeDirectory } });
    const text = 'x'.repeat(200_000);
    const item = await newItem(store, project, { text });
    await store.flush();
    const next = await change(store, project, 'task', item.id, { status: 'done' });
    await store.flush();
    expect(await read(store, project, 'task', item.id)).to.deep.equal({ ...next, text });
    await reopen();
    expect(await read(store, project, 'task', item.id)).to.deep.equal({ ...next, text });
  });

  it('restores everything acknowledged if nothing was written to the files [A.write.durable]', async () => {
    const item = await newItem(store, project, { title: 'Kept' });
    const copy = join(scratch.path, 'copy');
    const { cpSync, rmSync } = await import('node:fs');
    cpSync(join(scratch.path, '.planner'), join(copy, '.planner'), { recursive: true });
    rmSync(join(copy, '.planner/local/lock.json'), { force: true });
    const other = await openStore(copy);
    try {
      expect((await read(other, project, 'task', item.id))?.title).to.equal('Kept');
      await other.flush();
      expect(other.check()).to.deep.equal([]);
    } finally {
      await other.close();
    }
  });

  it('rolls back when the rule throws [A.write.rollback]', async () => {
    const item = await newItem(store, project, { title: 'Before' });
    const failed = store.update(project, meta, (tx) => {
      tx.put('task', { ...item, title: 'After' });
      tx.put('task', { ...item, id: tx.newId('task'), title: 'New' });
      tx.remove('task', item.id);
      throw new Error('no');
    });
    await failed.then(
      () => expect.fail('it resolved'),
      (error: unknown) => expect((error as Error).message).to.equal('no'),
    );
    expect(await store.read(project, (view) => [...view.list('task')])).to.deep.equal([item]);
  });

  it('returns frozen values [A.write.frozen]', async () => {
    const item = await newItem(store, project, { tags: ['a'] });
    expect(() => ((item as { title: string }).title = 'x')).to.throw(TypeError);
    expect(() => (item.tags as string[]).push('b')).to.throw(TypeError);
  });

  it('touches no file for an unchanged record, and one for a changed one [A.format.unchanged]', async () => {
    const item = await newItem(store, project);
    const other = await newItem(store, project, { title: 'Other' });
    await store.flush();
    const inode = (id: string): number => statSync(fileNamed(projectDirectory(scratch.path), id)).ino;
    const before = [inode(item.id), inode(other.id)];
    await change(store, project, 'task', item.id, { title: item.title });
    await change(store, project, 'task', other.id, { status: 'done' });
    await store.flush();
    expect(inode(item.id)).to.equal(before[0]);
    expect(inode(other.id)).not.to.equal(before[1]);
  });

  it('writes many changes of one record as one file [A.write.coalesce]', async () => {
    const item = await newItem(store, project);
    await store.flush();
    const written = store.status().written;
    for (let i = 0; i < 50; i++) await change(store, project, 'task', item.id, { owner: `owner ${i}` });
    await store.flush();
    expect(store.status().written - written).to.be.lessThan(10);
    expect(readFileSync(fileNamed(projectDirectory(scratch.path), item.id), 'utf8')).to.contain('owner: owner 49\n');
  });

  it('keeps a revision of every versioned change, complete in itself [A.format.revision, A.format.updated_at]', async () => {
    const item = await newItem(store, project, { title: 'One', text: 'a' });
    const changed = await change(store, project, 'task', item.id, { title: 'Two', owner: 'me' });
    expect(changed.updated_at >= item.updated_at).to.equal(true);
    await store.flush();
    await reopen();
    const revisions = await store.read(project, (view) => view.revisions(item.id));
    expect(revisions).to.have.length(1);
    expect(revisions[0]).to.deep.include({
      target: item.id,
      target_type: 'task',
      author: 'human:test',
      fields: ['title', 'owner'],
      before: { title: 'One', owner: null },
    });
    expect((await read(store, project, 'task', item.id))?.updated_at).to.equal(changed.updated_at);
    const lines = Object.entries(tree(projectDirectory(scratch.path))).filter(([path]) => path.startsWith('history/'));
    expect(lines).to.have.length(1);
  });

  it('removes the links to a record with it, and keeps them in its revision [A.format.link-removed]', async () => {
    const target = await newItem(store, project, { title: 'Target' });
    const source = await newItem(store, project, {
      title: 'Source',
      links: [{ to: target.id, id: undefined as never, type: 'task' }],
    });
    await store.update(project, meta, (tx) => tx.remove('task', target.id));
    expect((await read(store, project, 'task', source.id))?.links).to.deep.equal([]);
    const [revision] = await store.read(project, (view) => view.revisions(target.id));
    expect(revision?.fields).to.deep.equal(['deleted']);
    expect(revision?.before['title']).to.equal('Target');
    expect(revision?.before['$incoming']).to.have.length(1);
    await store.flush();
    expect(Object.keys(tree(join(projectDirectory(scratch.path), 'tasks')))).to.have.length(1);
    expect(store.check()).to.deep.equal([]);
  });

  it('moves the files of a folder with it, and renames a file while its name is generated from its title [A.format.move, A.format.rename]', async () => {
    const top = await newFolder(store, project, { name: 'Top' });
    const inner = await newFolder(store, project, { name: 'Inner', parent_folder_id: top.id });
    const page = await newPage(store, project, { title: 'Page', folder_id: inner.id });
    await store.flush();
    await change(store, project, 'folder', top.id, { name: 'Renamed' });
    await change(store, project, 'document', page.id, { title: 'Paper' });
    await store.flush();
    expect(Object.keys(tree(join(projectDirectory(scratch.path), 'documents'))).sort()).to.deep.equal([
      '.folders.json',
      `Renamed/Inner/Paper.${page.id.slice(-4)}.md`,
    ]);
    await change(store, project, 'document', page.id, { folder_id: null });
    await store.update(project, meta, (tx) => {
      tx.remove('folder', inner.id);
      tx.remove('folder', top.id);
    });
    await store.flush();
    expect(Object.keys(tree(join(projectDirectory(scratch.path), 'documents')))).to.deep.equal([
      `Paper.${page.id.slice(-4)}.md`,
    ]);
    await reopen();
    expect((await read(store, project, 'document', page.id))?.title).to.equal('Paper');
    expect(store.check()).to.deep.equal([]);
  });

  it('moves a deleted project to the trash [A.write.trash]', async () => {
    await newItem(store, project);
    await store.flush();
    await store.deleteProject(project, meta);
    expect(store.projects()).to.deep.equal([]);
    expect(Object.keys(tree(join(scratch.path, '.planner/projects')))).to.deep.equal([]);
    expect(Object.keys(tree(join(scratch.path, '.planner/local/trash')))).to.have.length(2);
    await reopen();
    expect(store.projects()).to.deep.equal([]);
  });

  it('finds no new project in the directory of a deleted one on its way to the trash [A.write.trash]', async () => {
    await newItem(store, project);
    await store.flush();
    const deleted = store.deleteProject(project, meta);
    await store.rescan();
    await deleted;
    expect(store.projects()).to.deep.equal([]);
    await store.rescan();
    expect(store.projects()).to.deep.equal([]);
  });

  it('orders lists by creation and returns changes since a version', async () => {
    const items: Item[] = [];
    for (let i = 0; i < 20; i++) items.push(await newItem(store, project, { title: `Item ${i}` }));
    const list = await store.read(project, (view) => [...view.list('task')].map(({ id }) => id));
    expect(list).to.deep.equal(items.map(({ id }) => id));
    const version = await store.read(project, (view) => view.version('task'));
    await change(store, project, 'task', items[3]?.id ?? '', { status: 'done' });
    const delta = await store.read(project, (view) => view.since('task', version));
    expect([...(delta?.ids ?? [])]).to.deep.equal([items[3]?.id]);
    expect(await store.read(project, (view) => view.countBy('task', 'status', 'done'))).to.equal(1);
  });

  it('truncates the journal once everything is in files and synced [A.write.segment-goes]', async () => {
    for (let i = 0; i < 30; i++) await newItem(store, project, { title: `Item ${i}`, text: 'x'.repeat(1000) });
    await store.close();
    const journal = Object.values(tree(join(scratch.path, '.planner/local/journal'))).join('');
    expect(journal).not.to.contain('Item 3');
    store = await openStore(scratch.path);
    expect(await store.read(project, (view) => view.count('task'))).to.equal(30);
  });

  it('keeps the records of the service itself over a restart', async () => {
    await store.updateService(meta, (tx) =>
      tx.put('keys', { id: 'one', created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' }),
    );
    await store.update(project, meta, (tx) =>
      tx.service.put('leases', {
        id: 'two',
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: '2026-01-01T00:00:00.000Z',
      }),
    );
    await reopen();
    const ids = await store.readService((view) => ['keys', 'leases'].map((name) => [...view.list(name)][0]?.id));
    expect(ids).to.deep.equal(['one', 'two']);
  });

  it('keeps each record of the service in the log of its placement, the response to a call with the call', async () => {
    const stamp = '2026-01-01T00:00:00.000Z';
    const record = (id: string): StoredRecord => ({ id, created_at: stamp, updated_at: stamp });
    await store.update(project, meta, ({ service }) => {
      service.put('leases', record('ofProject'));
      service.put('responses', record('ofProject'));
    });
    await store.updateService(meta, (service) => {
      service.put('keys', record('ofService'));
      service.put('responses', record('ofService'));
    });
    const misplaced = [
      store.update(project, meta, ({ service }) => service.put('keys', record('misplaced'))),
      store.updateService(meta, (service) => service.put('leases', record('misplaced'))),
    ];
    for (const outcome of await Promise.allSettled(misplaced)) expect(outcome.status).to.equal('rejected');
    await store.deleteProject(project, meta, (ofProject, ofService) => {
      ofProject.remove('leases', 'ofProject');
      ofService.remove('keys', 'ofService');
      ofService.put('responses', record('ofDeletion'));
    });
    store.abandon();
    const { entries, journal } = Journal.open({
      disk: nodeDisk,
      directory: join(scratch.path, '.planner/local/journal'),
    });
    await journal.close();
    const placed = (entries as readonly Entry<EntryBody>[])
      .filter(({ body }) => body.service !== undefined)
      .map(({ project: log, body }) => [log, body.service!.map(({ c, id }) => `${c} ${id}`)]);
    expect(placed).to.deep.equal([
      [project, ['leases ofProject', 'responses ofProject']],
      ['$service', ['keys ofService', 'responses ofService']],
      [project, ['leases ofProject']],
      ['$service', ['keys ofService', 'responses ofDeletion']],
    ]);
    store = await openStore(scratch.path);
    const left = await store.readService((view) => ['keys', 'leases'].flatMap((name) => [...view.list(name)]));
    expect(left).to.deep.equal([]);
  });
});
