import { expect } from 'chai';
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CheckpointWriter } from '../../src/store/files/checkpoint/checkpoint-writer.ts';
import { sha256Of } from '../../src/store/files/disk/sha256.ts';
import { createRenderer } from '../../src/store/files/checkpoint/render.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('A folder that is renamed while a file in it is moved', () => {
  const scratch = scratchDirectory();

  for (const [step, left] of [
    [1, 'a.md'],
    [2, 'b.md'],
  ] as const)
    it(`has one file of the record, whose change is not lost (rename ${step}) [A.edit.overtaken]`, () => {
      const root = join(scratch.path, '.planner');
      const at = (path: string): string => join(root, 'projects/p/documents', path);
      mkdirSync(at('Beds'), { recursive: true });
      writeFileSync(at('Beds/a.md'), 'old');
      let renames = 0;
      const disk = hookedDisk({ rename: () => void (++renames === step && renameSync(at('Beds'), at('Mine'))) });
      const writer = new CheckpointWriter({ disk, root, renderer: createRenderer('new') });
      const expect_ = { sha256: sha256Of(Buffer.from('old')) };
      const move = { key: 'b', kind: 'file', path: at('Beds/b.md'), from: at('Beds/a.md'), expect: expect_ } as const;
      const { results } = writer.run([{ ...move, bytes: 'new' }]);
      expect(results[0]?.status).to.equal('changed');
      expect(readdirSync(at('Mine'))).to.deep.equal([left]);
    });
});
