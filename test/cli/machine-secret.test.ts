import { expect } from 'chai';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { machineSecret, secretPath } from '../../src/cli/machine/machine-secret.ts';
import type { MachineSecret } from '../../src/cli/machine/machine-secret.ts';
import { userDirectory } from '../../src/cli/machine/user-directory.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import { UnreadableFileError } from '../../src/store/files/disk/durable-json.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { powerCutDisk } from '../support/power-cut-disk.ts';
import { Random } from '../support/random.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('The secret of a user on a machine', () => {
  const scratch = scratchDirectory();
  const place = (disk: Disk = nodeDisk): Parameters<typeof machineSecret>[0] => ({
    disk,
    homeDirectory: join(scratch.path, 'home'),
    configHome: undefined,
  });
  const path = (): string => secretPath(place());

  /** Fails as a call of the operating system does. */
  function failing(code: string): () => never {
    return () => {
      throw Object.assign(new Error(`${code}: it fails`), { code });
    };
  }

  function keep(content: object): void {
    mkdirSync(dirname(path()), { recursive: true });
    writeFileSync(path(), JSON.stringify(content));
  }

  it('is stored below XDG_CONFIG_HOME, or below .config if that is not set or relative [A.hostile.local-signed]', () => {
    const home = { homeDirectory: '/home/ada' };
    expect(userDirectory({ ...home, configHome: undefined })).to.equal('/home/ada/.config/planner');
    expect(userDirectory({ ...home, configHome: 'settings' })).to.equal('/home/ada/.config/planner');
    expect(userDirectory({ ...home, configHome: '/settings' })).to.equal('/settings/planner');
    expect(secretPath({ ...home, configHome: '/settings' })).to.equal('/settings/planner/machine-secret.json');
  });

  it('is created once, for this user only, and then read [A.hostile.local-signed]', () => {
    const began = Date.now();
    const made = machineSecret(place());
    expect(made?.createdMs).to.be.within(began, Date.now());
    expect(Buffer.from(made!.secret, 'base64url')).to.have.length(32);
    expect(machineSecret(place())).to.deep.equal(made);
    expect(readdirSync(dirname(path()))).to.deep.equal(['machine-secret.json']);
    expect(statSync(path()).mode & 0o777).to.equal(0o600);
    expect(readFileSync(path(), 'utf8')).to.include(made!.secret);
  });

  it('comes from the process whose file was first, if two create it together [A.hostile.local-signed]', () => {
    let first: MachineSecret | undefined;
    const late = hookedDisk({ link: () => (first = machineSecret(place())) });
    const second = machineSecret(place(late));
    expect(first?.secret).to.be.a('string');
    expect(second).to.deep.equal(first);
    expect(readdirSync(dirname(path()))).to.deep.equal(['machine-secret.json']);
  });

  it('is created on a file system without hard links, too [A.hostile.local-signed]', () => {
    const made = machineSecret(place({ ...nodeDisk, link: failing('EPERM') }));
    expect(made).to.deep.equal(machineSecret(place()));
    expect(readdirSync(dirname(path()))).to.deep.equal(['machine-secret.json']);
  });

  it('survives a power cut once it was returned [A.hostile.local-signed]', () => {
    mkdirSync(dirname(path()), { recursive: true });
    const disk = powerCutDisk(scratch.path);
    const made = machineSecret(place(disk));
    disk.cut({ data: 'lost', names: 'lost' }, new Random(1));
    expect(machineSecret(place())).to.deep.equal(made);
  });

  it('does not exist if it cannot be stored; any other failure is an error [A.hostile.local-signed]', () => {
    for (const code of ['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ENOSPC', 'EDQUOT'])
      expect(machineSecret(place({ ...nodeDisk, makeDirectory: failing(code) })), code).to.equal(undefined);
    expect(() => machineSecret(place({ ...nodeDisk, makeDirectory: failing('EIO') }))).to.throw(/EIO/);
    const mute = { ...nodeDisk, link: failing('EPERM'), rename: failing('EIO') };
    expect(() => machineSecret(place(mute))).to.throw(/EIO/);
    expect(existsSync(path())).to.equal(false);
    expect(readdirSync(dirname(path()))).to.deep.equal([]);
    if (process.getuid?.() === 0) return;
    chmodSync(dirname(path()), 0o500);
    expect(machineSecret(place())).to.equal(undefined);
  });

  it('is not read from a file with other content, which is not changed [A.hostile.local-signed]', () => {
    const sound = { secret: 'a'.repeat(32), created_at: '2026-01-01T00:00:00.000Z' };
    keep(sound);
    const createdMs = Date.UTC(2026, 0);
    expect(machineSecret(place())).to.deep.equal({ secret: sound.secret, createdMs });
    for (const broken of [
      { secret: 'a'.repeat(31) },
      { secret: ['a'.repeat(32), ...Array<string>(40).fill('b')] },
      { secret: null },
      { created_at: 2026 },
      { created_at: 'never' },
    ]) {
      keep({ ...sound, ...broken });
      const before = readFileSync(path(), 'utf8');
      expect(() => machineSecret(place()), before).to.throw(UnreadableFileError, /it contains no secret/);
      expect(readFileSync(path(), 'utf8')).to.equal(before);
    }
  });
});
