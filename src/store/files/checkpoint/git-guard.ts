import { dirname, join, resolve } from 'node:path';
import { systemClock } from '../../../clock.ts';
import type { Clock } from '../../../clock.ts';
import type { Disk, FileStat } from '../disk/disk.ts';

/** What git is doing in the working tree. */
export interface GitAtWork {
  /** For people: `a merge (MERGE_HEAD)`. */
  readonly what: string;
  /** A command runs, and changes the tree; otherwise it is a person who is to go on. */
  readonly running: boolean;
  /** The file in git's directory that says so, absolute. */
  readonly path: string;
  /** When it began, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** A lock that lies there for so long that its owner is probably dead. It holds all the same; a person has to remove it. */
  readonly stale: boolean;
}

const staleMilliseconds = 60_000;
/**
 * A directory's mtime tells of a new file in it only if its clock has ticked since: the kernel's ticks are 1 to 10 ms apart, those of
 * some file systems 2 s. Younger than this, it is not relied on.
 */
const tickMillisecondsMax = 2_500;

/** What lies in a worktree's git directory while git changes the tree or waits for a person to go on, in the order of asking. */
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
 * Looks whether git is at work in the working tree that a directory lies in. All signs lie in the worktree's own git directory (of a
 * linked worktree or a submodule: where its `.git` file points), never in the common one.
 */
export class GitGuard {
  /** Git's directory of this working tree, absolute. */
  readonly directory: string;
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #indexLock: string;
  /** The state of git's directory at which none of the signs was there. */
  #quiet: { readonly mtimeMs: number; readonly ino: number } | undefined;

  /** undefined where no directory upwards is a working tree of git. */
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
  }

  /** undefined while git rests. Two looks at the disk then, for it is asked before every rename. */
  atWork(): GitAtWork | undefined {
    const directory = this.#disk.stat(this.directory);
    if (directory && this.#isQuiet(directory)) {
      const lock = this.#disk.stat(this.#indexLock);
      return lock && this.#describe(signs[0]!, this.#indexLock, lock);
    }
    return this.#look(directory);
  }

  /**
   * A fingerprint of what git did last. Two equal ones with nothing at work at either end: git changed no file of the tree in between.
   */
  mark(): string {
    return this.#stamps('HEAD', 'ORIG_HEAD', 'index', 'logs/HEAD');
  }

  /** A fingerprint that changes with every commit, whether it was made here or moved to. */
  lastCommit(): string {
    return this.#stamps('HEAD', 'logs/HEAD', 'COMMIT_EDITMSG');
  }

  #stamps(...names: readonly string[]): string {
    const stamps = names.map((name) => {
      const stat = this.#disk.stat(join(this.directory, name));
      return stat ? `${stat.ino}.${stat.size}.${stat.mtimeMs}` : '';
    });
    return stamps.join(' ');
  }

  /** Each sign is a name in one directory: while its mtime stands still, none has come. */
  #isQuiet({ mtimeMs, ino }: FileStat): boolean {
    return this.#quiet?.mtimeMs === mtimeMs && this.#quiet.ino === ino;
  }

  #look(directory: FileStat | undefined): GitAtWork | undefined {
    this.#quiet = undefined;
    for (const sign of signs) {
      const path = join(this.directory, sign.name);
      const stat = this.#disk.stat(path);
      if (stat) return this.#describe(sign, path, stat);
    }
    const settled = directory && this.#clock.now() - directory.mtimeMs > tickMillisecondsMax;
    if (settled) this.#quiet = { mtimeMs: directory.mtimeMs, ino: directory.ino };
    return undefined;
  }

  #describe(sign: (typeof signs)[number], path: string, { mtimeMs }: FileStat): GitAtWork {
    const locked = sign.name.endsWith('.lock');
    const stale = locked && this.#clock.now() - mtimeMs > staleMilliseconds;
    return { what: `${sign.what} (${sign.name})`, running: locked && !stale, path, sinceMs: mtimeMs, stale };
  }
}

/** Git's directory where `directory` is the top of a working tree: `.git` itself, or where a `.git` file points. */
function gitDirectory(disk: Disk, directory: string): string | undefined {
  const path = join(directory, '.git');
  const stat = disk.stat(path);
  if (stat === undefined) return undefined;
  if (stat.kind === 'file') {
    const pointed = /^gitdir:(.+)/m.exec(disk.read(path).toString())?.[1]?.trim() ?? '';
    return pointed === '' ? undefined : resolve(directory, pointed);
  }
  // A `.git` that is a link to a directory is one to git too; an empty directory of that name is not.
  return disk.stat(join(path, 'HEAD')) ? path : undefined;
}
