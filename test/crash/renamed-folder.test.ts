import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import {
  change,
  makeProject,
  meta,
  newFolder,
  newPage,
  openStore,
  projectDirectory,
  read,
} from '../support/plan-store.ts';
import { powerCutDisk, rebooted } from '../support/power-cut-disk.ts';
import { Random } from '../support/random.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('A folder that is renamed before its files were synced', () => {
  const scratch = scratchDirectory();

  it('has its documents synced at their new paths: a power failure after a clean stop loses no document [A.crash.power-cut]', async () => {
    const disk = powerCutDisk(scratch.path);
    const store = await openStore(scratch.path, { disk });
    const project = await makeProject(store);
    const { id: folder_id } = await newFolder(store, project, { name: 'Beds' });
    const body = 'What grows here.\n'.repeat(400);
    const { id } = await newPage(store, project, { title: 'Soil', body, folder_id });
    await store.flush();
    await change(store, project, 'folder', folder_id, { name: 'Fields' });
    await store.flush();
    await store.close();
    power(disk);
    const again = await openStore(scratch.path, { disk: rebooted(nodeDisk) });
    try {
      expect(await read(again, project, 'document', id)).to.include({ body, folder_id });
    } finally {
      await again.close();
    }
  });

  it('keeps its own file until the files moved out of it are written [A.crash.points]', async () => {
    const refused = new Set<string>();
    const rename: typeof nodeDisk.rename = (from, to) => {
      if (refused.has('rename') && from.endsWith('.md'))
        throw Object.assign(new Error('EACCES: made by the test'), { code: 'EACCES' });
      nodeDisk.rename(from, to);
    };
    const store = await openStore(scratch.path, { disk: { ...nodeDisk, rename }, parkedRetryMs: 60_000 });
    const project = await makeProject(store);
    const { id: folder_id } = await newFolder(store, project, { name: 'Beds' });
    const { id } = await newPage(store, project, { title: 'Soil', folder_id });
    await store.flush();
    refused.add('rename');
    await change(store, project, 'document', id, { folder_id: null });
    await store.update(project, meta, (tx) => tx.remove('folder', folder_id));
    await store.flush();
    expect(existsSync(`${projectDirectory(scratch.path)}/documents/Beds/.folder.json`)).to.equal(true);
    store.abandon();
    const again = await openStore(scratch.path);
    try {
      await again.flush();
      expect(again.check()).to.deep.equal([]);
      expect(await read(again, project, 'document', id)).to.include({ folder_id: null });
      expect(await again.read(project, (view) => [...view.list('folder')])).to.deep.equal([]);
    } finally {
      await again.close();
    }
  });
});

/** Nothing that was not synced is left. */
function power(disk: ReturnType<typeof powerCutDisk>): void {
  disk.cut({ data: 'zeros', names: 'kept' }, new Random(1));
}
