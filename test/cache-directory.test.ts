import { expect } from 'chai';
import { chmodSync, chownSync, lchownSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compiledDirectory, makePrivate, UnsafeCacheError } from '../src/platform/cache-directory.ts';
import { scratchDirectory } from './support/scratch.ts';

const otherUser = 12_345;

describe('The directory of compiled code and unpacked files', () => {
  const scratch = scratchDirectory();
  const at = (path: string): string => join(scratch.path, path);
  const cache = (): string => at('home/.cache/planner');

  /** Returns whether compiled code is kept, and files are unpacked. */
  function used(directory = cache()): readonly [compiled: boolean, unpacked: boolean] {
    const compiled = compiledDirectory(directory) === join(directory, 'compiled');
    try {
      makePrivate(directory);
      return [compiled, true];
    } catch (error) {
      expect(error).to.be.instanceOf(UnsafeCacheError);
      return [compiled, false];
    }
  }

  beforeEach(() => mkdirSync(at('home'), { mode: 0o755 }));

  it('is made for its user alone [D11.cache]', () => {
    const former = process.umask(0o002);
    try {
      expect(used()).to.deep.equal([true, true]);
    } finally {
      process.umask(former);
    }
    for (const path of [dirname(cache()), cache(), join(cache(), 'compiled')])
      expect(statSync(path).mode & 0o777, path).to.equal(0o700);
    chmodSync(cache(), 0o755);
    expect(used()).to.deep.equal([true, true]);
    expect(statSync(cache()).mode & 0o777).to.equal(0o700);
  });

  it('is not used if the group or others may write to a directory on the way to it [D11.cache]', () => {
    used();
    for (const directory of [scratch.path, at('home'), dirname(cache())]) {
      const { mode } = statSync(directory);
      for (const writable of [0o020, 0o002, 0o022]) {
        chmodSync(directory, mode | writable);
        expect(used(), directory).to.deep.equal([false, false]);
        // As in /tmp: only the owner of an entry can rename it.
        chmodSync(directory, mode | writable | 0o1000);
        expect(used(), directory).to.deep.equal([true, true]);
      }
      chmodSync(directory, mode);
      expect(used()).to.deep.equal([true, true]);
    }
  });

  it('has no compiled code that another user may have written [D11.cache]', () => {
    used();
    const compiled = join(cache(), 'compiled');
    for (const mode of [0o720, 0o702, 0o777]) {
      chmodSync(compiled, mode);
      expect(used()).to.deep.equal([false, true]);
    }
    rmSync(compiled, { recursive: true });
    mkdirSync(at('shared'));
    chmodSync(at('shared'), 0o777);
    symlinkSync(at('shared'), compiled);
    expect(used()).to.deep.equal([false, true]);
  });

  it('is not used if another user owns it, or a directory above it [D11.cache]', () => {
    if (process.getuid?.() !== 0) return console.log('      only root can give files away');
    used();
    for (const directory of [at('home'), dirname(cache()), cache(), join(cache(), 'compiled')]) {
      chownSync(directory, otherUser, otherUser);
      expect(used(), directory).to.deep.equal([false, directory.endsWith('compiled')]);
      chownSync(directory, 0, 0);
      expect(used()).to.deep.equal([true, true]);
    }
  });

  it('may be a link, of which the place counts too [D11.cache]', () => {
    mkdirSync(at('elsewhere/below'), { recursive: true });
    symlinkSync('../elsewhere/below', at('home/link'));
    const linked = at('home/link/planner');
    expect(used(linked)).to.deep.equal([true, true]);
    chmodSync(at('elsewhere'), 0o777);
    expect(used(linked)).to.deep.equal([false, false]);
    chmodSync(at('elsewhere'), 0o755);
    if (process.getuid?.() !== 0) return;
    lchownSync(at('home/link'), otherUser, otherUser);
    expect(used(linked)).to.deep.equal([false, false]);
  });
});
