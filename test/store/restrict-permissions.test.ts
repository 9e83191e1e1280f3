import { expect } from 'chai';
import { chmodSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { restrictPermissions } from '../../src/store/files/disk/restrict-permissions.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('A local/ that other users can access', () => {
  const scratch = scratchDirectory();
  const modeOf = (path: string): number => statSync(path).mode & 0o777;

  /** Files and directories that other users may read, by their paths and their modes afterwards. */
  const afterwards = {
    ...{ local: 0o700, 'local/lock': 0o600, 'local/journal': 0o700, 'local/journal/1.log': 0o600 },
    ...{ 'local/history': 0o700, 'local/history/abc': 0o700, 'local/history/abc/a.jsonl': 0o600 },
    ...{ 'local/tmp': 0o755, 'local/tmp/x': 0o644, outside: 0o755, 'outside/file': 0o644, 'outside/inner': 0o755 },
  };

  function makeOpen(): void {
    for (const [name, mode] of Object.entries(afterwards)) {
      const path = join(scratch.path, name);
      mkdirSync(mode >= 0o700 ? path : dirname(path), { recursive: true });
      if (mode < 0o700) writeFileSync(path, '');
      chmodSync(path, mode >= 0o700 ? 0o755 : 0o644);
    }
  }

  const modes = (): Record<string, number> =>
    Object.fromEntries(Object.keys(afterwards).map((name) => [name, modeOf(join(scratch.path, name))]));

  it('is made private without following a link, and no directory but those of its texts [A.trust.private, A.hostile.links]', () => {
    makeOpen();
    for (const link of ['local/linked', 'local/history/linked', 'local/history/abc/linked', 'local/a-link'])
      symlinkSync(join(scratch.path, link === 'local/a-link' ? 'outside/file' : 'outside'), join(scratch.path, link));
    restrictPermissions(nodeDisk, join(scratch.path, 'local'));
    expect(modes()).to.deep.equal(afterwards);
    expect(lstatSync(join(scratch.path, 'local/linked')).isSymbolicLink()).to.equal(true);
  });

  it('is made private without following a link that replaced its journal [A.hostile.links]', () => {
    makeOpen();
    const local = join(scratch.path, 'other');
    mkdirSync(local, { mode: 0o755 });
    symlinkSync(join(scratch.path, 'outside'), join(local, 'journal'));
    restrictPermissions(nodeDisk, local);
    expect(modeOf(local)).to.equal(0o700);
    expect(modes()).to.include({ outside: 0o755, 'outside/file': 0o644, 'outside/inner': 0o755 });
  });

  it('is not changed if it is private, or if its files belong to another user or do not exist [A.trust.private]', () => {
    makeOpen();
    chmodSync(join(scratch.path, 'local'), 0o700);
    restrictPermissions(nodeDisk, join(scratch.path, 'local'));
    expect(modes()).to.include({ local: 0o700, 'local/lock': 0o644, 'local/journal': 0o755 });
    restrictPermissions(nodeDisk, join(scratch.path, 'nothing'));
    for (const mode of [0o750, 0o705]) {
      chmodSync(join(scratch.path, 'local'), mode);
      const setMode = (path: string, mode: number): void => {
        if (path.endsWith('.log')) throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
        nodeDisk.setMode(path, mode);
      };
      restrictPermissions({ ...nodeDisk, setMode }, join(scratch.path, 'local'));
      expect(modes()).to.include({ local: 0o700, 'local/lock': 0o600, 'local/journal': 0o700 });
      expect(modes()).to.include({ 'local/journal/1.log': 0o644 });
    }
  });
});
