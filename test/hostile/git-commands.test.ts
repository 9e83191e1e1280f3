import { expect } from 'chai';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program.ts';
import { Clone } from '../git/clone.ts';
import { Command, runProcess } from '../support/command.ts';
import { git as runGit } from '../../src/cli/git/git.ts';
import { git, gitStatus, initRepository } from '../support/git.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { rarely } from '../support/rarely.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { linesOf, planner, unknown } from './every-command.ts';
import type { Ids } from './every-command.ts';
import { Traps } from './traps.ts';

describe('In a repository whose settings name commands', function () {
  this.timeout(300_000);
  const scratch = scratchDirectory();
  const at = (path: string): string => join(scratch.path, path);
  let traps: Traps;
  let running: Command | undefined;

  beforeEach(() => (traps = new Traps(at('traps'))));
  afterEach(() => running?.kill());

  /** Runs every command, with a PATH that leads into the repository first. Returns the exit code of each. */
  async function runAll(directory: string, ids: Ids): Promise<Readonly<Record<string, number>>> {
    for (const name of ['git', 'git.exe', 'sh', 'node', 'planner', 'xdg-open']) traps.plant(join(directory, name));
    const { PATH: path } = process.env;
    process.env['PATH'] = `:.:..:../..:${path}`;
    try {
      return await runEach(directory, ids);
    } finally {
      process.env['PATH'] = path;
    }
  }

  async function runEach(directory: string, ids: Ids): Promise<Readonly<Record<string, number>>> {
    const parts = planner(directory);
    const codes: Record<string, number> = {};
    for (const [name, argv] of Object.entries(await linesOf(parts, ids))) {
      process.exitCode = undefined;
      codes[name] = await runProgram(parts, argv, () => undefined);
      process.exitCode = undefined;
      expect(traps.sprung, `planner ${argv.join(' ')} ran a command of the repository`).to.deep.equal([]);
    }
    await runServers(directory);
    expect(traps.sprung, 'serve or mcp ran a command of the repository').to.deep.equal([]);
    return codes;
  }

  async function runServers(directory: string): Promise<void> {
    const environment = { HOME: at('home') };
    running = new Command(['serve', '--port', '0'], { cwd: directory, environment });
    await running.firstLine().catch(() => undefined);
    running.signal('SIGTERM');
    await running.finished;
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects', arguments: {} } };
    await runProcess(['mcp'], { cwd: directory, environment, input: `${JSON.stringify(call)}\n` });
  }

  rarely(
    'no command runs one: a directory of the clone is shaped like a bare repository [A.hostile.git, A.hostile.programs]',
    async () => {
      const plan = at('origin/plan');
      for (const directory of ['objects', 'refs', '.planner/projects/web-abc123']) {
        mkdirSync(join(plan, directory), { recursive: true });
        writeFileSync(join(plan, directory, '.kept'), '');
      }
      writeFileSync(join(plan, '.planner/.gitignore'), 'token\nlocal/\n');
      writeFileSync(join(plan, 'HEAD'), 'ref: refs/heads/main\n');
      writeFileSync(
        join(plan, 'config'),
        traps.config(['repositoryformatversion = 1', 'bare = false', 'worktree = .']),
      );
      initRepository(at('origin'));
      git(at('origin'), 'add', '--force', '--all');
      git(at('origin'), 'commit', '--quiet', '-m', 'a plan');
      git(scratch.path, 'clone', '--quiet', at('origin'), at('clone'));
      const directory = at('clone/plan');
      const codes = await runAll(directory, unknown);
      expect(codes).to.include({ connect: 1, resolve: 1 });
      gitStatus(directory, '-c', 'safe.bareRepository=all', 'ls-files');
      expect(traps.sprung, 'git itself runs none, and the test shows nothing').to.include('fsmonitor-included');
    },
  );

  /** A plan in the middle of a merge that `planner resolve` can finish, with settings and attributes of its author. */
  async function archive(): Promise<{
    readonly clone: Clone;
    readonly ids: Ids;
    readonly late: string;
    readonly beside: readonly string[];
  }> {
    mkdirSync(at('repository'));
    initRepository(at('repository'));
    const clone = new Clone(at('repository'), 'Ada');
    await clone.start();
    const project = await clone.service.project('Plan');
    const post = (path: string, body: object): Promise<string> => clone.post(project, path, body);
    const folder = await post('folders', { name: 'ax' });
    await post('folders', { name: 'Above' });
    const task = await post('tasks', { label: 'Dig' });
    const document = await post('documents', { title: 'Inside', body: 'In\n', folder_id: folder });
    const other = await post('folders', { name: 'ab' });
    const beside = await post('documents', { title: 'Beside', body: 'In\n', folder_id: other });
    await clone.settle();
    // Written by the test: the service creates no such name, but a repository may contain it.
    const { directory } = await PlanFiles.of(clone.service);
    renameSync(join(directory, 'documents/ax'), join(directory, 'documents/a*'));
    await clone.settle();
    const move = async (from: string, to: string): Promise<void> => {
      renameSync(join(directory, 'documents', from), join(directory, 'documents', to));
      await clone.settle();
    };
    let late = '';
    await clone.apart(
      () => move('a*', 'Renamed'),
      async () => {
        late = await post('documents', { title: 'Late', body: 'Late\n', folder_id: folder });
        await clone.settle();
        await move('a*', 'Above/a*');
      },
    );
    clone.merge('other');
    expect(clone.unmerged()).not.to.deep.equal([]);
    await clone.service.stop();
    writeFileSync(at('repository/.git/config'), traps.config(['repositoryformatversion = 1', 'bare = false']));
    writeFileSync(at('repository/.git/info/attributes'), '* filter=x diff=x merge=x\n');
    return { clone, ids: { project, task, document }, late, beside: [beside, other] };
  }

  rarely(
    'no command runs one: an archive contains .git with an unfinished merge [A.hostile.git, A.hostile.programs]',
    async () => {
      const { clone, ids, late, beside } = await archive();
      const directory = clone.directory;
      const parts = planner(directory);
      expect(await runProgram(parts, ['resolve'], () => undefined)).to.equal(0);
      expect(traps.sprung).to.deep.equal([]);
      // No file is written while git is in the middle of a merge.
      rmSync(join(directory, '.git/MERGE_HEAD'));
      const codes = await runAll(directory, ids);
      const done = ['resolve', 'connect', 'task list', 'doc set', 'export', 'import', 'doctor', 'done', 'init', 'call'];
      expect(Object.fromEntries(done.map((name) => [name, codes[name]]))).to.deep.equal(
        Object.fromEntries(done.map((name) => [name, 0])),
      );
      // The settings are the ones that git itself uses.
      const bare = ['core.fsmonitor=false', 'filter.x.process=', 'filter.x.clean='].flatMap((one) => ['-c', one]);
      for (const [words, trap] of [
        [['ls-files', '--modified'], 'fsmonitor-included'],
        [['add', '--all'], 'filter-process'],
        [[...bare, 'rm', '--cached', '--quiet', '.planner/config.json'], 'post-index-change'],
      ] as const) {
        traps.reset();
        gitStatus(directory, ...words);
        expect(traps.sprung, words.join(' ')).to.include(trap);
      }
      // Files outside of the folder stayed where they were: its name is not a pattern.
      await clone.start();
      const shown = async (id: string): Promise<string> =>
        (await clone.service.rest.get(`/documents/${id}`)).body.folder_id as string;
      expect(await shown(late)).to.equal(await shown(ids.document));
      expect(await shown(beside[0]!)).to.equal(beside[1]);
      await clone.service.stop();
    },
  );

  it('no command that compares files with the index runs their filters [A.hostile.git]', async () => {
    const directory = at('filtered');
    mkdirSync(directory);
    initRepository(directory);
    writeFileSync(join(directory, 'a'), 'a\n');
    git(directory, 'add', 'a');
    git(directory, 'commit', '--quiet', '-m', 'a');
    writeFileSync(join(directory, '.git/config'), traps.config(['repositoryformatversion = 1', 'bare = false']));
    writeFileSync(join(directory, '.git/info/attributes'), '* filter=x\n');
    const head = git(directory, '-c', 'core.fsmonitor=false', 'rev-parse', 'HEAD').trim();
    const index = join(directory, '.git/index');
    for (const args of [['write-tree'], ['read-tree', '-m', head], ['update-index', '--force-write-index']] as const)
      for (const own of [true, false]) {
        // The index has no tree, and is older than its file, so that the file is compared by content.
        rmSync(index);
        git(directory, '-c', 'core.fsmonitor=false', '-c', 'filter.x.process=', '-c', 'filter.x.clean=', 'add', 'a');
        utimesSync(index, 1, 1);
        traps.reset();
        if (own) await runGit(directory, args);
        else gitStatus(directory, '-c', 'core.fsmonitor=false', ...args);
        expect(traps.sprung.includes('filter-process'), args.join(' ')).to.equal(!own);
      }
  });

  it('no missing object is fetched: neither by ssh nor by a program that the remote names [A.hostile.git]', async () => {
    const { clone } = await archive();
    const directory = clone.directory;
    const lines = git(directory, '-c', 'core.fsmonitor=false', 'ls-files', '--unmerged').split('\n');
    const blob = lines[0]!.split(' ')[1]!;
    const object = join(directory, '.git/objects', blob.slice(0, 2), blob.slice(2));
    renameSync(object, at('object'));
    for (const [remote, trap] of [
      [`ext::${at('traps/fetch')}`, 'fetch'],
      ['ssh://example.invalid/x', 'ssh'],
      [at('origin'), 'uploadpack'],
    ] as const) {
      git(directory, '-c', 'core.fsmonitor=false', 'config', 'remote.origin.url', remote);
      traps.reset();
      const errors: string[] = [];
      expect(await runProgram(planner(directory), ['resolve'], (line) => errors.push(line))).to.equal(1);
      expect(errors.join()).to.include(`git could not read ${blob}`);
      expect(traps.sprung).to.deep.equal([]);
      gitStatus(directory, '-c', 'core.fsmonitor=false', 'cat-file', 'blob', blob);
      expect(traps.sprung, 'git itself runs none, and the test shows nothing').to.include(trap);
    }
    copyFileSync(at('object'), object);
    rmSync(at('traps/sprung'));
    const output: string[] = [];
    const parts = { ...planner(directory), print: (line: string) => void output.push(line) };
    expect(await runProgram(parts, ['resolve'], (line) => output.push(line)), output.join()).to.equal(0);
    expect(traps.sprung).to.deep.equal([]);
    expect(existsSync(object) && readFileSync(object).length > 0).to.equal(true);
  });
});
