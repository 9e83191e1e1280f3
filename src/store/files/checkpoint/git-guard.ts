import { dirname, join, resolve, sep } from 'node:path';
import { delay, systemClock } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Problem } from '../../record/read-transaction.ts';
import type { Disk, FileStat } from '../disk/disk.ts';

/** A git operation in the working tree. */
export interface GitOperation {
  /** The name for display: `a merge (MERGE_HEAD)`. */
  readonly what: string;
  /** True while a command runs and changes the tree; false if the operation waits for a person to continue it. */
  readonly running: boolean;
  /** The file in git's directory that indicates it, absolute. */
  readonly path: string;
  /** Its mtime, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** True for a lock so old that its owner has probably ended. It still blocks writes; a person has to remove it. */
  readonly stale: boolean;
}

const staleMilliseconds = 60_000;
/**
 * A directory's mtime reflects a new file only if its clock has ticked since: the kernel's ticks are 1 to 10 ms apart,
 * those of some file systems 2 s. A younger mtime is not relied on.
 */
const tickMillisecondsMax = 2_500;

/** How long an opening waits for a git command, and the interval of its checks. */
const openingWaitMsMax = 10_000;
const openingPollMs = 30;

const pathCharactersMax = 4000;

/** The end of the log that is read for its last line. */
const headLogBytes = 4096;

/** Files in a worktree's git directory while an operation is in progress, in the order of checking. */
const signs: readonly { readonly name: string; readonly what: string }[] = [
  { name: 'index.lock', what: 'a command of git' },
  { name: 'HEAD.lock', what: 'a command of git' },
  { name: 'MERGE_HEAD', what: 'a merge' },
  { name: 'rebase-merge', what: 'a rebase' },
  { name: 'rebase-apply', what: 'a rebase or git am' },
  { name: 'CHERRY_PICK_HEAD', what: 'a cherry-pick' },
  { name: 'REVERT_HEAD', what: 'a revert' },
  { name: 'sequencer', what: 'a cherry-pick or revert' },
  { name: 'BISECT_LOG', what: 'a bisect' },
];

/**
 * Detects git operations in the working tree that contains a directory. All these files are in the worktree's own git
 * directory (for a linked worktree or a submodule: where its `.git` file points), never in the common one.
 */
export class GitGuard {
  /** The git directory of this working tree, absolute. */
  readonly directory: string;
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #indexLock: string;
  /** The stamps of the log of HEAD when it was read last. */
  #headLog: string;
  /** The state of the git directory when none of the files existed. */
  #idleState: { readonly mtimeMs: number; readonly ino: number } | undefined;

  /** Returns undefined if no parent directory is a git working tree. */
  static find(disk: Disk, directory: string, clock: Clock = systemClock): GitGuard | undefined {
    for (let at = resolve(directory); ; at = dirname(at)) {
      const found = gitDirectory(disk, at);
      if (found !== undefined) return new GitGuard(disk, found, clock);
      if (at === dirname(at)) return undefined;
    }
  }

  private constructor(disk: Disk, directory: string, clock: Clock) {
    this.#disk = disk;
    this.directory = directory;
    this.#clock = clock;
    this.#indexLock = join(directory, 'index.lock');
    this.#headLog = this.#stamps('logs/HEAD');
  }

  /** Returns undefined if no operation is in progress. Takes two stats then, since it is called before every rename. */
  currentOperation(): GitOperation | undefined {
    const directory = this.#disk.stat(this.directory);
    if (directory && this.#isUnchangedSinceIdle(directory)) {
      const lock = this.#disk.stat(this.#indexLock);
      return lock && this.#describe(signs[0]!, this.#indexLock, lock);
    }
    return this.#findOperation(directory);
  }

  /** Returns whether a merge or the like waits for a person, whose unmerged files `planner resolve` settles. */
  isMerging(): boolean {
    const work = this.currentOperation();
    return work !== undefined && !work.running && !work.what.startsWith('a bisect');
  }

  /**
   * A fingerprint of git's last change. If two are equal, with no operation in progress at either end, git changed no
   * file of the tree in between.
   */
  fingerprint(): string {
    return this.#stamps('HEAD', 'ORIG_HEAD', 'index', 'logs/HEAD');
  }

  /**
   * Returns whether git has changed files of the tree since the last call, by its log of HEAD: a checkout, merge,
   * rebase or reset, but no commit of the present tree.
   */
  hasChangedTree(): boolean {
    const stamp = this.#stamps('logs/HEAD');
    if (stamp === this.#headLog) return false;
    this.#headLog = stamp;
    const path = this.#at('logs/HEAD');
    const { size = 0 } = this.#disk.stat(path) ?? {};
    const end = this.#disk.readRange(path, Math.max(0, size - headLogBytes), headLogBytes)?.toString() ?? '';
    const [, what = ''] = /\t([^\n]*)\n?$/.exec(end) ?? [];
    return what !== '' && !/^commit\b(?! \(merge\))/.test(what);
  }

  /** A fingerprint that changes with every commit, made or checked out here. */
  lastCommit(): string {
    return this.#stamps('HEAD', 'logs/HEAD', 'COMMIT_EDITMSG');
  }

  /** The path of a file in the git directory. Faster than `join`: the files are looked at before every rename. */
  #at(name: string): string {
    return this.directory + sep + name;
  }

  #stamps(...names: readonly string[]): string {
    const stamps = names.map((name) => {
      const stat = this.#disk.stat(this.#at(name));
      return stat ? `${stat.ino}.${stat.size}.${stat.mtimeMs}` : '';
    });
    return stamps.join(' ');
  }

  /** Each sign is a name in one directory: while the directory's mtime is unchanged, no sign has been added. */
  #isUnchangedSinceIdle({ mtimeMs, ino }: FileStat): boolean {
    return this.#idleState?.mtimeMs === mtimeMs && this.#idleState.ino === ino;
  }

  #findOperation(directory: FileStat | undefined): GitOperation | undefined {
    this.#idleState = undefined;
    for (const sign of signs) {
      const path = this.#at(sign.name);
      const stat = this.#disk.stat(path);
      if (stat) return this.#describe(sign, path, stat);
    }
    const settled = directory && this.#clock.now() - directory.mtimeMs > tickMillisecondsMax;
    if (settled) this.#idleState = { mtimeMs: directory.mtimeMs, ino: directory.ino };
    return undefined;
  }

  #describe(sign: (typeof signs)[number], path: string, { mtimeMs }: FileStat): GitOperation {
    const locked = sign.name.endsWith('.lock');
    const stale = locked && this.#clock.now() - mtimeMs > staleMilliseconds;
    return { what: `${sign.what} (${sign.name})`, running: locked && !stale, path, sinceMs: mtimeMs, stale };
  }
}

/** The git directory if `directory` is the top of a working tree: `.git` itself, or where a `.git` file points. */
function gitDirectory(disk: Disk, directory: string): string | undefined {
  const path = join(directory, '.git');
  const stat = disk.stat(path);
  if (stat === undefined) return undefined;
  if (stat.kind === 'file') {
    const pointed = /^gitdir:(.+)/m.exec(disk.read(path).toString())?.[1]?.trim() ?? '';
    // A longer path is that of no directory, and looking for one fails.
    return pointed === '' || pointed.length > pathCharactersMax ? undefined : resolve(directory, pointed);
  }
  // git accepts a `.git` that is a link to a directory, but not an empty directory.
  return disk.stat(join(path, 'HEAD')) ? path : undefined;
}

/**
 * Waits for the git command that runs, but no longer than some seconds: an opening in the middle of a checkout would take
 * files that are still to be written for deleted ones.
 */
export async function untilGitEnds(git: GitGuard, clock: Clock): Promise<void> {
  const until = clock.monotonic() + openingWaitMsMax;
  while (git.currentOperation()?.running === true && clock.monotonic() < until) await delay(clock, openingPollMs);
}

/** The problem of a lock whose owner has probably ended. */
export function staleGitLock(git: GitGuard | undefined): Problem[] {
  const work = git?.currentOperation();
  if (work?.stale !== true) return [];
  return [
    {
      path: work.path,
      kind: 'stale_git_lock',
      reason: `${work.what} has held this file for more than a minute; nothing is written to record files meanwhile.`,
      remedy: 'Remove the lock once no git command runs any more.',
    },
  ];
}
