import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { CheckpointWriter } from '../../src/store/files/checkpoint/checkpoint-writer.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { linkedPart } from '../../src/store/files/disk/linked-path.ts';
import { RealDirectories } from '../../src/store/files/disk/real-directories.ts';
import { refuseLinks } from '../../src/store/files/disk/refuse-links.ts';
import { RootLayout } from '../../src/store/files/disk/root-layout.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { diskDirectory } from '../support/memory.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('Links on the path to a file [A.hostile.links]', () => {
  const scratch = scratchDirectory(diskDirectory());
  const at = (path: string): string => join(scratch.path, path);

  beforeEach(() => {
    mkdirSync(at('root/a/b'), { recursive: true });
    mkdirSync(at('elsewhere/b'), { recursive: true });
    writeFileSync(at('root/a/b/file'), 'ours');
    writeFileSync(at('elsewhere/b/file'), 'theirs');
    symlinkSync(at('elsewhere'), at('root/link'));
    symlinkSync(at('elsewhere/b/file'), at('root/a/file-link'));
  });

  it('are found by the first part that is a link', () => {
    expect(linkedPart(nodeDisk, at('root'), 'a/b/file')).to.equal(undefined);
    expect(linkedPart(nodeDisk, at('root'), 'link')).to.equal('link');
    expect(linkedPart(nodeDisk, at('root'), 'link/b/file')).to.equal('link');
    expect(linkedPart(nodeDisk, at('root'), 'a/file-link')).to.equal('a/file-link');
    expect(linkedPart(nodeDisk, at('root'), 'a/not-there/file')).to.equal(undefined);
  });

  it('do not exist below missing parts, or names that are too long', () => {
    expect(linkedPart(nodeDisk, at('root'), 'not-there/link')).to.equal(undefined);
    expect(linkedPart(nodeDisk, at('root'), `a/${'x'.repeat(300)}/link`)).to.equal(undefined);
    const paths: string[] = [];
    const disk = hookedDisk({ stat: (path) => void paths.push(path) });
    linkedPart(disk, at('root'), 'not-there/a/b');
    expect(paths).to.deep.equal([at('root/not-there')]);
    const failing = hookedDisk({
      stat: () => {
        throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      },
    });
    expect(() => linkedPart(failing, at('root'), 'a')).to.throw('EACCES');
  });

  it('prevent creating a directory of the root, however deep below them the path is', () => {
    const real = new RealDirectories(nodeDisk, at('root'));
    expect([at('root'), at('root/a'), at('root/a/b')].map((path) => real.has(path))).to.deep.equal([true, true, true]);
    const none = [at('root/link'), at('root/link/b'), at('root/a/b/file'), at('root/not-there'), scratch.path, '/'];
    none.push(at('elsewhere'), at('root-beside'), at('toor/a'));
    mkdirSync(at('root-beside'));
    mkdirSync(at('toor/a'), { recursive: true });
    for (const path of none) expect(real.has(path), path).to.equal(false);
    expect(real.stat(at('root/a/b/file'))).to.include({ kind: 'file', size: 4 });
    expect(real.stat(at('root/link/b/file'))).to.equal(undefined);
    expect(real.stat(at('root/a/file-link'))).to.include({ kind: 'other' });
  });

  it('are checked once for each directory', () => {
    const paths: string[] = [];
    const real = new RealDirectories(hookedDisk({ stat: (path) => void paths.push(path) }), at('root'));
    for (let time = 0; time < 3; time++) {
      real.has(at('root/a/b'));
      real.has(at('root/link/b'));
    }
    expect(paths.sort()).to.deep.equal([at('root'), at('root/a'), at('root/a/b'), at('root/link')]);
  });

  it('are found during a batch of the writer, even if a link leads to the directory that it replaced [A.trust.root]', () => {
    const sha256 = (text: string): string => hash('sha256', text, 'hex');
    let written = false;
    const disk = hookedDisk({
      rename: () => (written = true),
      stat: (path) => {
        if (!written || existsSync(at('moved')) || !path.startsWith(at('root'))) return;
        renameSync(at('root/a'), at('moved'));
        symlinkSync(at('moved'), at('root/a'));
      },
    });
    // The checks of the first job are no longer valid for the second one.
    let now = 0;
    const clock = { ...systemClock, monotonic: () => (now += 10) };
    writeFileSync(at('root/a/b/second'), 'ours');
    const { results } = new CheckpointWriter({ disk, root: at('root'), clock }).run(
      [at('root/a/b/file'), at('root/a/b/second')].map((path) => ({
        ...{ key: path, kind: 'file' as const, path, expect: { sha256: sha256('ours') }, bytes: 'changed' },
      })),
    );
    expect(results.map(({ status }) => status)).to.deep.equal(['ok', 'failed']);
    expect(readFileSync(at('moved/b/file'), 'utf8')).to.equal('changed');
    expect(readFileSync(at('moved/b/second'), 'utf8')).to.equal('ours');
  });
});

describe("A root's own directories [A.hostile.links, A.hostile.local]", () => {
  const scratch = scratchDirectory(diskDirectory());
  const at = (path: string): string => join(scratch.path, path);
  const refuse = (): void => refuseLinks(nodeDisk, new RootLayout(at('.planner')));
  const make = (path: string): void => void mkdirSync(at(path), { recursive: true });

  it('may be missing, or contain directories and files', () => {
    refuse();
    make('.planner');
    refuse();
    make('.planner/local/a/b/c/d');
    writeFileSync(at('.planner/local/a/file'), '');
    make('.planner/projects');
    refuse();
  });

  for (const name of ['.planner', '.planner/local', '.planner/projects']) {
    it(`may not be links or files: ${name}`, () => {
      make('elsewhere');
      if (name !== '.planner') make('.planner');
      symlinkSync(at('elsewhere'), at(name));
      expect(refuse).to.throw(`${at(name)} is not a directory`);
      execFileSync('rm', [at(name)]);
      writeFileSync(at(name), '');
      expect(refuse).to.throw(`${at(name)} is not a directory`);
    });
  }

  it('may contain no link, pipe or device in local/, at any depth', () => {
    for (const path of ['x', 'a/x', 'a/b/x', 'a/b/c/x']) {
      make('.planner/local/a/b/c');
      symlinkSync('/etc/passwd', at(`.planner/local/${path}`));
      expect(refuse, path).to.throw(`${at(`.planner/local/${path}`)} is neither a file nor a directory`);
      execFileSync('rm', [at(`.planner/local/${path}`)]);
      execFileSync('mkfifo', [at(`.planner/local/${path}`)]);
      expect(refuse, path).to.throw('neither a file nor a directory');
      execFileSync('rm', [at(`.planner/local/${path}`)]);
    }
    refuse();
  });

  it('are checked as deep as the service has directories there', () => {
    make('.planner/local/a/b/c/d');
    symlinkSync('/etc/passwd', at('.planner/local/a/b/c/d/link'));
    refuse();
  });

  it('may contain anything in the trash, which is only ever removed', () => {
    const { trash } = new RootLayout(at('.planner'));
    mkdirSync(join(trash, 'a'), { recursive: true });
    symlinkSync('/etc/passwd', join(trash, 'a/link'));
    symlinkSync('/etc/passwd', join(trash, 'link'));
    refuse();
    expect(statSync(join(trash, 'link')).isFile()).to.equal(true);
    expect(readFileSync(join(trash, 'link'))).to.not.be.empty;
  });
});
