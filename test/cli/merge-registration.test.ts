import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registerMergeDriver } from '../../src/cli/git/merge-registration.ts';
import type { RunningProgram } from '../../src/cli/git/merge-registration.ts';
import { git, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';

const program = { node: '/opt/node', main: '/opt/planner.js' };
/** The command that git passes to its shell. */
const command = (node: string, main: string): string =>
  `if [ -x ${node} ] && [ -f ${main} ]; then ${node} ${main} merge-driver %O %A %B %P; ` +
  'elif case "$(command -v planner)" in /*) ;; *) false ;; esac; then planner merge-driver %O %A %B %P; ' +
  'else git merge-file -L ours -L base -L theirs %A %O %B; fi';

const registered = "git: the merge driver is registered in this repository's configuration; plans merge field by field";
const moved = 'git: the merge driver now starts this installation of planner';

describe('The merge driver in the configuration of a repository', () => {
  const scratch = scratchDirectory();
  const home = process.env['HOME'];
  const at = (path: string): string => join(scratch.path, path);
  const settings = (): Record<string, string> => {
    const lines = git(at('repository'), 'config', '--local', '-z', '--get-regexp', '^merge[.]').split('\0');
    return Object.fromEntries(lines.filter(Boolean).map((line) => line.split('\n', 2)));
  };
  const register = (given: RunningProgram = program): Promise<readonly string[]> =>
    registerMergeDriver(at('repository'), given);
  const configured = {
    'merge.planner.name': 'Planner: records merge field by field',
    'merge.planner.driver': command("'/opt/node'", "'/opt/planner.js'"),
  };

  beforeEach(() => {
    mkdirSync(at('repository'));
    initRepository(at('repository'));
  });
  afterEach(() => {
    if (home === undefined) delete process.env['HOME'];
    else process.env['HOME'] = home;
  });

  it('consists of two settings of this repository only, written once and again if the program has moved [A.git.init]', async () => {
    mkdirSync(at('home'));
    // The user's configuration for all repositories is not read.
    writeFileSync(at('home/.gitconfig'), '[merge "planner"]\n\tname = mine\n\tdriver = mine %A\n');
    process.env['HOME'] = at('home');
    expect(await register()).to.deep.equal([registered]);
    expect(settings()).to.deep.equal(configured);
    const before = readFileSync(at('repository/.git/config'), 'utf8');
    expect(await register()).to.deep.equal([]);
    expect(readFileSync(at('repository/.git/config'), 'utf8')).to.equal(before);
    // Nothing is written: it would fail.
    writeFileSync(at('repository/.git/config.lock'), '');
    expect(await register()).to.deep.equal([]);
    rmSync(at('repository/.git/config.lock'));
    const main = String.raw`/it's 100%\main.js`;
    expect(await register({ ...program, main })).to.deep.equal([moved]);
    const quoted = String.raw`'/it'\''s 100%%\main.js'`;
    expect(settings()).to.deep.equal({ ...configured, 'merge.planner.driver': command("'/opt/node'", quoted) });
  });

  it('names only the program if that is a single executable [D11.binary]', async () => {
    expect(await register({ node: '/opt/planner' })).to.deep.equal([registered]);
    const driver = settings()['merge.planner.driver'];
    expect(driver).to.match(/^if \[ -x '\/opt\/planner' \]; then '\/opt\/planner' merge-driver %O %A %B %P; elif /);
  });

  it('falls back to the planner on the PATH, and to none of the repository [A.hostile.programs]', () => {
    const write = (path: string, text: string, mode = 0o644): void => writeFileSync(at(path), text, { mode });
    mkdirSync(at('bin'));
    for (const [path, what] of [
      ['repository/planner', 'of the repository'],
      ['bin/planner', 'of the user'],
    ] as const)
      write(path, `#!/bin/sh\necho ${what} > "$3"\n`, 0o755);
    const merge = (path: string): string => {
      for (const name of ['base', 'ours', 'theirs']) write(`repository/${name}`, name === 'theirs' ? 'b\n' : 'a\n');
      const driver = command("'/nothing'", "'/nothing'").replaceAll('%O %A %B %P', 'base ours theirs plan');
      const line = driver.replace('%A %O %B', 'ours base theirs');
      const env = { ...process.env, PATH: `${path}:${process.env['PATH']}` };
      execFileSync('/bin/sh', ['-c', line], { cwd: at('repository'), env });
      return readFileSync(at('repository/ours'), 'utf8');
    };
    expect(merge(at('bin'))).to.equal('of the user\n');
    for (const path of ['.', '', '..:./']) expect(merge(path), path).to.equal('b\n');
  });

  it('gets a missing setting, and keeps a name that the user chose [A.git.init]', async () => {
    await register();
    git(at('repository'), 'config', '--unset', 'merge.planner.driver');
    git(at('repository'), 'config', 'merge.planner.name', 'Mine');
    expect(await register()).to.deep.equal([registered]);
    expect(settings()).to.deep.equal({ ...configured, 'merge.planner.name': 'Mine' });
    git(at('repository'), 'config', '--unset', 'merge.planner.name');
    expect(await register()).to.deep.equal([]);
    expect(settings()).to.deep.equal(configured);
  });

  it('is not changed if the user has set another command [A.git.init]', async () => {
    git(at('repository'), 'config', 'merge.planner.driver', 'mine merge-driver %A');
    expect(await register()).to.deep.equal([
      'git: merge.planner.driver is set to a command of your own, which is kept.',
    ]);
    expect(settings()).to.deep.equal({ 'merge.planner.driver': 'mine merge-driver %A' });
  });

  it('is only for a working tree [A.git.init]', async () => {
    const before = readFileSync(at('repository/.git/config'), 'utf8');
    expect(await registerMergeDriver(at('repository/.git'), program)).to.deep.equal([]);
    expect(readFileSync(at('repository/.git/config'), 'utf8')).to.equal(before);
    rmSync(at('repository/.git'), { recursive: true });
    expect(await register()).to.deep.equal([]);
  });

  it('reports why it could not be registered [A.git.init]', async () => {
    writeFileSync(at('repository/.git/config.lock'), '');
    const [line, ...more] = await register();
    expect(more).to.deep.equal([]);
    expect(line).to.match(
      /^git: the merge driver could not be registered \(error: could not lock .*\); until it is, plans merge as plain text\.$/s,
    );
    rmSync(at('repository/.git/config.lock'));
    expect(await register()).to.deep.equal([registered]);
  });
});
