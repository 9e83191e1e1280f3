import { expect } from 'chai';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { initRepository } from '../support/git.ts';
import { describeItems } from '../support/item-events.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  afterBoot,
  change,
  editFile,
  fileNamed,
  formerValuesOf,
  meta,
  newFolder,
  newItem,
  newPage,
  openStore,
  read,
  rescanTwice,
  storeWithProject,
  type TestStore,
} from '../support/plan-store.ts';

/** Schedules with kills, power cuts and openings that the simulator has found, in their shortest form. */
describe('An opening that a simulation has found at fault', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  const formerValues = (id: string): Promise<string> => formerValuesOf(store, project, id);
  const edit = (id: string, from: string, to: string): void => editFile(directory, id, from, to);

  it('keeps the changes that a former opening made of an edit, although a power cut lost the marks of that time [A.crash.power-cut]', async () => {
    const disk = afterBoot('first');
    const item = await newItem(store, project, { status: 'before', text: 'text\n' });
    await store.close();
    store = await openStore(scratch.path, { disk, describe: describeItems });
    await change(store, project, 'task', item.id, { status: 'acknowledged' });
    await store.flush();
    await newItem(store, project);
    store.abandon();
    // An editor that had opened the file before saves its text.
    edit(item.id, 'status: acknowledged', 'status: before');
    edit(item.id, 'text\n', 'edited\n');
    store = await openStore(scratch.path, { disk, describe: describeItems });
    expect((await read(store, project, 'task', item.id))?.status).to.equal('before');
    await newItem(store, project);
    store.abandon();
    store = await openStore(scratch.path, { disk: { ...disk, bootId: () => 'second' }, describe: describeItems });
    expect(await read(store, project, 'task', item.id)).to.deep.include({ status: 'before', text: 'edited\n' });
    expect(await formerValues(item.id)).to.contain('acknowledged');
  });

  it('removes a record whose file has an edit that a former opening had merged [A.open.written]', async () => {
    const item = await newItem(store, project, { title: 'Before', status: 'before' });
    await store.close();
    // Time does not pass: no file is written.
    const clock = new ManualClock(Date.now());
    const options = { clock, describe: describeItems };
    store = await openStore(scratch.path, options);
    await clock.during(change(store, project, 'task', item.id, { title: 'Renamed' }));
    store.abandon();
    edit(item.id, 'status: before', 'status: edited');
    store = await openStore(scratch.path, options);
    expect(await clock.during(read(store, project, 'task', item.id))).to.deep.include({
      title: 'Renamed',
      status: 'edited',
    });
    await clock.during(store.update(project, meta, (tx) => tx.remove('task', item.id)));
    store.abandon();
    store = await openStore(scratch.path, { describe: describeItems });
    await store.flush();
    expect(await read(store, project, 'task', item.id)).to.equal(undefined);
  });

  it('syncs the history of an edit that a former process found and did not sync [A.crash.power-cut]', async () => {
    const item = await newItem(store, project);
    await store.close();
    rmSync(fileNamed(directory, item.id));
    store = await openStore(scratch.path, { describe: describeItems });
    await store.flush();
    store.abandon();
    const history = join(scratch.path, '.planner/local/history');
    const segments = readdirSync(history, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(history, name));
    expect(segments.map((path) => readFileSync(path, 'utf8')).join('')).to.contain(item.id);
    const opened = new Map<number, string>();
    const synced: string[] = [];
    const disk: typeof nodeDisk = {
      ...nodeDisk,
      open(path, flags, mode) {
        const fd = nodeDisk.open(path, flags, mode);
        opened.set(fd, path);
        return fd;
      },
      sync(fd) {
        synced.push(opened.get(fd) ?? '');
        nodeDisk.sync(fd);
      },
      syncDirectory(path) {
        synced.push(path);
        nodeDisk.syncDirectory(path);
      },
    };
    store = await openStore(scratch.path, { disk, describe: describeItems });
    await store.close();
    expect(synced).to.include.members(segments.flatMap((path) => [path, dirname(path)]));
    store = await openStore(scratch.path);
  });

  it('waits for a git command, and takes no file that it has yet to write for a deleted one [A.write.git]', async () => {
    const item = await newItem(store, project, { title: 'Soil' });
    await store.close();
    initRepository(scratch.path);
    const [path, out, lock] = [
      fileNamed(directory, item.id),
      join(scratch.path, 'out.md'),
      join(scratch.path, '.git/index.lock'),
    ];
    writeFileSync(lock, '');
    renameSync(path, out);
    const clock = new ManualClock(Date.now());
    const opening = openStore(scratch.path, { clock });
    await clock.pass(500);
    renameSync(out, path);
    rmSync(lock);
    store = await clock.during(opening);
    expect((await clock.during(read(store, project, 'task', item.id)))?.title).to.equal('Soil');
    expect(await clock.during(formerValues(item.id))).to.equal('[]');
  });

  it('removes no file with a former value while git waits for a person to finish a merge [A.write.git]', async () => {
    initRepository(scratch.path);
    const item = await newItem(store, project, { title: 'First' });
    await store.close();
    const clock = new ManualClock(Date.now());
    store = await openStore(scratch.path, { clock });
    await clock.during(change(store, project, 'task', item.id, { title: 'Second' }));
    store.abandon();
    // The file has its new name, and git has written the former one.
    const path = fileNamed(directory, item.id);
    const text = readFileSync(path, 'utf8');
    writeFileSync(join(dirname(path), `second.${item.id}.md`), text.replace('First', 'Second'));
    writeFileSync(join(scratch.path, '.git/MERGE_HEAD'), '');
    store = await openStore(scratch.path);
    expect(readFileSync(path, 'utf8')).to.equal(text);
    expect((await read(store, project, 'task', item.id))?.title).to.equal('Second');
  });

  it('keeps the last values of a file without its front matter, which the index cache has not got [A.open.written]', async () => {
    const item = await newItem(store, project, { status: 'first', text: 'Text.\n' });
    await store.flush();
    const path = fileNamed(directory, item.id);
    const status = async (): Promise<string | undefined> => (await read(store, project, 'task', item.id))?.status;
    const restart = async (): Promise<void> => {
      // The item is durable after the marks.
      await newItem(store, project);
      // As git puts the file back, which had it before the record had an id.
      writeFileSync(path, 'Text.\n');
      store.abandon();
      store = await openStore(scratch.path, { describe: describeItems });
    };
    await store.close();
    store = await openStore(scratch.path, { describe: describeItems });
    await change(store, project, 'task', item.id, { status: 'second' });
    await store.flush();
    await restart();
    expect(await status()).to.equal('second');
    await change(store, project, 'task', item.id, { owner: 'me' });
    await store.close();
    store = await openStore(scratch.path, { describe: describeItems });
    edit(item.id, 'status: second', 'status: third');
    await rescanTwice(store);
    expect(await status()).to.equal('third');
    await restart();
    expect(await status()).to.equal('third');
    await store.close();
    // The cache has the file with these bytes.
    store = await openStore(scratch.path, { describe: describeItems });
    await change(store, project, 'task', item.id, { status: 'fourth' });
    await store.flush();
    await restart();
    expect(await status()).to.equal('fourth');
  });

  it('writes a new title although the file has got its new place only, and changed again since [A.crash.points]', async () => {
    const [first, second] = [
      await newFolder(store, project, { name: 'First' }),
      await newFolder(store, project, { name: 'Second' }),
    ];
    const page = await newPage(store, project, { title: 'Before', folder_id: first.id });
    await store.close();
    const clock = new ManualClock(Date.now());
    store = await openStore(scratch.path, { clock });
    await clock.during(change(store, project, 'document', page.id, { title: 'After', folder_id: second.id }));
    await clock.during(change(store, project, 'document', page.id, { folder_id: null }));
    store.abandon();
    renameSync(fileNamed(directory, 'Before'), join(directory, 'documents/Second/After.md'));
    store = await openStore(scratch.path);
    await store.flush();
    expect(await read(store, project, 'document', page.id)).to.deep.include({ title: 'After', folder_id: null });
    expect(store.check()).to.deep.equal([]);
  });

  it('keeps each change before a crash when the file was edited that has none of them', async () => {
    const item = await newItem(store, project, { status: 'todo', text: 'Deep.\nIn spring.' });
    await store.flush();
    await change(store, project, 'task', item.id, { status: 'doing' });
    await change(store, project, 'task', item.id, { text: 'Wide.\nIn spring.' });
    await change(store, project, 'task', item.id, { owner: 'ann' });
    store.abandon();
    editFile(directory, item.id, 'Deep.\n', 'Deep.\nWith a spade.\n');
    store = await openStore(scratch.path);
    const { status, owner, text } = (await read(store, project, 'task', item.id))!;
    expect({ status, owner, text }).to.deep.equal({
      ...{ status: 'doing', owner: 'ann' },
      text: 'Deep.\nWith a spade.\nIn spring.',
    });
    expect(await formerValuesOf(store, project, item.id)).to.contain('Wide.');
  });
});
