import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, nodeDisk, openFlags } from '../../src/store/files/disk/disk.ts';
import { diskDirectory } from '../support/memory.ts';
import { scratchDirectory } from '../support/scratch.ts';

function codeOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return errorCode(error);
  }
}

describe('nodeDisk', () => {
  const scratch = scratchDirectory(diskDirectory());
  const at = (name: string): string => join(scratch.path, name);

  it('returns stats without following links', () => {
    writeFileSync(at('file'), 'text');
    mkdirSync(at('directory'));
    symlinkSync(at('file'), at('link'));
    const { ino, mtimeMs, ctimeMs } = statSync(at('file'));
    expect(nodeDisk.stat(at('file'))).to.include({ kind: 'file', size: 4, ino, mtimeMs, ctimeMs });
    expect(nodeDisk.stat(at('directory'))?.kind).to.equal('directory');
    expect(nodeDisk.stat(at('link'))?.kind).to.equal('other');
    expect(nodeDisk.stat(at('nothing'))).to.equal(undefined);
  });

  it('lists names with kinds in the order of their code units, and nothing if there is no directory', () => {
    for (const name of ['b', 'B', 'ä', '.a', 'a-b', 'a']) writeFileSync(at(name), '');
    mkdirSync(at('c'));
    symlinkSync(at('c'), at('d'));
    const listed = nodeDisk.list(scratch.path);
    expect(listed.map(({ name }) => name)).to.deep.equal(['.a', 'B', 'a', 'a-b', 'b', 'c', 'd', 'ä']);
    expect(listed.slice(5).map(({ kind }) => kind)).to.deep.equal(['directory', 'other', 'file']);
    expect(nodeDisk.list(at('nothing'))).to.deep.equal([]);
    expect(nodeDisk.list(at('a'))).to.deep.equal([]);
  });

  it('reads a whole file, but not through a link, from a pipe or from a directory', () => {
    const large = 'Größe\n'.repeat(50_000);
    writeFileSync(at('file'), large);
    writeFileSync(at('empty'), '');
    symlinkSync(at('file'), at('link'));
    execFileSync('mkfifo', [at('pipe')]);
    expect(nodeDisk.read(at('file')).toString()).to.equal(large);
    expect(nodeDisk.read(at('empty'))).to.have.lengthOf(0);
    expect(codeOf(() => nodeDisk.read(at('link')))).to.equal('ELOOP');
    expect(codeOf(() => nodeDisk.readIfExists(at('link')))).to.equal('ELOOP');
    expect(codeOf(() => nodeDisk.read(at('pipe')))).to.equal('EINVAL');
    expect(codeOf(() => nodeDisk.read(scratch.path))).to.equal('EISDIR');
    expect(codeOf(() => nodeDisk.read(at('nothing')))).to.equal('ENOENT');
    expect(nodeDisk.readIfExists(at('nothing'))).to.equal(undefined);
  });

  it('reads the whole file of a descriptor, whatever its position and even if it grows', () => {
    writeFileSync(at('file'), 'one');
    const fd = nodeDisk.open(at('file'), openFlags.read);
    expect(nodeDisk.readAll(fd).toString()).to.equal('one');
    appendFileSync(at('file'), 'two'.repeat(9000));
    expect(nodeDisk.readAll(fd)).to.have.lengthOf(27_003);
    nodeDisk.close(fd);
  });

  it('opens to create only missing files, and to append only to existing ones', () => {
    writeFileSync(at('there'), 'one');
    symlinkSync(at('nowhere'), at('dangling'));
    expect(codeOf(() => nodeDisk.open(at('there'), openFlags.create))).to.equal('EEXIST');
    expect(codeOf(() => nodeDisk.open(at('dangling'), openFlags.create))).to.equal('EEXIST');
    expect(codeOf(() => nodeDisk.open(at('nothing'), openFlags.append))).to.equal('ENOENT');
    const fd = nodeDisk.open(at('there'), openFlags.append);
    nodeDisk.write(fd, Buffer.from(' two'));
    nodeDisk.close(fd);
    expect(nodeDisk.read(at('there')).toString()).to.equal('one two');
  });

  it('writes asynchronously in the order of the calls, and rejects on failure', async () => {
    const fd = nodeDisk.open(at('file'), openFlags.create);
    await nodeDisk.writeAsync(fd, Buffer.from('one'));
    await nodeDisk.writeAsync(fd, Buffer.alloc(3_000_000, 'x'));
    await nodeDisk.dataSyncAsync(fd);
    nodeDisk.close(fd);
    expect(nodeDisk.read(at('file'))).to.have.lengthOf(3_000_003);
    const read = nodeDisk.open(at('file'), openFlags.read);
    const error = await nodeDisk.writeAsync(read, Buffer.from('x')).catch((thrown: unknown) => thrown);
    expect(errorCode(error)).to.equal('EBADF');
    nodeDisk.close(read);
  });

  it('removes a directory only if it is empty', () => {
    mkdirSync(at('full/empty'), { recursive: true });
    expect(nodeDisk.removeDirectoryIfEmpty(at('full'))).to.equal(false);
    expect(nodeDisk.removeDirectoryIfEmpty(at('full/empty'))).to.equal(true);
    expect(nodeDisk.removeDirectoryIfEmpty(at('full/empty'))).to.equal(false);
    writeFileSync(at('file'), '');
    expect(codeOf(() => nodeDisk.removeDirectoryIfEmpty(at('file')))).to.equal('ENOTDIR');
  });

  it('sets a time of the link itself, not of its target', () => {
    writeFileSync(at('file'), '');
    symlinkSync(at('file'), at('link'));
    const before = statSync(at('file')).mtimeMs;
    nodeDisk.setTimes(at('link'), 1_700_000_000_123);
    expect(nodeDisk.stat(at('link'))?.mtimeMs).to.equal(1_700_000_000_123);
    expect(statSync(at('file')).mtimeMs).to.equal(before);
  });
});
