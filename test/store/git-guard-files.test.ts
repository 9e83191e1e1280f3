import { expect } from 'chai';
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { GitGuard } from '../../src/store/files/checkpoint/git-guard.ts';
import { initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('GitGuard, by the files that it finds', () => {
  const scratch = scratchDirectory();
  const guard = (directory = scratch.path): GitGuard => GitGuard.find(nodeDisk, directory)!;

  it('finds the nearest working tree upwards, if there is one', () => {
    const deep = join(scratch.path, 'one/two/.planner');
    mkdirSync(deep, { recursive: true });
    mkdirSync(join(scratch.path, 'one/.git'));
    expect(GitGuard.find(nodeDisk, deep), 'an empty .git is no repository').to.equal(undefined);
    initRepository(scratch.path);
    expect(guard(deep).directory).to.equal(join(scratch.path, '.git'));
  });

  describe('by the files of its directory', () => {
    const signs: readonly (readonly [string, string])[] = [
      ['index.lock', 'a command of git'],
      ['HEAD.lock', 'a command of git'],
      ['MERGE_HEAD', 'a merge'],
      ['rebase-merge', 'a rebase'],
      ['rebase-apply', 'a rebase or git am'],
      ['CHERRY_PICK_HEAD', 'a cherry-pick'],
      ['REVERT_HEAD', 'a revert'],
      ['sequencer', 'a cherry-pick or revert'],
      ['BISECT_LOG', 'a bisect'],
    ];
    const inGit = (name: string): string => join(scratch.path, '.git', name);
    const stamp = (path: string, ms: number): void => utimesSync(path, ms / 1000, ms / 1000);
    const began = Date.UTC(2026, 0);
    /** A guard at so many milliseconds after the beginning. */
    const guardAt = (clock: { ms: number }): GitGuard =>
      GitGuard.find(nodeDisk, scratch.path, { ...systemClock, now: () => began + clock.ms })!;

    beforeEach(() => initRepository(scratch.path));

    it('names the git operation, a running command before one that waits for a person', () => {
      for (const [name, what] of signs.toReversed()) {
        writeFileSync(inGit(name), '');
        stamp(inGit(name), began);
        expect(guardAt({ ms: 0 }).currentOperation()).to.deep.equal({
          ...{ what: `${what} (${name})`, running: name.endsWith('.lock') },
          ...{ path: inGit(name), sinceMs: began, stale: false },
        });
      }
    });

    it('considers a lock stale after a minute, and nothing else', () => {
      for (const name of ['index.lock', 'HEAD.lock', 'MERGE_HEAD']) {
        writeFileSync(inGit(name), '');
        stamp(inGit(name), began);
        const isLock = name.endsWith('.lock');
        expect(guardAt({ ms: 60_000 }).currentOperation(), name).to.include({ running: isLock, stale: false });
        expect(guardAt({ ms: 60_001 }).currentOperation(), name).to.include({ running: false, stale: isLock });
        rmSync(inGit(name));
      }
    });

    it("relies on its directory's time once that is older than a file system's clock ticks", () => {
      const clock = { ms: 2_500 };
      const found = guardAt(clock);
      const settle = (): void => stamp(inGit(''), began);
      settle();
      expect(found.currentOperation()).to.equal(undefined);
      // Within one tick the directory looks as before.
      writeFileSync(inGit('MERGE_HEAD'), '');
      settle();
      expect(found.currentOperation()?.what).to.equal('a merge (MERGE_HEAD)');
      rmSync(inGit('MERGE_HEAD'));
      settle();
      clock.ms = 2_501;
      expect(found.currentOperation()).to.equal(undefined);
      writeFileSync(inGit('MERGE_HEAD'), '');
      settle();
      expect(found.currentOperation(), 'nothing but the lock is looked for').to.equal(undefined);
      writeFileSync(inGit('index.lock'), '');
      stamp(inGit('index.lock'), began);
      settle();
      expect(found.currentOperation()).to.deep.equal({
        ...{ what: 'a command of git (index.lock)', running: true, stale: false },
        ...{ path: inGit('index.lock'), sinceMs: began },
      });
      rmSync(inGit('index.lock'));
      settle();
      // The directory was replaced, or changed at another time.
      stamp(inGit(''), began + 1);
      expect(found.currentOperation()?.what).to.equal('a merge (MERGE_HEAD)');
      rmSync(inGit('MERGE_HEAD'));
      settle();
      expect(found.currentOperation()).to.equal(undefined);
      renameSync(inGit(''), join(scratch.path, 'moved'));
      initRepository(scratch.path);
      writeFileSync(inGit('MERGE_HEAD'), '');
      settle();
      expect(found.currentOperation()?.what).to.equal('a merge (MERGE_HEAD)');
    });

    it('does not rely on a state from before a git operation, or of a removed directory', () => {
      const found = guardAt({ ms: 10_000 });
      stamp(inGit(''), began);
      expect(found.currentOperation()).to.equal(undefined);
      writeFileSync(inGit('MERGE_HEAD'), '');
      stamp(inGit(''), began + 1);
      expect(found.currentOperation()?.what).to.equal('a merge (MERGE_HEAD)');
      // As it was when nothing was at work.
      stamp(inGit(''), began);
      expect(found.currentOperation()?.what).to.equal('a merge (MERGE_HEAD)');
      rmSync(inGit(''), { recursive: true });
      expect(found.currentOperation()).to.equal(undefined);
    });

    it("has a fingerprint of each file's inode, size and time", () => {
      const found = guard();
      const marks = { mark: () => found.fingerprint(), lastCommit: () => found.lastCommit() };
      for (const [mark, names] of [
        ['mark', ['HEAD', 'ORIG_HEAD', 'index', 'logs/HEAD']],
        ['lastCommit', ['HEAD', 'logs/HEAD', 'COMMIT_EDITMSG']],
      ] as const) {
        for (const name of names) {
          mkdirSync(inGit('logs'), { recursive: true });
          writeFileSync(inGit(name), 'a');
          stamp(inGit(name), began);
          const seen = [marks[mark]()];
          const steps = [
            () => (writeFileSync(inGit(name), 'ab'), stamp(inGit(name), began)),
            () => stamp(inGit(name), began + 1000),
            () => (
              writeFileSync(inGit('new'), 'ab'),
              stamp(inGit('new'), began + 1000),
              renameSync(inGit('new'), inGit(name))
            ),
            () => renameSync(inGit(name), inGit('away')),
          ];
          for (const step of steps) {
            step();
            seen.push(marks[mark]());
          }
          expect(new Set(seen), `${mark} by ${name}`).to.have.lengthOf(seen.length);
          renameSync(inGit('away'), inGit(name));
        }
      }
    });
  });

  it('follows a .git file, and no other file', () => {
    const directory = join(scratch.path, 'inner');
    mkdirSync(directory);
    const find = (text: string): string | undefined => {
      writeFileSync(join(directory, '.git'), text);
      return GitGuard.find(nodeDisk, directory)?.directory;
    };
    expect(find('gitdir: ../git dir\n')).to.equal(join(scratch.path, 'git dir'));
    expect(find('# made by hand\ngitdir:/elsewhere')).to.equal('/elsewhere');
    for (const text of ['', 'gitdir:\n', 'gitdir:   \n', 'no gitdir: ../git\n'])
      expect(find(text), text).to.equal(undefined);
  });
});
