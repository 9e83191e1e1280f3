import { expect } from 'chai';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { claimsPlace } from '../../src/cli/worktrees/claims-place.ts';
import { nameSharedRoot } from '../../src/cli/worktrees/root-setting.ts';
import { findRoot } from '../../src/cli/worktrees/shared-root.ts';
import { readSetting } from '../../src/cli/worktrees/git-setting.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { FileStat } from '../../src/store/files/disk/disk.ts';
import { BridgeWindow } from '../support/bridge.ts';
import { git, initRepository } from '../support/git.ts';
import { InProcessCommand } from '../support/in-process.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from '../cli/planner.ts';

describe('The root in linked worktrees', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;
  let main: string;
  let linked: string;

  /** A repository with an empty commit, and a linked worktree beside it. */
  function repositoryWithWorktree(): void {
    initRepository(main);
    git(main, 'commit', '--quiet', '--allow-empty', '--message', 'first');
    git(main, 'worktree', 'add', '--quiet', linked);
  }

  /** Creates an empty plan. */
  function plan(directory: string, settings: object = {}): string {
    const root = join(directory, '.planner');
    mkdirSync(join(root, 'projects'), { recursive: true });
    writeFileSync(join(root, 'config.json'), JSON.stringify({ format: 1, ...settings }));
    return root;
  }

  async function rootFrom(directory: string, own = false): Promise<string | undefined> {
    return (await findRoot(nodeDisk, directory, { own }))?.root;
  }

  async function refusal(directory: string): Promise<string> {
    try {
      return expect.fail(`found ${await rootFrom(directory)}`);
    } catch (error) {
      return (error as Error).message;
    }
  }

  beforeEach(() => {
    shell = new Shell(scratch.path);
    main = shell.directory;
    linked = join(scratch.path, 'linked');
  });

  it('is one for the commands of all worktrees, and named once on standard error [A.git.one-plan]', async () => {
    repositoryWithWorktree();
    await shell.ok(['init']);
    await shell.json(['call', 'create_project', '{"name":"Shop"}']);
    const { code, output, errors } = await shell.run(['task', 'add', 'Pay', '--json'], { cwd: linked });
    expect(code).to.equal(0);
    expect(existsSync(join(linked, '.planner'))).to.equal(false);
    expect(
      errors
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { root: string }).root),
    ).to.deep.equal([join(main, '.planner')]);
    const { task } = JSON.parse(output) as { task: { id: string } };
    const there = await shell.run(['claim', '--as', 'Ada'], { cwd: linked });
    expect(there.errors).to.equal(
      `planner: works on ${join(main, '.planner')}, which the worktrees of this repository share (planner worktree shows more)\n`,
    );
    const here = await shell.run(['claim', task.id, '--as', 'Bob', '--json']);
    expect([here.code, here.errors]).to.deep.equal([1, '']);
    expect(JSON.parse(here.output)).to.include({ claimed: false, assignee: 'Ada' });
  });

  it('is one for planner mcp in all worktrees, by its directory and by the roots of its client [A.git.one-plan]', async () => {
    repositoryWithWorktree();
    await shell.ok(['init']);
    const { project } = await shell.json(['call', 'create_project', '{"name":"Shop"}']);
    // The branch has a copy.
    cpSync(join(main, '.planner/projects'), join(linked, '.planner/projects'), { recursive: true });
    const { environment = {} } = shell.options();
    const window = await BridgeWindow.open({ cwd: linked, environment });
    const { task } = await window.get('create_task', { project_id: project.id, label: 'Pay' });
    const other = await BridgeWindow.open({ cwd: scratch.path, environment, roots: [linked] });
    expect((await other.get('get_task', { task_id: task.id })).task.label).to.equal('Pay');
    await Promise.all([window.close(), other.close()]);
    expect((await shell.json(['task', 'show', task.id])).task.label).to.equal('Pay');
    const own = await BridgeWindow.open({ cwd: linked, argv: ['--own'], environment });
    expect((await own.call('get_task', { task_id: task.id })).isError).to.equal(true);
    await own.close();
  });

  it('comes from --root, PLANNER_ROOT, planner.root, the main worktree, in this order [A.git.one-plan]', async () => {
    repositoryWithWorktree();
    const third = join(scratch.path, 'third');
    git(main, 'worktree', 'add', '--quiet', third);
    const roots = { main: plan(main), linked: plan(linked), third: plan(third) };
    expect(await rootFrom(linked)).to.equal(roots.main);
    git(main, 'config', 'planner.root', '../../third/.planner');
    expect(await rootFrom(linked)).to.equal(roots.third);
    // One plan is also the plan of the main worktree.
    expect(await rootFrom(main)).to.equal(roots.third);
    for (const [argv, environment, expected] of [
      [[], { PLANNER_ROOT: main }, roots.main],
      [['--root', linked], { PLANNER_ROOT: main }, roots.linked],
      [['--own'], { PLANNER_ROOT: main }, roots.linked],
      [[], {}, roots.third],
    ] as const) {
      const { root } = await shell.json(['worktree', ...argv], { cwd: linked, environment });
      expect(root, argv.join(' ')).to.equal(expected);
    }
  });

  it('is the first listed one in a repository without a main worktree [A.git.one-plan]', async () => {
    const bare = join(scratch.path, 'shop.git');
    repositoryWithWorktree();
    git(scratch.path, 'clone', '--quiet', '--bare', main, bare);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => join(scratch.path, 'trees', name));
    for (const directory of [c!, b!, a!]) git(bare, 'worktree', 'add', '--quiet', '--detach', directory);
    plan(b!);
    plan(c!);
    for (const directory of [a!, b!, c!]) expect(await rootFrom(directory)).to.equal(join(b!, '.planner'));
    git(bare, 'worktree', 'remove', '--force', b!);
    expect(await rootFrom(a!)).to.equal(join(c!, '.planner'));
    // A plan beside the bare repository is found upwards, and may be named.
    rmSync(join(c!, '.planner'), { recursive: true });
    const beside = plan(scratch.path);
    expect(await rootFrom(a!)).to.equal(beside);
    plan(c!);
    git(bare, 'config', 'planner.root', '../.planner');
    expect(await rootFrom(a!)).to.equal(beside);
  });

  it('of a plan in a subdirectory is its counterpart in the same subdirectory [A.git.one-plan]', async () => {
    repositoryWithWorktree();
    const top = plan(main);
    const counterpart = plan(join(main, 'packages/web'));
    plan(join(linked, 'packages/web'));
    const onlyHere = plan(join(linked, 'packages/new'));
    expect(await rootFrom(join(linked, 'packages/web'))).to.equal(counterpart);
    expect(await rootFrom(join(linked, 'packages'))).to.equal(top);
    expect(await rootFrom(join(linked, 'packages/new'))).to.equal(onlyHere);
    await shell.ok(['init']);
    expect(await rootFrom(join(main, 'packages/web'))).to.equal(counterpart);
    expect(await rootFrom(join(linked, 'packages/web'))).to.equal(counterpart);
  });

  it("is the worktree's own with --own and with worktrees set to own in config.json [A.git.own]", async () => {
    repositoryWithWorktree();
    const shared = plan(main);
    const own = plan(linked);
    expect(await rootFrom(linked, true)).to.equal(own);
    plan(linked, { worktrees: 'own' });
    expect(await rootFrom(linked)).to.equal(own);
    // A branch from before the setting.
    plan(linked);
    plan(main, { worktrees: 'own' });
    expect(await rootFrom(linked)).to.equal(own);
    plan(linked, { worktrees: 'shared' });
    expect(await rootFrom(linked)).to.equal(shared);
    // A worktree without files of its own has no files to work on.
    rmSync(own, { recursive: true });
    expect(await rootFrom(linked)).to.equal(shared);
    plan(linked, { worktrees: 'mine' });
    expect(await refusal(linked))
      .to.include('worktrees in')
      .and.include('must be "own" or "shared"');
  });

  it('is named by init and connect, relative to the common directory, and a different one is kept [A.git.root-setting]', async () => {
    repositoryWithWorktree();
    const setting = (): string => git(main, 'config', '--local', 'planner.root').trim();
    expect(await shell.ok(['init'], { cwd: linked })).to.include('planner.root names this plan');
    expect(existsSync(join(linked, '.planner'))).to.equal(false);
    expect(setting()).to.equal('../.planner');
    expect((await shell.json(['init'], { cwd: linked })).done).to.deep.equal([]);
    await shell.ok(['init', '--own'], { cwd: linked });
    expect(existsSync(join(linked, '.planner/config.json'))).to.equal(true);
    expect(await shell.ok(['init', '--root', linked])).to.include('which is kept');
    expect(setting()).to.equal('../.planner');
    git(main, 'config', 'planner.root', '../gone/.planner');
    await shell.ok(['init', '--root', linked]);
    expect(setting()).to.equal('../../linked/.planner');
    git(main, 'config', '--unset', 'planner.root');
    const bound = await shell.json(['connect', '--project', 'Shop', '--create'], { cwd: linked });
    expect(bound.directory).to.equal(main);
    expect(setting()).to.equal('../.planner');
    expect(existsSync(join(main, '.planner/token'))).to.equal(true);
    expect(existsSync(join(linked, '.planner/token'))).to.equal(false);
    // Its agents read the entries of the directory in which they work.
    for (const directory of [main, linked]) expect(existsSync(join(directory, '.mcp.json'))).to.equal(true);
  });

  it('is found after the repository was moved, once git is repaired [A.git.moved]', async () => {
    repositoryWithWorktree();
    await shell.ok(['init']);
    const moved = join(scratch.path, 'moved');
    renameSync(main, moved);
    expect(await refusal(linked))
      .to.include('which does not exist')
      .and.include('git worktree repair');
    git(moved, 'worktree', 'repair', linked);
    expect(await rootFrom(linked)).to.equal(join(moved, '.planner'));
    // A worktree that was moved or copied: git heals the first, the second would be a second worktree of that name.
    const copy = join(scratch.path, 'copy');
    cpSync(linked, copy, { recursive: true });
    expect(await refusal(copy)).to.include('does not name this worktree');
    expect(await rootFrom(copy, true)).to.equal(undefined);
    plan(copy);
    expect(await rootFrom(copy, true)).to.equal(join(copy, '.planner'));
  });

  it('is unaffected in submodules, with --separate-git-dir and without git [A.git.not-linked]', async () => {
    initRepository(main);
    git(main, 'commit', '--quiet', '--allow-empty', '--message', 'first');
    const parent = join(scratch.path, 'parent');
    git(scratch.path, 'init', '--quiet', parent);
    git(parent, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', main, 'sub');
    const sub = join(parent, 'sub');
    plan(parent);
    const ofSub = plan(sub);
    expect(await rootFrom(sub)).to.equal(ofSub);
    await shell.ok(['init'], { cwd: sub });
    expect(await rootFrom(sub)).to.equal(ofSub);
    // A linked worktree of the submodule shares its plan, and not the plan of the repository around it.
    git(sub, 'worktree', 'add', '--quiet', linked);
    expect(await rootFrom(linked)).to.equal(ofSub);
    git(sub, 'config', '--unset', 'planner.root');
    expect(await rootFrom(linked)).to.equal(ofSub);
    const apart = join(scratch.path, 'apart');
    git(scratch.path, 'init', '--quiet', `--separate-git-dir=${join(scratch.path, 'apart.git')}`, apart);
    await shell.ok(['init'], { cwd: apart });
    expect(await rootFrom(apart)).to.equal(join(apart, '.planner'));
    git(apart, 'commit', '--quiet', '--allow-empty', '--message', 'first');
    const beside = join(scratch.path, 'beside');
    git(apart, 'worktree', 'add', '--quiet', beside);
    expect(await rootFrom(beside)).to.equal(join(apart, '.planner'));
    const plain = join(scratch.path, 'plain/below');
    mkdirSync(plain, { recursive: true });
    const alone = plan(dirname(plain));
    expect(await rootFrom(plain)).to.equal(alone);
  });

  it('is not taken from a repository that names the plan of another one [A.hostile.worktree]', async () => {
    initRepository(main);
    const secret = plan(main);
    // The contents of a hostile archive: a worktree and a git directory that name each other, and a setting.
    const evil = join(scratch.path, 'evil');
    for (const path of ['store/objects', 'store/refs', 'store/worktrees/tree', 'tree'])
      mkdirSync(join(evil, path), { recursive: true });
    const files = {
      'store/HEAD': 'ref: refs/heads/main\n',
      'store/worktrees/tree/HEAD': 'ref: refs/heads/main\n',
      'store/worktrees/tree/commondir': '../..\n',
      'store/worktrees/tree/gitdir': '../../../tree/.git\n',
      'tree/.git': 'gitdir: ../store/worktrees/tree\n',
      'store/config': `[planner]\n\troot = ${secret}\n`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(evil, name), text);
    expect(await refusal(join(evil, 'tree'))).to.include('which is in no worktree of this repository');
    // A main worktree, or a listed one, that does not name the repository back.
    writeFileSync(join(evil, 'store/config'), `[core]\n\tworktree = ${main}\n`);
    mkdirSync(join(evil, 'store/worktrees/a'));
    writeFileSync(join(evil, 'store/worktrees/a/gitdir'), `${join(main, '.git')}\n`);
    expect(await rootFrom(join(evil, 'tree'))).to.equal(undefined);
    // A .git file alone, in a directory of the clone: the repository of another plan does not name it.
    git(main, 'commit', '--quiet', '--allow-empty', '--message', 'first');
    git(main, 'worktree', 'add', '--quiet', linked);
    const fake = join(scratch.path, 'clone/below');
    mkdirSync(fake, { recursive: true });
    writeFileSync(join(fake, '.git'), readFileSync(join(linked, '.git')));
    expect(await refusal(fake)).to.include('does not name this worktree');
    // A directory that is shaped like a git directory is no git directory: a clone can contain it.
    const shaped = join(scratch.path, 'shaped');
    for (const path of ['objects', 'refs']) mkdirSync(join(shaped, path), { recursive: true });
    writeFileSync(join(shaped, 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(shaped, 'config'), `[planner]\n\troot = ${secret}\n`);
    expect(await rootFrom(shaped)).to.equal(undefined);
  });

  it('is not taken from a repository whose main worktree is elsewhere [A.hostile.worktree]', async () => {
    initRepository(main);
    git(main, 'commit', '--quiet', '--allow-empty', '--message', 'first');
    await shell.ok(['init'], { cwd: main });
    const settings = readFileSync(join(main, '.git/config'), 'utf8');
    expect(settings).to.include('root = ../.planner');
    const fake = join(scratch.path, 'archive');
    const below = join(fake, 'below');
    mkdirSync(below, { recursive: true });
    const makers: readonly ((path: string) => void)[] = [
      (path) => writeFileSync(path, `gitdir: ${relative(fake, join(main, '.git'))}\n`),
      (path) => writeFileSync(path, `gitdir: ${join(main, '.git')}\n`),
      (path) => symlinkSync(join(main, '.git'), path),
    ];
    for (const make of makers) {
      rmSync(join(fake, '.planner'), { recursive: true, force: true });
      make(join(fake, '.git'));
      for (const directory of [fake, below]) expect(await rootFrom(directory)).to.equal(undefined);
      expect((await shell.run(['task', 'list'], { cwd: below })).errors).to.include('There is no .planner');
      // Its own plan neither shares claims with the repository, nor becomes the repository's.
      const own = plan(fake);
      expect(await rootFrom(below)).to.equal(own);
      expect(await claimsPlace(nodeDisk, own, {})).to.equal(undefined);
      git(main, 'config', '--unset', 'planner.root');
      expect(await nameSharedRoot(nodeDisk, own)).to.deep.equal([]);
      expect(await rootFrom(main)).to.equal(join(main, '.planner'));
      await shell.ok(['init'], { cwd: main });
      rmSync(join(fake, '.git'));
    }
    expect(readFileSync(join(main, '.git/config'), 'utf8')).to.equal(settings);
  });

  it("is not taken from another user's repository unless safe.directory names it [A.hostile.worktree]", async function () {
    repositoryWithWorktree();
    plan(main);
    // A file of another user, and a repository that git accepts all the same.
    const stat = (path: string): FileStat | undefined => {
      const found = nodeDisk.stat(path);
      return found && { ...found, uid: found.uid + 1 };
    };
    expect((await findRoot({ ...nodeDisk, stat }, linked))?.source).to.equal('main');
    // Only root can give files away.
    if (process.getuid?.() !== 0) return;
    const entry = join(main, '.git/worktrees/linked');
    chownSync(entry, 65_534, 65_534);
    expect(await refusal(linked)).to.include('dubious ownership');
    const { errors } = await shell.run(['task', 'list'], { cwd: linked });
    expect(errors).to.include('--own or --root chooses the files');
    chownSync(entry, 0, 0);
    expect(await rootFrom(linked)).to.equal(join(main, '.planner'));
  });

  it('is shown by planner worktree with its branch, its service and its uncommitted changes [A.git.worktree-state]', async () => {
    repositoryWithWorktree();
    await shell.ok(['init']);
    const root = join(main, '.planner');
    const first = await shell.json(['worktree'], { cwd: linked });
    expect(first).to.deep.equal({
      ...{
        worktree: linked,
        branch: 'linked',
        linked: true,
        in_repository: true,
        root,
        source: 'setting',
        root_branch: 'main',
      },
      ...{ service: null, uncommitted: ['.gitattributes', '.gitignore', 'config.json'] },
    });
    git(main, 'add', '.planner');
    expect((await shell.json(['worktree'])).uncommitted).to.deep.equal(first.uncommitted);
    git(main, 'commit', '--quiet', '--message', 'plan');
    const service = new InProcessCommand(['serve', '--port', '0'], shell.options());
    const url = /at (http:\S+)/.exec(await service.firstLine())?.[1];
    try {
      const served = await shell.json(['worktree'], { cwd: linked });
      expect(served.service).to.deep.equal({ url, pid: process.pid });
      expect(served.uncommitted).to.deep.equal([]);
      expect(await shell.ok(['worktree'], { cwd: linked })).to.include('Uncommitted: nothing');
      await shell.ok(['call', 'create_project', '{"name":"Shop"}'], { cwd: linked });
      await shell.ok(['flush'], { cwd: linked });
      writeFileSync(join(root, 'config.json'), '{}');
      rmSync(join(root, '.gitattributes'));
      const shown = await shell.ok(['worktree'], { cwd: linked });
      expect(shown).to.match(
        /Uncommitted: \d+ files, to be committed in .*\n {2}\.gitattributes\n {2}config\.json\n {2}projects\/shop/,
      );
    } finally {
      await service.stop();
    }
    const outside = plan(join(scratch.path, 'outside'));
    expect(await shell.json(['worktree'], { cwd: dirname(outside) })).to.include({ worktree: null, uncommitted: null });
    expect(await shell.refused(1, ['worktree', '--root', '/'])).to.include('There is no .planner at /.planner');
  });

  describe('A setting of git', () => {
    it('is read without git as long as its file is simple, like git reads it [A.git.root-setting]', async () => {
      repositoryWithWorktree();
      const elsewhere = plan(join(main, 'it\'s "a" plan'));
      const file = join(main, '.git/config');
      git(main, 'config', 'planner.root', '../it\'s "a" plan/.planner');
      expect(readSetting(readFileSync(file, 'utf8'), 'planner.root')).to.equal('unparsed');
      expect(await rootFrom(linked)).to.equal(elsewhere);
      for (const [text, value] of [
        ['[planner]\n\troot = ../a b\n', '../a b'],
        ['[PLANNER]\n\tRoot=x\n[core]\n\tbare = true\n[planner]\nroot = y\t\n', 'y'],
        ['[planner "sub"]\n\troot = x\n[planner.sub]\n\troot = y\n', undefined],
        ['# [planner]\n; root = x\n\n[merge "a]b"]\n\tname = "q"\n', undefined],
      ] as const) {
        expect(readSetting(text, 'planner.root'), text).to.deep.equal({ value });
        writeFileSync(join(scratch.path, 'config'), text);
        const read = git(scratch.path, 'config', '--file', 'config', '--default', '(none)', 'planner.root').trim();
        expect(read, text).to.equal(value ?? '(none)');
      }
      const odd = [
        '[include]\n\tpath = x\n',
        '[planner] root = x\n',
        '[planner]\n\troot = a \\\n b\n',
        '[planner]\nroot\n',
      ];
      for (const text of [...odd, '[planner]\n\troot = x # y\n', '[a\n', '=\n'])
        expect(readSetting(text, 'planner.root'), text).to.equal('unparsed');
    });
  });
});
