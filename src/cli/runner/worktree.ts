import { dirname, join, resolve } from 'node:path';
import { conflict } from '../../base/errors.ts';
import { randomName } from '../../base/ids.ts';
import type { Disk } from '../../store/index.ts';
import { makePrivate } from '../../platform/cache-directory.ts';
import { git, requireGit } from '../git/git.ts';
import { mergeBaseOf } from '../git/plan-trees.ts';
import { uncommittedBelow } from '../worktrees/uncommitted.ts';

/** The linked worktree of a task, on a branch of its own. */
export interface TaskWorktree {
  /** Absolute. */
  readonly directory: string;
  readonly branch: string;
  /** The commit of the base at which the branch began. */
  readonly base: string;
}

const msMax = 600_000;
const slugCharactersMax = 40;

/** The branch of a task. Work on it goes on from there the next time. */
export function branchOf({ id, label }: { readonly id: string; readonly label: string }): string {
  const words = label.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const slug = words.join('-').slice(0, slugCharactersMax).replace(/-$/, '');
  return `planner/${id.slice(-4)}${slug === '' ? '' : `-${slug}`}`;
}

/** Plans the worktree of a branch, below the user's cache. Nothing is made. `base`: where it begins if it is new. */
export async function planWorktree(
  cache: string,
  { top, base, branch }: { readonly top: string; readonly base: string; readonly branch: string },
): Promise<TaskWorktree> {
  const directory = join(cache, 'run', `${branch.slice('planner/'.length)}-${randomName()}`);
  // An earlier attempt may have begun at an older base.
  return {
    directory,
    branch,
    base: (await isKnown(top, branch)) ? await mergeBaseOf(top, base, `refs/heads/${branch}`) : base,
  };
}

const isKnown = async (top: string, branch: string): Promise<boolean> => (await tipOf(top, branch)) !== undefined;

/** Checks a branch out: a new one at its base, or the one of an earlier attempt. A worktree that is there stays as it is. */
export async function makeWorktree(
  disk: Disk,
  { cache, top }: { readonly cache: string; readonly top: string },
  { directory, branch, base }: TaskWorktree,
): Promise<void> {
  if (disk.stat(directory) !== undefined) return;
  makePrivate(cache);
  disk.makeDirectory(dirname(directory), 0o700);
  // A worktree whose directory is gone still counts as one that has its branch checked out.
  await git(top, ['worktree', 'prune']);
  const made = (await isKnown(top, branch))
    ? await git(top, ['worktree', 'add', directory, branch], { msMax })
    : await git(top, ['worktree', 'add', '-b', branch, directory, base], { msMax });
  if (!made.ok) throw conflict(`Git cannot make a worktree for ${branch}: ${made.output}`, { exit: 2 });
}

/** Commits all that differs in a worktree as it is. Returns the commit of its branch. */
export async function commitAll({ directory }: TaskWorktree, message: string): Promise<string> {
  const head = (await requireGit(directory, ['rev-parse', 'HEAD'])).output;
  const files = (await uncommittedBelow(directory)) ?? [];
  if (files.length === 0) return head;
  const input = files.map((file) => `${file}\0`).join('');
  await requireGit(directory, ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], { input });
  const tree = (await requireGit(directory, ['write-tree'])).output;
  const made = ['commit-tree', '--no-gpg-sign', tree, '-p', head, '-F', '-'] as const;
  const commit = (await requireGit(directory, made, { input: `${message}\n` })).output;
  await requireGit(directory, ['update-ref', '-m', `commit: ${message.split('\n', 1)[0]!}`, 'HEAD', commit, head]);
  return commit;
}

/** Removes the locks of git programs that were killed with their agent: none of it works in the worktree any more. */
export async function removeLocks(disk: Disk, { directory, branch }: TaskWorktree): Promise<void> {
  const names = ['index.lock', 'HEAD.lock', `refs/heads/${branch}.lock`];
  const { output } = await requireGit(directory, ['rev-parse', ...names.flatMap((name) => ['--git-path', name])]);
  for (const path of output.split('\n').map((name) => resolve(directory, name)))
    if (disk.stat(path) !== undefined) disk.remove(path);
}

/** The files and lines that a branch changes since its base. */
export async function diffStat(
  { directory, base }: TaskWorktree,
  commit: string,
): Promise<{ readonly files: number; readonly insertions: number; readonly deletions: number }> {
  const { output } = await requireGit(directory, ['diff-tree', '-r', '--numstat', '--no-renames', base, commit]);
  const rows = output.split('\n').filter((line) => line.includes('\t'));
  const sum = (column: number): number =>
    rows.reduce((total, line) => total + (Number(line.split('\t')[column]) || 0), 0);
  return { files: rows.length, insertions: sum(0), deletions: sum(1) };
}

/** The commits of a branch since its base, the newest first. */
export async function commitsOf({ directory, base }: TaskWorktree, head: string): Promise<readonly string[]> {
  const { output } = await requireGit(directory, ['rev-list', '--max-count=50', `${base}..${head}`]);
  return output.split('\n').filter((line) => line !== '');
}

/** Returns whether a commit is in the history of another one. An unknown commit is not. */
export function isBefore(top: string, commit: string, other: string): Promise<boolean> {
  return areBefore(top, [commit], other);
}

/** Returns whether all of these commits are in the history of another one. */
export async function areBefore(top: string, commits: readonly string[], other: string): Promise<boolean> {
  if (commits.length === 0) return true;
  // On standard input there may be any number of them.
  const listed = await git(top, ['rev-list', '--max-count=1', '--stdin'], {
    input: [...commits, `^${other}`].map((one) => `${one}\n`).join(''),
  });
  return listed.ok && listed.output === '';
}

/**
 * Removes a worktree. Its commits stay on the branch; a branch without a commit that is not merged is removed, too. Files that are not
 * committed keep the worktree: nothing that is not in git is deleted.
 */
export async function removeWorktree(
  disk: Disk,
  top: string,
  { directory, branch, base }: TaskWorktree,
): Promise<void> {
  if (disk.stat(directory) === undefined) return;
  const { bytes } = await requireGit(directory, ['ls-files', '-z', '--modified', '--others', '--exclude-standard']);
  if (bytes.length > 0) return;
  const removed = await git(top, ['worktree', 'remove', directory, '--force'], { msMax });
  if (!removed.ok) return;
  if ((await tipOf(top, branch)) === base) await git(top, ['update-ref', '-d', `refs/heads/${branch}`, base]);
  else await removeMergedBranch(top, branch);
}

/** The last commit of a branch; undefined if there is no such branch. */
export async function tipOf(top: string, branch: string): Promise<string | undefined> {
  const tip = await git(top, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]);
  return tip.ok ? tip.output : undefined;
}

/** Removes a branch whose commits are all in the present one. Returns why it is kept; undefined if there is none. */
export async function removeMergedBranch(top: string, branch: string): Promise<string | undefined> {
  const tip = await tipOf(top, branch);
  if (tip === undefined) return undefined;
  if (!(await isBefore(top, tip, 'HEAD'))) return 'it has commits that are not merged';
  const worktrees = (await requireGit(top, ['worktree', 'list', '--porcelain'])).output.split('\n\n');
  const around = worktrees.find((lines) => lines.split('\n').includes(`branch refs/heads/${branch}`));
  if (around !== undefined) return `it is checked out in ${around.split('\n', 1)[0]!.slice('worktree '.length)}`;
  await requireGit(top, ['update-ref', '-d', `refs/heads/${branch}`, tip]);
  return undefined;
}
