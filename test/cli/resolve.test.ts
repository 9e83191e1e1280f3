import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { resolveUnmerged } from '../../src/cli/git/resolve.ts';
import type { Resolved } from '../../src/cli/git/resolve.ts';
import { mergePlacesForGit } from '../../src/main/git-merge.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import { git, initRepository } from '../support/git.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { scratchDirectory } from '../support/scratch.ts';

/** The versions of a file in git's index: 1 is what both began with, 2 ours, 3 theirs. */
type Versions = Readonly<Partial<Record<1 | 2 | 3, string>>>;

const page = (id: string, body = 'Body\n'): string => `---\nid: doc_abc123${id.padStart(10, '0')}\n---\n${body}`;
const folder = (id: string): string => `${JSON.stringify({ id: `fld_abc123${id.padStart(10, '0')}` }, null, 2)}\n`;
const idIn = (content: string): string => /(?:doc|fld)_\w+/.exec(content)![0];
const inProject = 'plan/.planner/projects/web-abc123';

describe('planner resolve in a repository', function () {
  this.timeout(60_000);
  const scratch = scratchDirectory();
  const root = (): string => join(scratch.path, 'plan/.planner');
  const fileAt = (path: string): string => join(scratch.path, inProject, path);

  beforeEach(() => {
    initRepository(scratch.path);
    mkdirSync(root(), { recursive: true });
  });

  function write(path: string, content: string): void {
    mkdirSync(dirname(fileAt(path)), { recursive: true });
    writeFileSync(fileAt(path), content);
  }

  /** Files that git merged. */
  function merged(files: Readonly<Record<string, string>>): void {
    for (const [path, content] of Object.entries(files)) {
      write(path, content);
      git(scratch.path, 'add', '--', join(inProject, path));
    }
  }

  /** Puts entries of an unfinished merge into git's index; the files of the working tree are written apart. */
  function unmerged(files: Readonly<Record<string, Versions>>, below = inProject, mode = '100644'): void {
    const lines = Object.entries(files).flatMap(([path, versions]) => [
      `0 ${'0'.repeat(40)}\t${below}/${path}\0`,
      ...Object.entries(versions).map(([stage, content]) => `${mode} ${hashed(content)} ${stage}\t${below}/${path}\0`),
    ]);
    execFileSync('git', ['update-index', '-z', '--index-info'], { cwd: scratch.path, input: lines.join('') });
  }

  function hashed(content: string): string {
    const input = { cwd: scratch.path, input: content, encoding: 'utf8' } as const;
    return execFileSync('git', ['hash-object', '-w', '--stdin'], input).trim();
  }

  /** The index: the content of each stage of each file of the project. */
  function index(): Record<string, string> {
    const lines = git(scratch.path, 'ls-files', '-z', '--stage', '--full-name', 'plan').split('\0').filter(Boolean);
    return Object.fromEntries(
      lines.map((line) => {
        const [, blob, stage, path] = /^\d+ (\w+) (\d)\t(.+)$/s.exec(line)!;
        return [`${path!.replace(`${inProject}/`, '')} ${stage}`, git(scratch.path, 'cat-file', 'blob', blob!)];
      }),
    );
  }

  /** The files of the project in the working tree. */
  function tree(): readonly string[] {
    const entries = readdirSync(fileAt(''), { recursive: true, withFileTypes: true });
    const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(fileAt('').length + 1));
    return paths.filter((_, i) => !entries[i]!.isDirectory() || readdirSync(fileAt(paths[i]!)).length === 0).sort();
  }

  const resolve = (disk: Disk = nodeDisk): Promise<Resolved> =>
    resolveUnmerged({ disk, root: root(), mergePlaces: mergePlacesForGit });
  const shown = (path: string): string => `${inProject}/${path}`;

  it('moves a file that one side renamed and the other moved to its resolved path, in index and tree [A.git.resolve]', async () => {
    merged({ 'documents/Folder/.folder.json': folder('f') });
    const [before, after] = [page('1', 'Before\n'), page('1', 'After\n')];
    unmerged({
      'documents/Päge.md': { 1: before },
      'documents/Folder/Päge.md': { 2: after },
      'documents/The Päge.md': { 3: after },
    });
    for (const path of ['documents/Folder/Päge.md', 'documents/The Päge.md']) write(path, after);
    const path = 'documents/Folder/The Päge.md';
    expect(await resolve()).to.deep.equal({ settled: [{ id: idIn(before), path: shown(path) }], left: [] });
    expect(index()).to.deep.equal({ 'documents/Folder/.folder.json 0': folder('f'), [`${path} 0`]: after });
    expect(tree()).to.deep.equal(['documents/Folder/.folder.json', path]);
    expect(readFileSync(fileAt(path), 'utf8')).to.equal(after);
    expect(await resolve()).to.deep.equal({ settled: [], left: [] });
  });

  it('takes the change of path if only one side changed it [A.git.resolve]', async () => {
    unmerged({
      'documents/A.md': { 1: page('1', 'Before\n'), 2: page('1', 'After\n') },
      'documents/B.md': { 3: page('1', 'After\n') },
    });
    write('documents/B.md', page('1', 'After\n'));
    const { ino } = statSync(fileAt('documents/B.md'));
    expect((await resolve()).settled).to.have.length(1);
    // The file is there already.
    expect(statSync(fileAt('documents/B.md')).ino).to.equal(ino);
    expect(index()).to.deep.equal({ 'documents/B.md 0': page('1', 'After\n') });
    expect(tree()).to.deep.equal(['documents/B.md']);
  });

  it('leaves no empty directory , which would count as a folder [A.git.resolve]', async () => {
    unmerged({
      'documents/Old/Older/A.md': { 1: page('1') },
      'documents/A.md': { 2: page('1') },
      'documents/Old/Older/B.md': { 3: page('1') },
    });
    for (const path of ['documents/A.md', 'documents/Old/Older/B.md']) write(path, page('1'));
    expect((await resolve()).left).to.deep.equal([]);
    expect(tree()).to.deep.equal(['documents/B.md']);
    expect(existsSync(fileAt('documents/Old'))).to.equal(false);
  });

  it('keeps apart the versions of two records that were at one path [A.git.resolve]', async () => {
    const [first, second] = [page('1'), page('2')];
    unmerged({
      'documents/A.md': { 1: first, 2: second },
      'documents/B.md': { 2: first },
      'documents/C.md': { 3: first },
      'documents/D.md': { 1: second, 3: second },
    });
    for (const path of ['documents/B.md', 'documents/C.md']) write(path, first);
    const { settled, left } = await resolve();
    expect(left).to.deep.equal([]);
    expect(settled.map(({ id }) => id)).to.deep.equal([idIn(first), idIn(second)]);
    const path = settled[0]!.path.replace(`${inProject}/`, '');
    expect(index()).to.deep.equal({ 'documents/A.md 0': second, [`${path} 0`]: first });
    expect(tree()).to.deep.equal(['documents/A.md', path]);
  });

  it('leaves conflicting paths unchanged, with their base [A.git.resolve]', async () => {
    merged({ 'documents/Folder/.folder.json': folder('f') });
    const before = page('2', 'Before\n');
    const [marked, late] = ['2', '3'].map((id) =>
      page(id).replace('---\nBody', '<<<<<<< ours\nstatus: a\n=======\nstatus: b\n>>>>>>> theirs\n---\nBody'),
    ) as [string, string];
    unmerged({
      'documents/0.md': { 1: page('1') },
      'documents/Z.md': { 1: before },
      'documents/Folder/Z.md': { 2: marked },
      'documents/B.md': { 3: marked },
      'documents/Folder/Late.md': { 3: late },
    });
    for (const path of ['documents/Folder/Z.md', 'documents/B.md']) write(path, marked);
    // The folder was put there before.
    merged({ 'documents/Folder/B.md': marked });
    write('documents/Folder/Late.md', late);
    const reason = 'both sides changed the same lines: choose between the markers, then git add it';
    const { settled, left } = await resolve();
    expect(settled).to.deep.equal([]);
    expect(left).to.deep.equal([
      { paths: [shown('documents/0.md')], reason: 'both sides deleted or replaced it: git rm it' },
      { paths: [shown('documents/Folder/B.md')], reason },
      { paths: [shown('documents/Folder/Late.md')], reason },
    ]);
    expect(index()).to.deep.equal({
      'documents/0.md 1': page('1'),
      'documents/Folder/.folder.json 0': folder('f'),
      ...{ 'documents/Folder/B.md 1': before, 'documents/Folder/B.md 2': marked, 'documents/Folder/B.md 3': marked },
      ...Object.fromEntries([1, 2, 3].map((stage) => [`documents/Folder/Late.md ${stage}`, late])),
    });
    expect(tree()).to.deep.equal([
      ...['documents/Folder/.folder.json', 'documents/Folder/B.md', 'documents/Folder/Late.md'],
    ]);
  });

  it('reads nothing but the files of projects [A.git.resolve]', async () => {
    const versions = { 1: '1', 2: '2', 3: '3' };
    unmerged({ 'config.json': versions, 'projects/notes.md': versions }, 'plan/.planner');
    unmerged({ 'notes.md': versions }, 'plan/projects/x');
    expect(await resolve()).to.deep.equal({ settled: [], left: [] });
  });

  it('reports the reason if git cannot list or read unmerged paths [A.git.resolve]', async () => {
    const failure = async (): Promise<string> => {
      const thrown: unknown = await resolve().catch((error: unknown) => error);
      expect(thrown).to.have.property('code', 'conflict');
      return (thrown as Error).message;
    };
    // A submodule has no blob; a person decides over it.
    const commit = git(scratch.path, 'commit-tree', hashedTree(), '-m', 'x').trim();
    const lines = [1, 2].map((stage) => `160000 ${commit} ${stage}\t${inProject}/documents/sub\0`).join('');
    execFileSync('git', ['update-index', '-z', '--index-info'], { cwd: scratch.path, input: lines });
    expect((await resolve()).left.map(({ paths }) => paths)).to.deep.equal([[shown('documents/sub')]]);
    unmerged({ 'documents/A.md': { 2: 'never seen before' } });
    const blob = hashed('never seen before');
    rmSync(join(scratch.path, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    expect(await failure()).to.match(
      new RegExp(`^git could not read ${blob}, a version of projects/web-abc123/documents/A.md: fatal: `),
    );
    writeFileSync(join(scratch.path, '.git/index'), 'no index');
    expect(await failure()).to.match(/^git could not list what is unmerged: .*index/);
    rmSync(join(scratch.path, '.git'), { recursive: true });
    expect(await failure()).to.match(/^git does not know \/.*\.planner: fatal: not a git repository/);
  });

  function hashedTree(): string {
    return execFileSync('git', ['hash-object', '-t', 'tree', '-w', '--stdin'], { cwd: scratch.path, input: '' })
      .toString()
      .trim();
  }

  describe('leaves unchanged', () => {
    /** A file that one side renamed and the other moved into a folder. */
    function moved(): void {
      unmerged({
        'documents/A.md': { 1: page('1', 'Before\n') },
        'documents/Folder/A.md': { 2: page('1') },
        'documents/B.md': { 3: page('1') },
      });
      for (const path of ['documents/Folder/A.md', 'documents/B.md']) write(path, page('1'));
    }

    /** Nothing is settled, for one reason and at those paths, and neither index nor tree has changed. */
    async function expectLeft(reason: RegExp, disk?: Disk): Promise<void> {
      const before = [index(), tree()];
      const { settled, left } = await resolve(disk);
      expect(settled).to.deep.equal([]);
      expect(left).to.have.length(1);
      expect([...left[0]!.paths].sort()).to.deep.equal(
        ['documents/A.md', 'documents/B.md', 'documents/Folder/A.md'].map(shown),
      );
      expect(left[0]!.reason).to.match(reason);
      expect([index(), tree()]).to.deep.equal(before);
    }

    it('a file that was edited since, at any of its paths [A.git.resolve]', async () => {
      for (const path of ['documents/A.md', 'documents/B.md', 'documents/Folder/A.md', 'documents/Folder/B.md']) {
        moved();
        write(path, page('1', 'Mine\n'));
        await expectLeft(new RegExp(`${path} was changed since the merge: run git add with the correct content$`));
        rmSync(fileAt(path));
        mkdirSync(fileAt(path));
        await expectLeft(new RegExp(`${path} was changed since the merge`));
        rmSync(fileAt(path), { recursive: true });
      }
    });

    it('a file whose folder is missing, a link or a file [A.git.resolve, A.hostile.links]', async () => {
      moved();
      rmSync(fileAt('documents/Folder'), { recursive: true });
      const reason = /its path is plan\/.*\/documents\/Folder\/B\.md, whose folder does not exist$/;
      await expectLeft(reason);
      writeFileSync(fileAt('documents/Folder'), '');
      await expectLeft(reason);
      rmSync(fileAt('documents/Folder'));
      const outside = join(scratch.path, 'outside');
      mkdirSync(outside);
      writeFileSync(join(outside, 'A.md'), page('1'));
      symlinkSync(outside, fileAt('documents/Folder'));
      await expectLeft(reason);
      expect(readdirSync(outside)).to.deep.equal(['A.md']);
    });

    it('a file that the index rejects, because git is running [A.git.resolve]', async () => {
      moved();
      const lock = join(scratch.path, '.git/index.lock');
      writeFileSync(lock, '');
      const { left } = await resolve();
      expect(left[0]!.reason).to.match(/^git rejected it \(fatal: .*index\.lock/);
      rmSync(lock);
      expect(existsSync(fileAt('documents/A.md'))).to.equal(false);
      expect((await resolve()).left).to.deep.equal([]);
      expect(tree()).to.deep.equal(['documents/Folder/B.md']);
    });
  });

  describe('moves a folder that one side renamed and the other moved to its resolved path', () => {
    const at = 'documents/Above/Renamed';

    /** With a file in it that only one side has, for each of the two sides. */
    function apart(): void {
      merged({
        'documents/Above/.folder.json': folder('a'),
        'documents/Renamed/Inside.md': page('1'),
        'documents/Renamed/deep/.folder.json': folder('d'),
        'documents/Renamed/deep/down/Deep.md': page('2'),
        'documents/Above/Folder/Late.md': page('3'),
        'documents/Renamed beside/Beside.md': page('4'),
      });
      unmerged({
        'documents/Folder/.folder.json': { 1: folder('f') },
        'documents/Renamed/.folder.json': { 2: folder('f') },
        'documents/Above/Folder/.folder.json': { 3: folder('f') },
      });
      for (const path of ['documents/Renamed', 'documents/Above/Folder']) write(`${path}/.folder.json`, folder('f'));
    }

    const whole = {
      'documents/Above/.folder.json': folder('a'),
      [`${at}/.folder.json`]: folder('f'),
      [`${at}/Inside.md`]: page('1'),
      [`${at}/deep/.folder.json`]: folder('d'),
      [`${at}/deep/down/Deep.md`]: page('2'),
      [`${at}/Late.md`]: page('3'),
      'documents/Renamed beside/Beside.md': page('4'),
    };
    const staged = (files: object): object =>
      Object.fromEntries(Object.entries(files).map(([path, content]) => [`${path} 0`, content as string]));

    it('with its whole content, and removes its directories [A.git.resolve]', async () => {
      apart();
      const { settled, left } = await resolve();
      expect(left).to.deep.equal([]);
      expect(settled).to.deep.equal([{ id: idIn(folder('f')), path: shown(`${at}/.folder.json`) }]);
      expect(index()).to.deep.equal(staged(whole));
      expect(tree()).to.deep.equal(Object.keys(whole).sort());
    });

    it('and leaves files that are already at their resolved path [A.git.resolve]', async () => {
      merged({ 'documents/Folder/Inside.md': page('1') });
      unmerged({ 'documents/Folder/.folder.json': { 2: folder('f') } });
      write('documents/Folder/.folder.json', folder('f'));
      const { settled, left } = await resolve();
      expect([settled.length, left]).to.deep.equal([1, []]);
      const files = { 'documents/Folder/Inside.md': page('1'), 'documents/Folder/.folder.json': folder('f') };
      expect(index()).to.deep.equal(staged(files));
      expect(tree()).to.deep.equal(Object.keys(files).sort());
    });

    it('but not a file that is missing, unmerged or below a link, or whose target exists [A.git.resolve]', async () => {
      apart();
      unmerged({ 'documents/Renamed/Torn.md': { 1: page('5'), 2: page('5', 'x\n'), 3: page('5', 'y\n') } });
      write('documents/Renamed/Torn.md', page('5', 'x\n'));
      rmSync(fileAt('documents/Renamed/Inside.md'));
      write(`${at}/Late.md`, 'in the way\n');
      writeFileSync(fileAt(`${at}/deep`), 'a file\n');
      const { left } = await resolve();
      expect(left[0]!.reason).to.match(/both sides changed the same lines/);
      const because = (path: string, reason: string): object => ({
        paths: [shown(path)],
        reason: `it could not follow its folder to ${at} (${reason})`,
      });
      expect(left.slice(1, 3)).to.deep.equal([
        because('documents/Above/Folder/Late.md', `${shown(`${at}/Late.md`)} already exists`),
        because('documents/Renamed/Inside.md', 'the file does not exist'),
      ]);
      const reasons = left.slice(3).map(({ paths, reason }) => `${paths.join()}: ${reason}`);
      expect(reasons[0]).to.match(/Renamed\/Torn\.md: it could not follow .*it is unmerged\)/);
      expect(reasons.join('\n')).to.match(/Renamed\/deep\/\.folder\.json: it could not follow/);
      expect(readFileSync(fileAt('documents/Above/Folder/Late.md'), 'utf8')).to.equal(page('3'));
      expect(readFileSync(fileAt('documents/Renamed/deep/down/Deep.md'), 'utf8')).to.equal(page('2'));
      expect(index()).to.include({
        'documents/Above/Folder/Late.md 0': page('3'),
        'documents/Renamed/deep/down/Deep.md 0': page('2'),
        'documents/Renamed/Inside.md 0': page('1'),
      });
    });

    it('unless its directory is a link [A.git.resolve, A.hostile.links]', async () => {
      apart();
      const outside = join(scratch.path, 'outside');
      mkdirSync(outside);
      symlinkSync(outside, fileAt(at));
      const { settled, left } = await resolve();
      expect(settled).to.deep.equal([]);
      expect(left[0]!.reason).to.equal(`its path is ${shown(`${at}/.folder.json`)}, whose folder does not exist`);
      expect(readdirSync(outside)).to.deep.equal([]);
    });

    it('unless its parent directory is a file [A.git.resolve]', async () => {
      apart();
      rmSync(fileAt('documents/Above'), { recursive: true });
      writeFileSync(fileAt('documents/Above'), 'a file\n');
      const before = index();
      const { settled, left } = await resolve();
      expect(settled).to.deep.equal([]);
      expect(left).to.have.length(1);
      expect(left[0]!.reason).to.equal(`its path is ${shown(`${at}/.folder.json`)}, whose folder does not exist`);
      expect(index()).to.deep.equal(before);
    });

    it('and moves a file back if the index rejects it [A.git.resolve]', async () => {
      apart();
      const lock = join(scratch.path, '.git/index.lock');
      const disk = hookedDisk({ rename: (from) => from.endsWith('Inside.md') && writeFileSync(lock, '') });
      const { left } = await resolve(disk);
      expect(left[0]!.paths).to.deep.equal([shown('documents/Renamed/Inside.md')]);
      expect(left[0]!.reason).to.match(
        /^it could not follow its folder to documents\/Above\/Renamed \(fatal: .*index\.lock/,
      );
      expect(readFileSync(fileAt('documents/Renamed/Inside.md'), 'utf8')).to.equal(page('1'));
      rmSync(lock);
    });
  });
});
