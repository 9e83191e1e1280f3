import { expect } from 'chai';
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { initRepository } from '../support/git.ts';
import {
  change,
  fileNamed,
  newItem,
  newPage,
  openStore,
  read,
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
});
