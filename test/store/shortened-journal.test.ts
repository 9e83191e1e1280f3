import { expect } from 'chai';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  change,
  type Folder,
  openStore,
  rescanTwice,
  storeWithProject,
  type TestStore,
  write,
} from '../support/plan-store.ts';

/** Schedules that the simulator has found with a disk that fails for longer than the journal keeps its segments. */
describe('A store whose journal was shortened while changes could not be written', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  it('writes them once it can', async () => {
    write(join(directory, 'documents/Beds/Soil.md'), 'Loam.\n');
    await rescanTwice(store);
    await store.close();
    let isFull = false;
    const open: typeof nodeDisk.open = (path, ...rest) => {
      if (isFull && path.includes('/local/tmp/')) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      return nodeDisk.open(path, ...rest);
    };
    const clock = new ManualClock(Date.now());
    store = await openStore(scratch.path, { clock, disk: { ...nodeDisk, open }, parkedRetryMs: 20_000 });
    const idsOf = (name: 'document' | 'folder'): Promise<string[]> =>
      store.read(project, (view) => [...view.list(name)].map(({ id }) => id));
    const [page, folder] = [...(await idsOf('document')), ...(await idsOf('folder'))];
    isFull = true;
    await clock.during(change(store, project, 'document', page!, { status: 'changed' }));
    await clock.until(async () => (await clock.during(store.read(project, (view) => view.problems))).length > 0);
    await clock.during(change(store, project, 'folder', folder!, { name: 'Fields' }));
    await clock.pass(15_000);
    isFull = false;
    await clock.until(() => store.status().pending === 0);
    expect(readFileSync(join(directory, 'documents/Fields/Soil.md'), 'utf8')).to.contain('status: changed');
  });

  it('writes the ids of a folder that moves once there is space', async () => {
    mkdirSync(join(directory, 'documents/Beds/Rows'), { recursive: true });
    await rescanTwice(store);
    await store.close();
    let isFull = true;
    const open: typeof nodeDisk.open = (path, ...how) => {
      if (isFull && path.includes('/local/tmp/'))
        throw Object.assign(new Error('made by the test'), { code: 'ENOSPC' });
      return nodeDisk.open(path, ...how);
    };
    const clock = new ManualClock(Date.now());
    store = await openStore(scratch.path, { clock, disk: { ...nodeDisk, open } });
    const folders = await clock.during(store.read(project, (view) => [...view.list('folder')] as Folder[]));
    const { id } = folders.find(({ name }) => name === 'Beds')!;
    await clock.during(change(store, project, 'folder', id, { name: 'Fields' }));
    await clock.pass(4000);
    isFull = false;
    await clock.pass(10_000);
    expect(readFileSync(join(directory, 'documents/.folders.json'), 'utf8')).to.contain('"Fields/Rows"');
    expect(store.status().pending).to.equal(0);
  });
});
