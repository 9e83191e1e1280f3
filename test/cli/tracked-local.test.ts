import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { localGitStatus } from '../../src/cli/git/local-git-status.ts';
import type { LocalGitStatus } from '../../src/cli/git/local-git-status.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { git, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('The git status of a local/', () => {
  const scratch = scratchDirectory();
  const path = process.env['PATH'];
  afterEach(() => void (process.env['PATH'] = path));

  const at = (name: string): string => join(scratch.path, name);
  const ask = (local: string): Promise<LocalGitStatus> => localGitStatus(at(local), nodeDisk);

  /** Puts a program named git in front of all others. */
  function fakeGit(script: string): void {
    mkdirSync(at('bin'), { recursive: true });
    writeFileSync(at('bin/git'), `#!/bin/sh\n${script}\n`);
    chmodSync(at('bin/git'), 0o755);
    process.env['PATH'] = `${at('bin')}:${path}`;
  }

  function make(local: string): void {
    mkdirSync(at(local), { recursive: true });
    writeFileSync(at(`${local}/service`), '{}');
  }

  it('is tracked if git tracks a file in it, whatever the names and the root of the repository [A.hostile.local]', async () => {
    // A name may hold a line ending and magic of git's, and letter case is ignored.
    for (const [i, [local, tracked]] of [
      ['plan/.planner/local', 'plan/.planner/local/service'],
      ['.planner/local', '.Planner/LOCAL/service'],
      ['a\nb:(glob)*/.planner/local', 'a\nb:(glob)*/.planner/local/service'],
      ['/', 'service'],
    ].entries()) {
      const [repository, name] = [`r${i}`, `r${i}/${local}`];
      make(name);
      initRepository(at(repository));
      git(at(repository), 'add', '--force', '--all');
      if (tracked!.includes('LOCAL')) {
        git(at(repository), 'mv', '.planner/local', '.planner/LOCAL');
        git(at(repository), 'mv', '.planner', '.Planner');
        renameSync(at(`${repository}/.Planner`), at(`${repository}/.planner`));
        renameSync(at(`${repository}/.planner/LOCAL`), at(`${repository}/.planner/local`));
      }
      expect(await ask(name), local).to.deep.equal({ kind: 'tracked', path: tracked });
      git(at(repository), 'rm', '-r', '--quiet', '--cached', '.');
      expect(await ask(name), local).to.deep.equal({ kind: 'untracked' });
    }
  });

  it('does not depend on a directory next to it with a similar name [A.hostile.local]', async () => {
    for (const name of ['a*/.planner/local', 'ab/.planner/local', 'a*/.planner/local-not']) make(name);
    initRepository(scratch.path);
    git(scratch.path, '--literal-pathspecs', 'add', '--force', 'ab', 'a*/.planner/local-not');
    expect(await ask('a*/.planner/local')).to.deep.equal({ kind: 'untracked' });
    expect(await ask('ab/.planner/local')).to.include({ kind: 'tracked' });
  });

  it('is checked in a repository of another user too [A.hostile.local]', async () => {
    if (process.getuid?.() !== 0) return console.log('      only root can give files away');
    make('repository/.planner/local');
    initRepository(at('repository'));
    git(at('repository'), 'add', '--all');
    execFileSync('chown', ['-R', '12345', at('repository')]);
    expect(await ask('repository/.planner/local')).to.deep.equal({ kind: 'tracked', path: '.planner/local/service' });
  });

  it('is that there is no repository, or the reason why it is unknown [A.hostile.local]', async () => {
    make('plain/.planner/local');
    expect(await ask('plain/.planner/local')).to.deep.equal({ kind: 'outside' });
    initRepository(at('plain'));
    writeFileSync(at('plain/.git/index'), 'no index');
    const broken = await ask('plain/.planner/local');
    expect(broken).to.have.property('kind', 'unknown');
    expect(broken).to.have.property('reason').that.match(/index/);
    writeFileSync(at('plain/.git/config'), '[core\n');
    expect(await ask('plain/.planner/local'))
      .to.have.property('reason')
      .that.match(/^fatal: bad config line 1/);
    // Nothing is concluded from the second command where the first one failed. The parents are the ones that the
    // symbolic link leads to.
    make('linked/.planner/local');
    initRepository(at('linked'));
    symlinkSync(at('linked/.planner'), at('link'));
    expect(await ask('link/local')).to.deep.equal({ kind: 'untracked' });
    git(scratch.path, 'init', '--quiet', 'half');
    make('half/.planner/local');
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    fakeGit(`case "$*" in *rev-parse*) echo "fatal: it fails" >&2; exit 128;; esac\nexec '${real}' "$@"`);
    expect(await ask('half/.planner/local')).to.deep.equal({ kind: 'unknown', reason: 'fatal: it fails' });
    fakeGit('kill -TERM $$');
    const reason = 'it timed out';
    expect(await ask('plain/.planner/local')).to.deep.equal({ kind: 'unknown', reason });
  });

  it('is, without git, determined by whether a directory above looks like a repository [A.hostile.local]', async () => {
    make('plain/.planner/local');
    process.env['PATH'] = at('nothing');
    const expected = async (found: string | undefined): Promise<void> => {
      const answer = found === undefined ? { kind: 'outside' } : { kind: 'not_installed', path: at(found) };
      expect(await ask('plain/.planner/local')).to.deep.equal(answer);
    };
    await expected(undefined);
    for (const found of ['plain/.git', 'plain/.planner/local/.git']) {
      writeFileSync(at(found), 'gitdir: elsewhere\n');
      await expected(found);
      rmSync(at(found));
    }
    // Shaped like a bare repository: all three of them.
    const parts = ['HEAD', 'objects', 'refs'].map((name) => at(`plain/${name}`));
    for (const part of parts) mkdirSync(part);
    await expected('plain');
    for (const part of parts) {
      rmSync(part, { recursive: true });
      await expected(undefined);
      mkdirSync(part);
    }
  });
});
