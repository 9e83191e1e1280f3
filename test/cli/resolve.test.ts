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
import { scratchDirectory } from '../support/scratch.ts';
import { rarely } from '../support/rarely.ts';

/** The versions of a file in git's index: 1 is what both began with, 2 ours, 3 theirs. */
type Versions = Readonly<Partial<Record<1 | 2 | 3, string>>>;

const page = (id: string, body = 'Body\n'): string => `---\nid: doc_abc123${id.padStart(10, '0')}\n---\n${body}`;
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
    const [before, after] = [page('1', 'Before\n'), page('1', 'After\n')];
    unmerged({
      'documents/Päge.md': { 1: before },
      'documents/Folder/Päge.md': { 2: after },
      'documents/The Päge.md': { 3: after },
    });
    for (const path of ['documents/Folder/Päge.md', 'documents/The Päge.md']) write(path, after);
    const path = 'documents/Folder/The Päge.md';
    expect(await resolve()).to.deep.equal({ settled: [{ id: idIn(before), path: shown(path) }], left: [] });
    expect(index()).to.deep.equal({ [`${path} 0`]: after });
    expect(tree()).to.deep.equal([path]);
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
      ...{ 'documents/Folder/B.md 1': before, 'documents/Folder/B.md 2': marked, 'documents/Folder/B.md 3': marked },
      ...Object.fromEntries([1, 2, 3].map((stage) => [`documents/Folder/Late.md ${stage}`, late])),
    });
    expect(tree()).to.deep.equal([...['documents/Folder/B.md', 'documents/Folder/Late.md']]);
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

    rarely('a file that was edited since, at any of its paths [A.git.resolve]', async () => {
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

    it('a file whose folder is a link or a file [A.git.resolve, A.hostile.links]', async () => {
      moved();
      rmSync(fileAt('documents/Folder'), { recursive: true });
      const reason = /its path is plan\/.*\/documents\/Folder\/B\.md, whose folder cannot be made \(/;
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

  describe('merges the rows of folders as a set', () => {
    const path = 'documents/.folders.json';
    const rows = (...ids: readonly string[]): string =>
      `{\n${ids.map((id) => `  "${id}": { "id": "fld_${id}" }`).join(',\n')}\n}\n`;
    const marked = `{\n  "A": { "id": "fld_A" },\n<<<<<<< ours\n  "B": { "id": "fld_B" }\n=======\n  "C": { "id": "fld_C" }\n>>>>>>> theirs\n}\n`;

    beforeEach(() => unmerged({ [path]: { 1: rows('A'), 2: rows('A', 'B'), 3: rows('A', 'C') } }));

    it('although git has put conflict markers between them [A.git.folders]', async () => {
      write(path, marked);
      const { settled, left } = await resolve();
      expect(left).to.deep.equal([]);
      expect(settled.map((one) => one.path)).to.deep.equal([shown(path)]);
      expect(index()).to.deep.equal({ [`${path} 0`]: rows('A', 'B', 'C') });
      expect(readFileSync(fileAt(path), 'utf8')).to.equal(rows('A', 'B', 'C'));
    });

    it('from the sides of git if one of them is in the file, or none [A.git.folders]', async () => {
      write(path, rows('A', 'B'));
      await resolve();
      expect(index()).to.deep.equal({ [`${path} 0`]: rows('A', 'B', 'C') });
      unmerged({ [path]: { 1: rows('A', 'B'), 3: rows('A', 'B', 'C') } });
      rmSync(fileAt(path));
      await resolve();
      expect(readFileSync(fileAt(path), 'utf8')).to.equal(rows('B', 'C').replace('  "B": { "id": "fld_B" },\n', ''));
    });

    it('unless a person has merged them [A.git.folders]', async () => {
      write(path, rows('A', 'D'));
      await resolve();
      expect(index()).to.deep.equal({ [`${path} 0`]: rows('A', 'D') });
      expect(readFileSync(fileAt(path), 'utf8')).to.equal(rows('A', 'D'));
    });

    it('but not below a link [A.git.folders, A.hostile.links]', async () => {
      const outside = join(scratch.path, 'outside');
      mkdirSync(outside);
      mkdirSync(fileAt(''), { recursive: true });
      symlinkSync(outside, fileAt('documents'));
      const { settled, left } = await resolve();
      expect(settled).to.deep.equal([]);
      expect(left[0]!.reason).to.match(/whose folder cannot be made/);
      expect(readdirSync(outside)).to.deep.equal([]);
    });
  });

  it('takes one of the directories of a folder that both sides renamed, the same in either order [A.git.folders]', async () => {
    for (const [ours, theirs] of [
      ['Fields', 'Beds'],
      ['Beds', 'Fields'],
    ] as const) {
      unmerged({
        'documents/Old/Deep/A.md': { 1: page('1') },
        [`documents/${ours}/Deep/A.md`]: { 2: page('1') },
        [`documents/${theirs}/Deep/A.md`]: { 3: page('1') },
      });
      for (const name of [ours, theirs]) write(`documents/${name}/Deep/A.md`, page('1'));
      expect((await resolve()).left).to.deep.equal([]);
      expect(index()).to.deep.equal({ 'documents/Beds/Deep/A.md 0': page('1') });
      expect(tree()).to.deep.equal(['documents/Beds/Deep/A.md']);
    }
  });
});
