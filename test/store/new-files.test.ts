import { expect } from 'chai';
import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileJob } from '../../src/store/files/checkpoint/checkpoint-job.ts';
import { CheckpointWriter } from '../../src/store/files/checkpoint/checkpoint-writer.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('Many new files in one batch', () => {
  const scratch = scratchDirectory();
  const root = (): string => join(scratch.path, '.planner');
  const at = (name: string): string => join(root(), 'projects/p/tasks', name);
  const text = (name: string): string => readFileSync(at(name), 'utf8');

  beforeEach(() => mkdirSync(at(''), { recursive: true }));

  function job(name: string, expected: string | null, bytes: string): FileJob {
    const expect = expected === null ? null : { sha256: hash('sha256', expected, 'hex') };
    return { key: name, kind: 'file', path: at(name), expect, bytes };
  }

  /** The disk of a process that may open no more than so many files, and its open files. */
  function narrowDisk(most: number): { readonly disk: Disk; readonly open: ReadonlySet<number> } {
    const open = new Set<number>();
    const disk: Disk = {
      ...nodeDisk,
      open: (path, flags, mode) => {
        if (open.size >= most) throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
        const fd = nodeDisk.open(path, flags, mode);
        open.add(fd);
        return fd;
      },
      close: (fd) => {
        open.delete(fd);
        nodeDisk.close(fd);
      },
    };
    return { disk, open };
  }

  for (const most of [1, 3, 100]) {
    it(`are created in the order of the jobs, between other changes, though no more than ${most} may be open [A.write.checkpoint]`, () => {
      writeFileSync(at('a.md'), 'old');
      const names = Array.from({ length: 40 }, (_, i) => `new ${i}.md`);
      writeFileSync(at('new 7.md'), 'a person');
      const { disk, open } = narrowDisk(most);
      const made = names.map((name) => job(name, null, name));
      const jobs = [...made.slice(0, 20), ...(most > 1 ? [job('a.md', 'old', 'new')] : []), ...made.slice(20)];
      const { results } = new CheckpointWriter({ disk, root: root() }).run(jobs);
      expect(results.map(({ key }) => key)).to.deep.equal(jobs.map(({ key }) => key));
      expect(results.filter(({ status }) => status !== 'ok').map(({ key }) => key)).to.deep.equal(['new 7.md']);
      for (const name of names) expect(text(name)).to.equal(name === 'new 7.md' ? 'a person' : name);
      if (most > 1) expect(text('a.md')).to.equal('new');
      expect([...open, ...readdirSync(join(root(), 'local/tmp'))]).to.deep.equal([]);
    });
  }
});
