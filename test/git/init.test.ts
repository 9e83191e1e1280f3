import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { builtProgram } from '../support/build.ts';
import { registerMergeDriver } from '../../src/cli/git/merge-registration.ts';
import { Shell, shellTestMs } from '../cli/planner.ts';
import { git, gitStatusWith, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';

const program = { node: process.execPath, main: builtProgram() };
const task = '.planner/projects/plan-abc123/tasks/pay.tsk_abc1230000000001.md';
const base = '---\nstatus: todo\nid: tsk_abc1230000000001\nkind: build\nlabel: Pay\n---\n';

describe('The git configuration by planner init', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();

  function config(directory: string, key: string): string {
    return git(directory, 'config', '--get', key).trim();
  }

  /** Merges two branches that change neighbouring lines of one task. Returns git's exit status. */
  function mergeNeighbours(directory: string): number {
    mkdirSync(join(directory, task, '..'), { recursive: true });
    const write = (text: string, message: string): void => {
      writeFileSync(join(directory, task), text);
      git(directory, 'add', '-A');
      git(directory, 'commit', '--quiet', '-m', message);
    };
    write(base, 'base');
    git(directory, 'switch', '--quiet', '-c', 'other');
    write(base.replace('kind: build', 'kind: decision'), 'other');
    git(directory, 'switch', '--quiet', '-');
    write(base.replace('label: Pay', 'label: Pay it'), 'ours');
    return mergeWithoutPlanner(directory);
  }

  /** Merges the other branch without a planner on the PATH. */
  function mergeWithoutPlanner(directory: string): number {
    const paths = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !existsSync(join(path, 'planner')));
    return gitStatusWith({ PATH: paths.join(delimiter) }, directory, 'merge', '--quiet', '--no-edit', 'other');
  }

  it('registers the merge driver once, and keeps all other settings [A.git.init]', async () => {
    const shell = new Shell(scratch.path);
    const { directory } = shell;
    initRepository(directory);
    git(directory, 'config', 'core.hooksPath', 'my-hooks');
    expect(await shell.ok(['init'])).to.include('the merge driver is registered');
    expect((await shell.json(['init'])).done).to.deep.equal([]);
    expect(config(directory, 'merge.planner.driver')).to.match(/ merge-driver %O %A %B %P;/);
    expect(config(directory, 'core.hooksPath')).to.equal('my-hooks');
    expect(mergeNeighbours(directory)).to.equal(0);
    expect(readFileSync(join(directory, task), 'utf8')).to.contain('kind: decision\nlabel: Pay it\n');
    const attributes = join(directory, '.planner/.gitattributes');
    writeFileSync(attributes, '# mine\n*.md text\n* -text\n');
    await shell.ok(['init']);
    const text = readFileSync(attributes, 'utf8');
    expect(text.startsWith('# mine\n*.md text\n* -text\n')).to.equal(true);
    expect(text).to.contain('projects/**/*.md merge=planner\n');
  });

  it("keeps a driver of that name that is a command of the user's own [A.git.init]", async () => {
    initRepository(scratch.path);
    git(scratch.path, 'config', 'merge.planner.driver', 'my-merge %A %B');
    expect(await registerMergeDriver(scratch.path, program)).to.deep.equal([
      'git: merge.planner.driver is set to a command of your own, which is kept.',
    ]);
    expect(config(scratch.path, 'merge.planner.driver')).to.equal('my-merge %A %B');
  });

  it('follows a moved program, in linked worktrees too, and does nothing outside of a working tree [A.git.init]', async () => {
    expect(await registerMergeDriver(scratch.path, program)).to.deep.equal([]);
    const bare = join(scratch.path, 'bare.git');
    git(scratch.path, 'init', '--quiet', '--bare', bare);
    expect(await registerMergeDriver(bare, program)).to.deep.equal([]);
    const directory = join(scratch.path, 'it is "here"');
    mkdirSync(directory);
    initRepository(directory);
    git(directory, 'commit', '--quiet', '--allow-empty', '-m', 'first');
    const worktree = join(scratch.path, "a 100% friend's worktree");
    git(directory, 'worktree', 'add', '--quiet', '-b', 'friend', worktree);
    expect(await registerMergeDriver(worktree, { ...program, main: '/gone/main.js' })).to.have.length(1);
    const [line] = await registerMergeDriver(directory, program);
    expect(line).to.contain('now starts this installation of planner');
    expect(await registerMergeDriver(worktree, program)).to.deep.equal([]);
    writeFileSync(join(worktree, '.gitattributes'), '.planner/**/*.md merge=planner\n');
    expect(mergeNeighbours(worktree)).to.equal(0);
  });

  it('starts a program whose path has quotes, blanks and percent signs [A.git.init]', async () => {
    initRepository(scratch.path);
    const main = join(scratch.path, "it's 100% %A", 'main.mjs');
    mkdirSync(join(main, '..'));
    writeFileSync(main, `await import(${JSON.stringify(program.main)});\n`);
    await registerMergeDriver(scratch.path, { ...program, main });
    writeFileSync(join(scratch.path, '.gitattributes'), '*.md merge=planner\n');
    expect(mergeNeighbours(scratch.path)).to.equal(0);
  });

  it('falls back to a text merge if no driver is registered or its program is missing [A.git.without-driver]', async () => {
    for (const [name, registered] of [
      ['none', false],
      ['gone', true],
    ] as const) {
      const directory = join(scratch.path, name);
      mkdirSync(directory);
      initRepository(directory);
      writeFileSync(join(directory, '.gitattributes'), '*.md merge=planner\n');
      if (registered) await registerMergeDriver(directory, { node: '/gone/node', main: '/gone/main.js' });
      expect(mergeNeighbours(directory)).to.equal(1);
      const text = readFileSync(join(directory, task), 'utf8');
      expect(text).to.contain('<<<<<<< ').and.to.contain('kind: decision').and.to.contain('label: Pay it');
      git(directory, 'merge', '--abort');
      // Changes that do not touch each other merge as usual.
      git(directory, 'switch', '--quiet', '-c', 'third', 'other~1');
      writeFileSync(join(directory, task), base.replace('status: todo', 'status: done'));
      git(directory, 'commit', '--quiet', '-am', 'third');
      expect(mergeWithoutPlanner(directory)).to.equal(0);
      expect(readFileSync(join(directory, task), 'utf8')).to.equal(
        base.replace('kind: build', 'kind: decision').replace('todo', 'done'),
      );
    }
  });

  it('is the same with connect, and serve creates the attributes without it [A.git.init]', async () => {
    const shell = new Shell(scratch.path);
    initRepository(shell.directory);
    await shell.ok(['connect', '--project', 'Shop', '--create']);
    expect(config(shell.directory, 'merge.planner.driver')).to.contain(' merge-driver ');
    expect(existsSync(join(shell.directory, '.planner/.gitattributes'))).to.equal(true);
    expect(git(shell.directory, 'check-attr', 'merge', task)).to.contain('merge: planner');
    expect(git(shell.directory, 'check-attr', 'merge', '.planner/config.json')).to.contain('merge: planner');
    expect(git(shell.directory, 'check-attr', 'text', task)).to.contain('text: unset');
  });
});
