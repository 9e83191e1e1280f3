import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import {
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { errorCode, nodeDisk, openFlags } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import { copyLocal, readOnlyBelow } from '../../src/store/files/disk/read-only.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('A read-only root', () => {
  const scratch = scratchDirectory();
  const at = (path: string): string => join(scratch.path, path);

  const openDescriptors = (): number => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);

  /** Everything below a directory: names, kinds, content, modes and times. */
  function listing(directory: string): unknown[] {
    return readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode, mtimeMs, nlink } = statSync(path);
      return [path, mode, entry.isFile() ? [mtimeMs, nlink, readFileSync(path, 'utf8')] : 'directory'];
    });
  }

  it('is changed by no call at it or below it, each of which fails with EROFS [D11.read-only]', () => {
    for (const directory of ['root/empty', 'root-beside']) mkdirSync(at(directory), { recursive: true });
    for (const file of ['root/a', 'beside']) writeFileSync(at(file), 'text');
    const disk = readOnlyBelow(nodeDisk, at('root'));
    const before = listing(at('root'));
    const [own, beside] = [at('root/a'), at('beside')];
    const { O_RDWR, O_WRONLY, O_CREAT } = constants;
    const calls: readonly (readonly [string, () => unknown])[] = [
      [at('root/new'), () => disk.makeDirectory(at('root/new'), 0o700)],
      [own, () => disk.rename(own, at('moved'))],
      [at('root/b'), () => disk.rename(beside, at('root/b'))],
      [own, () => disk.link(own, at('linked'))],
      [at('root/b'), () => disk.link(beside, at('root/b'))],
      [own, () => disk.remove(own)],
      [at('root/empty'), () => disk.removeDirectoryIfEmpty(at('root/empty'))],
      [at('root/empty'), () => disk.removeTree(at('root/empty'))],
      [at('root'), () => disk.removeTree(at('root'))],
      [own, () => disk.setTimes(own, 0)],
      [own, () => disk.setMode(own, 0o777)],
      ...['w', 'a', 'r+', 'wx', O_WRONLY, O_RDWR, O_WRONLY | O_CREAT, openFlags.append].map(
        (flags) => [own, () => disk.open(own, flags)] as const,
      ),
      [at('root/b'), () => disk.open(at('root/b'), openFlags.create, 0o600)],
    ];
    for (const [path, call] of calls) {
      let thrown: unknown;
      try {
        call();
      } catch (error) {
        thrown = error;
      }
      expect(thrown, call.toString()).to.include({ code: 'EROFS', syscall: 'write', path });
      expect((thrown as Error).message).to.equal(`EROFS: read-only file system, '${path}'`);
    }
    expect(listing(at('root'))).to.deep.equal(before);
  });

  it('can be read, and files next to it can be changed [D11.read-only]', () => {
    for (const directory of ['root/there', 'root-beside']) mkdirSync(at(directory), { recursive: true });
    writeFileSync(at('root/a'), 'text');
    const disk = readOnlyBelow(nodeDisk, at('root'));
    disk.makeDirectory(at('root/there'));
    for (const flags of ['r', openFlags.read]) {
      const fd = disk.open(at('root/a'), flags);
      expect(disk.readAll(fd).toString()).to.equal('text');
      disk.close(fd);
    }
    const made = at('root-beside/a/b');
    disk.makeDirectory(made, 0o700);
    expect(statSync(made).mode & 0o777).to.equal(0o700);
    const fd = disk.open(join(made, 'c'), openFlags.create, 0o600);
    disk.write(fd, Buffer.from('bytes'));
    disk.close(fd);
    expect(statSync(join(made, 'c')).mode & 0o777).to.equal(0o600);
    disk.setMode(join(made, 'c'), 0o640);
    disk.setTimes(join(made, 'c'), 86_400_000);
    expect(statSync(join(made, 'c'))).to.include({ mtimeMs: 86_400_000 });
    expect(statSync(join(made, 'c')).mode & 0o777).to.equal(0o640);
    disk.link(join(made, 'c'), join(made, 'd'));
    disk.rename(join(made, 'c'), join(made, 'e'));
    expect(readdirSync(made).sort()).to.deep.equal(['d', 'e']);
    disk.remove(join(made, 'd'));
    disk.remove(join(made, 'e'));
    expect(disk.removeDirectoryIfEmpty(made)).to.equal(true);
    disk.removeTree(at('root-beside'));
    expect(existsSync(at('root-beside'))).to.equal(false);
  });

  it('has its local/ copied for this user alone, without trash and backups, and without following a link [D11.read-only]', () => {
    for (const directory of ['trash', 'backup', 'tmp', 'journal/trash', 'history/abc'])
      mkdirSync(at(`local/${directory}`), { recursive: true });
    const large = 'x'.repeat(3 * 1024 * 1024 + 5);
    const contents = { service: '{}', 'journal/1.log': large, 'journal/trash/tmp': 'kept', 'history/abc/a.jsonl': '' };
    for (const [name, content] of Object.entries({ ...contents, 'trash/x': 'x', lock: '', 'lock.json': '{}' }))
      writeFileSync(at(`local/${name}`), content);
    writeFileSync(at('outside'), 'not of the root');
    symlinkSync(at('outside'), at('local/linked'));
    symlinkSync(scratch.path, at('local/around'));
    execFileSync('mkfifo', [at('local/pipe')]);
    const descriptors = openDescriptors();
    copyLocal(nodeDisk, at('local'), at('copy'));
    const files = readdirSync(at('copy'), { recursive: true, encoding: 'utf8' }).sort();
    expect(files).to.deep.equal(
      [...Object.keys(contents), 'history', 'history/abc', 'journal', 'journal/trash'].sort(),
    );
    for (const [name, content] of Object.entries(contents)) {
      expect(readFileSync(at(`copy/${name}`), 'utf8') === content, name).to.equal(true);
      expect(statSync(at(`copy/${name}`)).mode & 0o777, name).to.equal(0o600);
    }
    for (const name of ['', 'journal', 'history/abc'])
      expect(statSync(at(`copy/${name}`)).mode & 0o777, name).to.equal(0o700);
    expect(openDescriptors()).to.equal(descriptors);
  });

  it('is copied without a file that vanished during it, and never over an existing file [D11.read-only]', () => {
    mkdirSync(at('local'));
    writeFileSync(at('local/service'), '{}');
    const gone: Disk = { ...nodeDisk, readRange: () => undefined };
    copyLocal(gone, at('local'), at('copy'));
    expect(readFileSync(at('copy/service'), 'utf8')).to.equal('');
    try {
      copyLocal(nodeDisk, at('local'), at('copy'));
      expect.fail('wrote over a file');
    } catch (error) {
      expect(errorCode(error)).to.equal('EEXIST');
    }
  });
});
