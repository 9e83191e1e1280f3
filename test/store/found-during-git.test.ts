import { expect } from 'chai';
import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { deletionGraceMs } from '../../src/store/files/life/path-life.ts';
import { initRepository } from '../support/git.ts';
import { describeItems, faultsOf, ItemFold } from '../support/item-events.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  change,
  fileNamed,
  newItem,
  newPage,
  openStore,
  read,
  reopened,
  rescanTwice,
  storeWithProject,
  type TestStore,
} from '../support/plan-store.ts';

/** Schedules in which git changes the tree while files are written, which the simulator has found, in their shortest form. */
describe('A store that a simulation has found at fault while git changed the tree', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  /** Opens the store in a repository. Something happens after a file is in its place, and git ends a command then. */
  async function openWithGit(suffix: string, meanwhile: (path: string) => void): Promise<void> {
    await store.close();
    initRepository(scratch.path);
    const head = join(scratch.path, '.git/HEAD');
    const rename: typeof nodeDisk.rename = (from, to) => {
      nodeDisk.rename(from, to);
      if (!from.endsWith('.tmp') || !to.endsWith(suffix)) return;
      meanwhile(to);
      writeFileSync(head, 'ref: refs/heads/other\n');
    };
    store = await openStore(scratch.path, { disk: { ...nodeDisk, rename } });
  }

  it('merges text that is saved into a file that is renamed while git changes the tree [A.write.look-back]', async () => {
    const item = await newItem(store, project, { title: 'Humus', text: 'Some text.\n' });
    await store.flush();
    const opened = openSync(fileNamed(directory, item.id), 'a');
    await openWithGit(`soil.${item.id}.md`, () => void writeSync(opened, 'Saved.\n'));
    await change(store, project, 'task', item.id, { title: 'Soil' });
    await store.flush();
    await store.rescan();
    await store.flush();
    closeSync(opened);
    expect((await read(store, project, 'task', item.id))?.text)
      .to.contain('Some text.')
      .and.contain('Saved.');
    expect(readFileSync(fileNamed(directory, item.id), 'utf8')).to.contain('Saved.');
  });

  it('waits for the text of a new file that an editor has emptied while git changed the tree [A.format.empty]', async () => {
    let text = '';
    const emptied = Promise.withResolvers<string>();
    await openWithGit('.md', (to) => {
      if (text !== '' || !to.includes('/documents/')) return;
      text = readFileSync(to, 'utf8');
      truncateSync(to);
      // The batch of the file has ended then.
      setTimeout(() => emptied.resolve(to), 20);
    });
    const page = await newPage(store, project, { title: 'Soil', body: 'Some text.\n' });
    const path = await emptied.promise;
    await rescanTwice(store);
    const ids = (): Promise<string[]> => store.read(project, (view) => [...view.list('document')].map(({ id }) => id));
    expect(await ids()).to.deep.equal([page.id]);
    writeFileSync(path, `${text}Saved.\n`);
    await store.rescan();
    await store.flush();
    expect(await ids()).to.deep.equal([page.id]);
    expect((await read(store, project, 'document', page.id))?.body).to.contain('Saved.');
  });

  it('never deletes a record whose file git replaces before it writes its new one [A.feed.external, A.edit.back]', async () => {
    await store.close();
    store = await openStore(scratch.path, { describe: describeItems });
    const fold = new ItemFold();
    const [own, other] = [await newItem(store, project, { title: 'Own' }), await newItem(store, project)];
    await store.flush();
    expect(await faultsOf(store, project, fold)).to.deep.equal([]);
    const [path, otherPath] = [fileNamed(directory, own.id), fileNamed(directory, other.id)];
    const [text, otherText] = [readFileSync(path, 'utf8'), readFileSync(otherPath, 'utf8')];
    rmSync(otherPath);
    rmSync(path);
    writeFileSync(path, otherText);
    await store.rescan();
    writeFileSync(join(directory, 'tasks/new.md'), text);
    await rescanTwice(store);
    await store.flush();
    expect(await faultsOf(store, project, fold)).to.deep.equal([]);
    expect([...fold.deleted]).to.deep.equal([]);
    for (const [id, at] of [
      [own.id, 'tasks/new.md'],
      [other.id, path.slice(directory.length + 1)],
    ])
      expect(await store.read(project, (view) => view.pathOf(id!))).to.match(new RegExp(`${at}$`));
    expect(store.check()).to.deep.equal([]);
  });

  it('never deletes a record whose file git exchanges for another one, whichever is read first [A.feed.external, A.edit.back]', async () => {
    await store.close();
    const clock = new ManualClock(systemClock.now());
    store = await openStore(scratch.path, { describe: describeItems, clock });
    const fold = new ItemFold();
    const [own, other] = [
      await newItem(store, project, { title: 'Own' }),
      await newItem(store, project, { title: 'Other' }),
    ];
    await store.flush();
    expect(await faultsOf(store, project, fold)).to.deep.equal([]);
    const [path, otherPath] = [fileNamed(directory, own.id), fileNamed(directory, other.id)];
    const [text, otherText] = [readFileSync(path, 'utf8'), readFileSync(otherPath, 'utf8')];
    rmSync(otherPath);
    rmSync(path);
    writeFileSync(path, otherText);
    await store.rescan();
    // The grace period of the first file ends when the second one, which is read before it, is found.
    clock.sleep(2 * deletionGraceMs);
    writeFileSync(otherPath, text);
    await store.rescan();
    expect(await faultsOf(store, project, fold)).to.deep.equal([]);
    expect([...fold.deleted]).to.deep.equal([]);
    for (const [id, name] of [
      [own.id, 'other'],
      [other.id, 'own'],
    ] as const)
      expect(await store.read(project, (view) => view.pathOf(id))).to.include(`/tasks/${name}.`);
    expect(store.check()).to.deep.equal([]);
  });

  const at = (name: string): string => join(directory, `tasks/${name}.md`);
  const cutOff = (text: string): string => text.slice(0, text.lastIndexOf('---'));
  /** What is at the path to which git moves the file of a record that has a conflict, or is cut off. */
  const places: Readonly<Record<string, (other: string) => string>> = {
    'nothing was': () => at('Own'),
    'the file of another record was': (other) => other,
    'a copy of another record was': (other) => {
      copyFileSync(other, at('Copy'));
      return at('Copy');
    },
    'an unreadable file of another record was': (other) => {
      writeFileSync(other, cutOff(readFileSync(other, 'utf8')));
      return other;
    },
  };

  for (const [what, placeOf] of Object.entries(places))
    for (const withCache of [true, false])
      it(`keeps a record whose cut-off file git puts where ${what}, over a restart ${withCache ? 'with' : 'without'} the index cache [A.edit.unreadable]`, async () => {
        const own = await newItem(store, project, { title: 'Own' });
        const other = await newItem(store, project, { title: 'Other' });
        await store.flush();
        const former = fileNamed(directory, own.id);
        const place = placeOf(fileNamed(directory, other.id));
        await rescanTwice(store);
        const text = readFileSync(former, 'utf8');
        rmSync(former);
        rmSync(place, { force: true });
        writeFileSync(place, cutOff(text));
        const isOtherLeft = [at('Own'), at('Copy')].includes(place);
        for (const isRestarted of [false, true]) {
          if (isRestarted) store = await reopened(store, scratch.path, withCache);
          else await rescanTwice(store);
          expect((await read(store, project, 'task', own.id))?.title).to.equal('Own');
          expect((await read(store, project, 'task', other.id))?.title).to.equal(isOtherLeft ? 'Other' : undefined);
          const problems = await store.read(project, (view) => view.problems.map(({ kind, id }) => ({ kind, id })));
          expect(problems).to.deep.equal([{ kind: 'unreadable', id: own.id }]);
        }
        writeFileSync(place, text);
        await store.rescan();
        await store.flush();
        expect((await read(store, project, 'task', own.id))?.title).to.equal('Own');
        expect(store.check()).to.deep.equal([]);
      });
});
