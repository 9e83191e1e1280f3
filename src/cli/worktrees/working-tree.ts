import { basename, dirname, join, resolve } from 'node:path';
import type { Disk } from '../../store/index.ts';

/**
 * A working tree of a git repository. It is found by reading the files that git reads, because a command must not wait for git at each start.
 * A directory that is shaped like a git directory counts only if a `.git` names it: a clone can contain such a directory.
 */
export interface WorkingTree {
  /** The directory that contains `.git`, absolute. */
  readonly directory: string;
  /** The output of `git rev-parse --git-dir`, absolute. */
  readonly gitDirectory: string;
  /** The output of `git rev-parse --git-common-dir`, absolute. All worktrees of a repository have the same. */
  readonly commonDirectory: string;
  /** True if it is a linked worktree: the two directories differ. */
  readonly isLinked: boolean;
}

/** A `.git` file that names a linked worktree's git directory which does not exist: the repository was moved or removed. */
export interface DetachedTree {
  readonly directory: string;
  /** The directory that `.git` names. */
  readonly missing: string;
}

/** The working tree that contains a directory, or undefined. */
export function workingTreeAround(disk: Disk, directory: string): WorkingTree | DetachedTree | undefined {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const found = workingTreeAt(disk, at);
    if (found !== undefined) return found;
    if (dirname(at) === at) return undefined;
  }
}

export function isDetached(tree: WorkingTree | DetachedTree): tree is DetachedTree {
  return 'missing' in tree;
}

function workingTreeAt(disk: Disk, directory: string): WorkingTree | DetachedTree | undefined {
  const path = join(directory, '.git');
  const kind = disk.stat(path)?.kind;
  // git accepts a `.git` that is a link to a directory.
  if (kind === 'directory' || kind === 'other')
    return isGitDirectory(disk, path, path)
      ? { directory, gitDirectory: path, commonDirectory: path, isLinked: false }
      : undefined;
  const gitDirectory = kind === 'file' ? namedBy(disk, path) : undefined;
  if (gitDirectory === undefined) return undefined;
  const commonDirectory = commonOf(disk, gitDirectory);
  if (isGitDirectory(disk, gitDirectory, commonDirectory))
    return { directory, gitDirectory, commonDirectory, isLinked: commonDirectory !== gitDirectory };
  // A submodule or --separate-git-dir without its repository has no worktrees either.
  return basename(dirname(gitDirectory)) === 'worktrees' ? { directory, missing: gitDirectory } : undefined;
}

/** The directory that a `.git` file names, absolute. */
function namedBy(disk: Disk, file: string): string | undefined {
  const [, named] = /^gitdir: ([^\0]+?)[\r\n]*$/.exec(textOf(disk, file) ?? '') ?? [];
  return named === undefined ? undefined : resolve(dirname(file), named);
}

function commonOf(disk: Disk, gitDirectory: string): string {
  const named = textOf(disk, join(gitDirectory, 'commondir'))?.replace(/[\r\n]+$/, '');
  return named === undefined || named === '' ? gitDirectory : resolve(gitDirectory, named);
}

function isGitDirectory(disk: Disk, gitDirectory: string, common: string): boolean {
  return (
    disk.stat(join(gitDirectory, 'HEAD')) !== undefined &&
    ['objects', 'refs'].every((name) => disk.stat(join(common, name)) !== undefined)
  );
}

const pathBytesMax = 65_536;

/** A small file's text; undefined if it does not exist, cannot be read or is larger than any path. */
function textOf(disk: Disk, path: string): string | undefined {
  const stat = disk.stat(path);
  if (stat?.kind !== 'file' || stat.size > pathBytesMax) return undefined;
  try {
    return disk.readIfExists(path)?.toString();
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a linked worktree and its repository name each other: its git directory is in the repository's
 * `worktrees/` and names this `.git`.
 */
export function isMutual(disk: Disk, { directory, gitDirectory, commonDirectory, isLinked }: WorkingTree): boolean {
  if (!isLinked) return true;
  const named = textOf(disk, join(gitDirectory, 'gitdir'))?.replace(/[\r\n]+$/, '') ?? '';
  return (
    named !== '' &&
    isSame(disk, dirname(gitDirectory), join(commonDirectory, 'worktrees')) &&
    isSame(disk, resolve(gitDirectory, named), join(directory, '.git'))
  );
}

/** Returns whether two paths are one file or directory. */
export function isSame(disk: Disk, one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [disk.stat(one), disk.stat(other)];
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
}

/**
 * The working trees of a repository, with the main worktree first and the others by path, as `git worktree list` shows
 * them. Working trees that do not exist, or do not name the repository, are left out. With --separate-git-dir nothing
 * names the main worktree.
 */
export function workingTreesOf(disk: Disk, commonDirectory: string, mainDirectory?: string): readonly WorkingTree[] {
  const main = [dirname(commonDirectory), ...(mainDirectory === undefined ? [] : [mainDirectory])].find((directory) => {
    const tree = workingTreeAt(disk, directory);
    return tree !== undefined && !isDetached(tree) && !tree.isLinked && isOf(disk, tree, commonDirectory);
  });
  const linked = disk
    .list(join(commonDirectory, 'worktrees'))
    .map(({ name }) => join(commonDirectory, 'worktrees', name))
    .map((entry) => [entry, textOf(disk, join(entry, 'gitdir'))?.replace(/[\r\n]+$/, '') ?? ''] as const)
    .filter(([, named]) => named !== '')
    .map(([entry, named]) => dirname(resolve(entry, named)))
    .sort();
  return [...(main === undefined ? [] : [main]), ...linked].flatMap((directory) => {
    const tree = workingTreeAt(disk, directory);
    const belongs = tree !== undefined && !isDetached(tree) && isOf(disk, tree, commonDirectory);
    return belongs && isMutual(disk, tree) ? [tree] : [];
  });
}

/** Returns whether a working tree belongs to a repository. */
export function isOf(disk: Disk, tree: WorkingTree, commonDirectory: string): boolean {
  return isSame(disk, tree.commonDirectory, commonDirectory);
}

/** The branch that a git directory has checked out; null if its HEAD is detached or unknown. */
export function branchOf(disk: Disk, gitDirectory: string): string | null {
  return /^ref: refs\/heads\/(.+)/.exec(textOf(disk, join(gitDirectory, 'HEAD')) ?? '')?.[1] ?? null;
}
