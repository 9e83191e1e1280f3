import { expect } from 'chai';
import { appendFileSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlannerError } from '../../src/base/errors.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { LocalFiles } from '../../src/store/files/disk/local-files.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('Files that a caller on this machine names [D6.file_path, A.hostile.links]', () => {
  const scratch = scratchDirectory();
  const at = (path: string): string => join(scratch.path, 'base', path);

  beforeEach(() => {
    mkdirSync(at('src/deep'), { recursive: true });
    writeFileSync(at('top.txt'), 'top');
    writeFileSync(at('src/a.txt'), 'inside');
    writeFileSync(at('src/deep/b.txt'), 'deep');
    writeFileSync(join(scratch.path, 'outside.txt'), 'outside');
  });

  function read(folder: string, path: string, { bytesMax = 100, disk = nodeDisk } = {}): string {
    const file = new LocalFiles(disk, at('.').replace(/\/$/, '')).open(folder, path, bytesMax, 'file_path');
    return `${file.filename}: ${Buffer.concat([...file.pieces()]).toString()}`;
  }

  function refusal(folder: string, path: string, options = {}): PlannerError {
    try {
      read(folder, path, options);
    } catch (error) {
      return error as PlannerError;
    }
    return expect.fail(`${path} was handed out`);
  }

  it('are read inside the folder, by a relative and by an absolute path', () => {
    expect(read('.', 'top.txt')).to.equal('top.txt: top');
    expect(read('.', 'src/deep/b.txt')).to.equal('b.txt: deep');
    expect(read('src', 'a.txt')).to.equal('a.txt: inside');
    expect(read('src', at('src/deep/b.txt'))).to.equal('b.txt: deep');
    expect(read('.', at('src/a.txt'))).to.equal('a.txt: inside');
  });

  it('are rejected outside of it, and if they do not exist or are not regular files', () => {
    mkdirSync(at('srcs'));
    writeFileSync(at('srcs/c.txt'), 'beside');
    const outside = [
      '../top.txt',
      at('top.txt'),
      at('srcs/c.txt'),
      '/etc/passwd',
      'deep/../../top.txt',
      '..',
      'deep/..',
    ];
    for (const path of outside) {
      const error = refusal('src', path);
      expect([error.code, error.field], path).to.deep.equal(['invalid_argument', 'file_path']);
      expect(error.message, path).to.include('leads out of the folder');
    }
    expect(refusal('src', 'none.txt').message).to.include('names a file that does not exist');
    expect(refusal('src', 'deep').message).to.include('names a directory');
    expect(refusal('src', 'a.txt/b').message).to.match(/no file that is there|cannot be read \(ENOTDIR\)/);
    expect(refusal('src', `${'x'.repeat(300)}.txt`).message).to.include('cannot be read (ENAMETOOLONG)');
  });

  it('are rejected by names that begin with a dot, are empty, or have invalid characters', () => {
    mkdirSync(at('src/.git'));
    for (const name of ['src/.env', 'src/.git/config']) writeFileSync(at(name), 'secret');
    for (const path of ['.env', '.git/config', 'deep//b.txt', '', './a.txt', 'deep/'])
      expect(refusal('src', path).message, path).to.include('begins with a dot');
    for (const name of ['a\tb', 'a\\b', 'a\u001fb']) writeFileSync(at(`src/${name}`), 'odd');
    for (const path of ['a\tb', 'a\\b', 'a\u001fb', 'a\u0000b'])
      expect(refusal('src', path).message, JSON.stringify(path)).to.include(
        'contains a backslash or a control character',
      );
  });

  it('are rejected below links, also one that is created between the check and the opening', () => {
    symlinkSync(scratch.path, at('src/up'));
    symlinkSync(join(scratch.path, 'outside.txt'), at('src/link.txt'));
    expect(refusal('src', 'up/outside.txt').message).to.include('leads through src/up, which is a symbolic link');
    expect(refusal('src', 'link.txt').message).to.include('leads through src/link.txt');
    expect(refusal('.', 'src/link.txt').message).to.include('leads through src/link.txt');
    const swap = (): void => {
      unlinkSync(at('src/a.txt'));
      symlinkSync(join(scratch.path, 'outside.txt'), at('src/a.txt'));
    };
    expect(refusal('src', 'a.txt', { disk: hookedDisk({ open: swap }) }).message).to.include(
      'cannot be opened (ELOOP)',
    );
    writeFileSync(join(scratch.path, 'b.txt'), 'outside');
    const swapDirectory = (): void => {
      renameSync(at('src/deep'), at('src/was-deep'));
      symlinkSync(scratch.path, at('src/deep'));
    };
    expect(refusal('src', 'deep/b.txt', { disk: hookedDisk({ open: swapDirectory }) }).message).to.include(
      'leads through src/deep',
    );
    const exchange = (): void => renameSync(join(scratch.path, 'outside.txt'), at('top.txt'));
    expect(refusal('.', 'top.txt', { disk: hookedDisk({ statOpen: exchange }) }).message).to.include('was changed');
  });

  it('are rejected above the limit, before and while they are read', () => {
    expect(read('src', 'a.txt', { bytesMax: 6 })).to.equal('a.txt: inside');
    const large = refusal('src', 'a.txt', { bytesMax: 5 });
    expect([large.code, large.details['bytes_max']]).to.deep.equal(['payload_too_large', 5]);
    const files = new LocalFiles(nodeDisk, join(scratch.path, 'base'));
    expect(() => files.open('src', 'a.txt', 5, 'file_path')).to.throw('file_path is over 5 bytes');
    const growing = hookedDisk({ statOpen: () => appendFileSync(at('src/a.txt'), ' and more') });
    expect(refusal('src', 'a.txt', { bytesMax: 6, disk: growing }).code).to.equal('payload_too_large');
  });

  it('are read to the end in pieces, and closed', () => {
    const content = 'x'.repeat(600_000);
    writeFileSync(at('large.txt'), content);
    let open = 0;
    const disk = hookedDisk({ open: () => open++, close: () => open-- });
    expect(read('.', 'large.txt', { bytesMax: 1_000_000, disk })).to.equal(`large.txt: ${content}`);
    const [piece] = new LocalFiles(disk, at('.').replace(/\/$/, '')).open('.', 'large.txt', 1_000_000, 'x').pieces();
    expect(piece).to.have.length(256 * 1024);
    expect(open).to.equal(0);
  });
});
