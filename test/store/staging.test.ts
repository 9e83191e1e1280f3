import { expect } from 'chai';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { systemClock } from '../../src/base/clock.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { Staging } from '../../src/store/files/checkpoint/staging.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { bytesOf } from '../support/bytes-of.ts';
import { TestService } from '../support/service.ts';

describe('Staged bytes', () => {
  const scratch = scratchDirectory();

  it('stay unchanged when the same ones arrive again, and damaged ones are replaced [A.hostile.same-bytes]', async () => {
    const staging = new Staging(nodeDisk, scratch.path, systemClock);
    const content = Buffer.alloc(600_000, 'clay');
    const { sha256 } = await staging.put([content]);
    const path = staging.path(sha256);
    const first = statSync(path).ino;
    await staging.put([content.subarray(0, 1000), content.subarray(1000)]);
    expect(statSync(path).ino).to.equal(first);
    expect(nodeDisk.list(`${scratch.path}/bytes`).map(({ name }) => name)).to.deep.equal([sha256]);
    writeFileSync(path, Buffer.alloc(content.length, 'sand'));
    await staging.put([content]);
    expect(readFileSync(path).equals(content)).to.equal(true);
    staging.close();
  });

  it('are read to their end even if the same ones are uploaded again in between [A.hostile.same-bytes]', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      const content = Buffer.alloc(300_000, 'clay');
      const body = { filename: 'a.bin', mime: 'image/png', content_base64: content.toString('base64') };
      const upload = (): Promise<{ body: { id: string } }> => service.rest.post(`/projects/${project}/files`, body);
      const { id } = (await upload()).body;
      const bytes = await service.store.read(project, (view) => view.bytes('file', id));
      await upload();
      expect((await bytesOf(bytes!.pieces())).equals(content)).to.equal(true);
    } finally {
      await service.stop();
    }
  });
});
