import { expect } from 'chai';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { GitGuard } from '../../src/store/files/checkpoint/git-guard.ts';
import { faultyDisk } from '../support/faulty-disk.ts';
import { git, gitStatus, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('GitGuard', () => {
  const scratch = scratchDirectory();
  const write = (name: string, text: string): void => writeFileSync(join(scratch.path, name), text);
  const guard = (directory = scratch.path): GitGuard => GitGuard.find(nodeDisk, directory)!;

  /** Two branches that change the same line: main is checked out, `other` conflicts with it. */
  function divergingBranches(): void {
    initRepository(scratch.path);
    commit('a.txt', 'base\n', 'base');
    git(scratch.path, 'checkout', '--quiet', '-b', 'other');
    commit('a.txt', 'theirs\n', 'theirs');
    git(scratch.path, 'checkout', '--quiet', 'main');
    commit('a.txt', 'ours\n', 'ours');
  }

  function commit(name: string, text: string, message: string): void {
    write(name, text);
    git(scratch.path, 'add', '.');
    git(scratch.path, 'commit', '--quiet', '-m', message);
  }

  it('finds no operation after commands that have ended', () => {
    divergingBranches();
    expect(guard().currentOperation()).to.equal(undefined);
  });

  it('finds a command that has locked the index, and whether its lock is stale', () => {
    divergingBranches();
    const lock = join(scratch.path, '.git/index.lock');
    writeFileSync(lock, '');
    expect(guard().currentOperation()).to.include({
      what: 'a command of git (index.lock)',
      path: lock,
      running: true,
      stale: false,
    });
    const begun = (systemClock.now() - 61_000) / 1000;
    utimesSync(lock, begun, begun);
    expect(guard().currentOperation()).to.include({ running: false, stale: true });
    expect(Math.abs(guard().currentOperation()!.sinceMs - begun * 1000)).to.be.lessThan(2);
    rmSync(lock);
    expect(guard().currentOperation()).to.equal(undefined);
  });

  const stopped: readonly [string, string, readonly string[], readonly string[]][] = [
    ['a merge', 'MERGE_HEAD', ['merge', 'other'], ['merge', '--abort']],
    ['a rebase', 'rebase-merge', ['rebase', 'other'], ['rebase', '--abort']],
    ['a rebase with apply', 'rebase-apply', ['rebase', '--apply', 'other'], ['rebase', '--abort']],
    ['a cherry-pick', 'CHERRY_PICK_HEAD', ['cherry-pick', 'other'], ['cherry-pick', '--abort']],
    ['a revert', 'REVERT_HEAD', ['revert', '--no-edit', 'HEAD~1'], ['revert', '--abort']],
  ];
  for (const [name, sign, start, end] of stopped) {
    it(`finds ${name} that waits for a person, and its end`, () => {
      divergingBranches();
      expect(gitStatus(scratch.path, ...start)).to.not.equal(0);
      const settled = guard();
      expect(settled.currentOperation()?.what).to.contain(`(${sign})`);
      git(scratch.path, ...end);
      expect(settled.currentOperation()).to.equal(undefined);
    });
  }

  it('finds a bisect and its end', () => {
    divergingBranches();
    git(scratch.path, 'bisect', 'start');
    expect(guard().currentOperation()?.what).to.contain('(BISECT_LOG)');
    git(scratch.path, 'bisect', 'reset');
    expect(guard().currentOperation()).to.equal(undefined);
  });

  it('checks the directory of a linked worktree, not that of another', () => {
    divergingBranches();
    const linked = join(scratch.path, 'linked');
    git(scratch.path, 'worktree', 'add', '--quiet', '-b', 'third', linked);
    expect(guard(linked).directory).to.equal(join(scratch.path, '.git/worktrees/linked'));
    expect(gitStatus(linked, 'merge', 'other')).to.not.equal(0);
    expect(guard(linked).currentOperation()?.what).to.contain('MERGE_HEAD');
    expect(guard().currentOperation()).to.equal(undefined);
  });

  it('checks the directory of a submodule', () => {
    const inner = join(scratch.path, 'inner');
    mkdirSync(inner);
    initRepository(scratch.path);
    mkdirSync(join(scratch.path, '.git/modules'));
    git(scratch.path, 'init', '--quiet', '--separate-git-dir', join(scratch.path, '.git/modules/inner'), inner);
    writeFileSync(join(scratch.path, '.git/modules/inner/index.lock'), '');
    expect(guard(inner).currentOperation()?.what).to.contain('index.lock');
    expect(guard().currentOperation()).to.equal(undefined);
  });

  describe('after git has been idle for a while', () => {
    /** A guard that has seen git rest, on a disk that counts. */
    function rested(): { guard: GitGuard; disk: ReturnType<typeof faultyDisk> } {
      divergingBranches();
      const past = (systemClock.now() - 10_000) / 1000;
      utimesSync(join(scratch.path, '.git'), past, past);
      const disk = faultyDisk({ countReads: true });
      const found = GitGuard.find(disk, scratch.path)!;
      expect(found.currentOperation()).to.equal(undefined);
      disk.arm(undefined);
      return { guard: found, disk };
    }

    it('takes two stats', () => {
      const { guard: found, disk } = rested();
      expect(found.currentOperation()).to.equal(undefined);
      expect(disk.calls).to.equal(2);
    });

    it('still finds a locked index and a merge that begins', () => {
      const { guard: found } = rested();
      expect(gitStatus(scratch.path, 'merge', 'other')).to.not.equal(0);
      expect(found.currentOperation()?.what).to.contain('MERGE_HEAD');
      writeFileSync(join(scratch.path, '.git/index.lock'), '');
      expect(found.currentOperation()?.what).to.contain('index.lock');
    });
  });

  it('changes its fingerprint for a checkout, a commit and a reset between two calls, and nothing else', () => {
    divergingBranches();
    const found = guard();
    let mark = found.fingerprint();
    expect(found.fingerprint()).to.equal(mark);
    write('b.txt', 'untracked');
    git(scratch.path, 'log', '-1');
    expect(found.fingerprint()).to.equal(mark);
    for (const command of [
      ['checkout', '--quiet', 'other'],
      ['checkout', '--quiet', 'main'],
      ['commit', '--quiet', '--allow-empty', '-m', 'more'],
      ['reset', '--quiet', '--hard', 'HEAD~1'],
    ]) {
      git(scratch.path, ...command);
      expect(found.fingerprint(), command.join(' ')).to.not.equal(mark);
      mark = found.fingerprint();
    }
  });
});
