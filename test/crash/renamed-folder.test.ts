import { expect } from 'chai';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { change, makeProject, newFolder, newPage, openStore, read } from '../support/plan-store.ts';
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
});

/** Nothing that was not synced is left. */
function power(disk: ReturnType<typeof powerCutDisk>): void {
  disk.cut({ data: 'zeros', names: 'kept' }, new Random(1));
}
