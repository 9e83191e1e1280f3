import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../src/base/clock.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import type { Migration } from '../../src/store/files/disk/migration.ts';
import { RootLayout } from '../../src/store/files/disk/root-layout.ts';
import { upgradeRoot } from '../../src/store/files/root/upgrade.ts';
import { faultyDisk } from '../support/faulty-disk.ts';
import { hashes } from './fixture.ts';

const texts: Readonly<Record<string, string>> = {
  'config.json': '{"format": 1}\n',
  'projects/p/tasks/a.md': '---\nlabel: One\n---\n',
  'projects/p/tasks/b.md': '---\nlabel: Two\n---\nText\n',
  'projects/p/canvas.json': '{}\n',
};

/**
 * Upgrades a small root on a disk that fails permanently at one of its calls, for each call that is `chosen`, and once more with a torn
 * write. Then either nothing has changed or the remains are known, and the next upgrade ends like an uninterrupted one. Returns the number
 * of crashes.
 */
export function crashes(root: string, migrations: readonly Migration[], chosen: () => boolean): number {
  const upgrade = (disk: Disk): void =>
    upgradeRoot({ disk, layout: new RootLayout(root), clock: systemClock, migrations, log: () => undefined });
  lay(root);
  const old = [...hashes(root)];
  const counting = faultyDisk();
  upgrade(counting);
  const done = [...hashes(root)];
  expect(done).not.to.deep.equal(old);
  let count = 0;
  for (let at = 1; at <= counting.calls; at++) {
    if (!chosen()) continue;
    for (const torn of [undefined, 'half'] as const) {
      lay(root);
      const disk = faultyDisk({ fault: { at, kind: 'stop', ...(torn === undefined ? {} : { torn }) } });
      expect(() => upgrade(disk), `call ${at}`).to.throw();
      disk.closeAll();
      count++;
      const found = [...hashes(root)];
      const continues = existsSync(join(root, 'local/upgrade/plan.json'));
      if (!continues) expect(found, `call ${at}: neither the old root nor the new one`).to.be.deep.oneOf([old, done]);
      upgrade(nodeDisk);
      expect([...hashes(root)], `call ${at}`).to.deep.equal(done);
      expect(existsSync(join(root, 'local/upgrade')), `call ${at}: something is left over`).to.equal(false);
    }
  }
  return count;
}

function lay(root: string): void {
  rmSync(root, { recursive: true, force: true });
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  mkdirSync(join(root, 'local/tmp'), { recursive: true });
}
