import { expect } from 'chai';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renameWithRetries } from '../../src/store/files/disk/rename-retries.ts';
import { scratchDirectory } from '../support/scratch.ts';

/** A rename that fails with a code the given number of times, then renames. */
function failing(code: string, times: number): { readonly rename: typeof renameSync; readonly calls: () => number } {
  let calls = 0;
  return {
    calls: () => calls,
    rename: (from, to) => {
      if (calls++ < times) throw Object.assign(new Error(code), { code });
      renameSync(from, to);
    },
  };
}

describe('Renaming', () => {
  const scratch = scratchDirectory();
  const [from, to] = ['from', 'to'].map((name) => () => join(scratch.path, name)) as [() => string, () => string];
  let pauses: number[] = [];
  const pause = (ms: number): void => void pauses.push(ms);

  beforeEach(() => {
    pauses = [];
    writeFileSync(from(), 'new');
    writeFileSync(to(), 'old');
  });

  for (const code of ['EPERM', 'EBUSY', 'EACCES'])
    it(`is retried with growing pauses on Windows while a program has the file open (${code})`, () => {
      const { rename, calls } = failing(code, 3);
      renameWithRetries({ rename, platform: 'win32', pause })(from(), to());
      expect([calls(), pauses]).to.deep.equal([4, [1, 2, 4]]);
      expect([existsSync(from()), readFileSync(to(), 'utf8')]).to.deep.equal([false, 'new']);
    });

  it('fails after half a second of pauses with the reason of the system, and leaves both files', () => {
    const { rename, calls } = failing('EBUSY', Infinity);
    expect(() => renameWithRetries({ rename, platform: 'win32', pause })(from(), to())).to.throw('EBUSY');
    expect([calls(), pauses.reduce((sum, ms) => sum + ms, 0)]).to.deep.equal([10, 511]);
    expect([readFileSync(from(), 'utf8'), readFileSync(to(), 'utf8')]).to.deep.equal(['new', 'old']);
  });

  it('is not retried for other reasons, nor on other systems', () => {
    for (const [platform, code] of [
      ['win32', 'ENOENT'],
      ['win32', 'ENOSPC'],
      ['linux', 'EACCES'],
      ['darwin', 'EPERM'],
    ] as const) {
      const { rename, calls } = failing(code, 1);
      expect(() => renameWithRetries({ rename, platform, pause })(from(), to()), platform).to.throw(code);
      expect(calls()).to.equal(1);
    }
    expect(pauses).to.deep.equal([]);
  });
});
