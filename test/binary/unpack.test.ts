import { expect } from 'chai';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpack } from '../../src/binary/unpack.ts';
import { UnsafeCacheError } from '../../src/platform/cache-directory.ts';
import { scratchDirectory } from '../support/scratch.ts';

const contents: Readonly<Record<string, string>> = { 'main.js': 'one', 'web/index.html': '<p>', 'empty.txt': '' };

describe('The files of the single executable', () => {
  const scratch = scratchDirectory();
  let reads = 0;
  const cache = (): string => join(scratch.path, 'above/planner');
  const directory = (): string => join(cache(), '1.0-abc');
  const at = (path: string): string => join(directory(), path);
  const unpackHere = (files = contents): string =>
    unpack({
      cache: cache(),
      name: '1.0-abc',
      paths: Object.keys(files),
      read: (path) => {
        reads++;
        return Buffer.from(files[path]!);
      },
    });
  const expectUnpacked = (): void => {
    for (const [path, text] of Object.entries(contents)) expect(readFileSync(at(path), 'utf8')).to.equal(text);
    expect(readdirSync(cache())).to.deep.equal(['1.0-abc']);
  };

  beforeEach(() => {
    reads = 0;
  });

  it('are unpacked once, for their user alone [D11.binary.files]', () => {
    expect(unpackHere()).to.equal(directory());
    expectUnpacked();
    const modes = [cache(), directory(), at('web'), at('main.js')].map((path) => statSync(path).mode & 0o777);
    expect(modes).to.deep.equal([0o700, 0o700, 0o700, 0o600]);
    const { ino, mtimeMs } = statSync(at('main.js'));
    expect(unpackHere()).to.equal(directory());
    expect(statSync(at('main.js'))).to.include({ ino, mtimeMs });
  });

  const changes: Readonly<Record<string, () => void>> = {
    'a changed file of the same length': () => writeFileSync(at('main.js'), 'two'),
    'a truncated file': () => writeFileSync(at('main.js'), ''),
    'a missing file': () => rmSync(at('web/index.html')),
    'a directory that others may read': () => chmodSync(directory(), 0o755),
    'a link in the place of the directory': () => {
      rmSync(directory(), { recursive: true });
      mkdirSync(join(scratch.path, 'elsewhere'));
      symlinkSync(join(scratch.path, 'elsewhere'), directory());
    },
    'a file in the place of the directory': () => {
      rmSync(directory(), { recursive: true });
      writeFileSync(directory(), '');
    },
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`are all replaced because of ${what} [D11.binary.files]`, () => {
      unpackHere();
      change();
      expect(unpackHere()).to.equal(directory());
      expectUnpacked();
    });
  }

  it('that another start unpacked first are used [D11.binary.files]', () => {
    let others = false;
    const files = new Proxy(contents, {
      get: (target, path: string) => {
        // The first file is read to be written: another process unpacks all in between.
        if (!others) {
          others = true;
          unpackHere();
        }
        return target[path];
      },
    });
    expect(unpackHere(files)).to.equal(directory());
    expectUnpacked();
    expect(reads).to.be.greaterThan(Object.keys(contents).length);
  });

  it('leave no part if they cannot all be written [D11.binary.files]', () => {
    expect(() => unpackHere({ 'main.js': 'one', 'main.js/below': 'two' })).to.throw();
    expect(readdirSync(cache())).to.deep.equal([]);
  });

  it('are not unpacked to a directory in which everybody may replace them [D11.binary.files]', () => {
    mkdirSync(join(scratch.path, 'above'));
    chmodSync(join(scratch.path, 'above'), 0o777);
    expect(unpackHere).to.throw(UnsafeCacheError, 'every user may replace the contents of');
    chmodSync(join(scratch.path, 'above'), 0o1777);
    unpackHere();
    expectUnpacked();
  });

  it('are not unpacked below a path that is not a directory or not writable [D11.binary.files]', () => {
    writeFileSync(join(scratch.path, 'above'), '');
    expect(unpackHere).to.throw('EEXIST');
    const unwritable = { cache: '/proc/planner', name: '1.0-abc', paths: [], read: () => Buffer.alloc(0) };
    if (process.platform === 'linux') expect(() => unpack(unwritable)).to.throw('ENOENT');
  });

  it('make a cache private if others could write to it [D11.binary.files]', () => {
    mkdirSync(cache(), { recursive: true });
    chmodSync(cache(), 0o775);
    unpackHere();
    expect(statSync(cache()).mode & 0o777).to.equal(0o700);
  });
});
