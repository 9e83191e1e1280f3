import { git, namesIn, requireGit } from '../git/git.ts';
import { isBefore } from './worktree.ts';

/** The branch that is checked out at the top of a repository, into which others are merged. */
export interface Base {
  readonly name: string;
  readonly commit: string;
}

const prefix = 'refs/heads/';

/** Undefined if no branch is checked out. */
export async function baseOf(top: string): Promise<Base | undefined> {
  const ref = (await git(top, ['rev-parse', '--symbolic-full-name', 'HEAD'])).output;
  if (!ref.startsWith(prefix)) return undefined;
  return { name: ref.slice(prefix.length), commit: (await requireGit(top, ['rev-parse', 'HEAD'])).output };
}

/** The files that two commits change differently. */
export interface Conflict {
  readonly kind: 'conflict';
  readonly files: readonly string[];
}

/** Git cannot merge: the histories have nothing in common, or it is older than 2.38. */
interface Failed {
  readonly kind: 'failed';
  readonly why: string;
}

/** Why there is no merge of two commits. */
export type NoMerge = Conflict | Failed;

/**
 * The commit that has a base and the tip of a branch: the tip itself if it is after the base, else a merge commit. Nothing is checked out,
 * and no hook, filter or merge driver runs.
 */
export async function mergedCommit(
  top: string,
  { commit: base }: Base,
  tip: string,
  message: string,
): Promise<{ readonly commit: string } | NoMerge> {
  if (await isBefore(top, base, tip)) return { commit: tip };
  const merge = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', base, tip] as const;
  const merged = await git(top, merge, { msMax: mergeMsMax });
  // Exit status 1: there are conflicts.
  if (!merged.ok && merged.code !== 1) return { kind: 'failed', why: merged.output.split('\n', 1)[0]! };
  const [tree, ...files] = namesIn(merged.bytes);
  if (!merged.ok) return { kind: 'conflict', files: [...new Set(files)] };
  const made = ['commit-tree', '--no-gpg-sign', tree!, '-p', base, '-p', tip, '-F', '-'] as const;
  return { commit: (await requireGit(top, made, { input: `${message}\n` })).output };
}

const mergeMsMax = 120_000;

/** Why the base cannot be moved with its files. */
export type InTheWay = { readonly kind: 'changed'; readonly files: readonly string[] } | { readonly kind: 'filtered' };

/** Files that differ from the last commit, and that the commits change, prevent a move, and so does a filter, which would have to run. */
export async function inTheWay(top: string, { commit: base }: Base, commit: string): Promise<InTheWay | undefined> {
  const changed = await requireGit(top, ['diff-tree', '-r', '-z', '--name-only', base, commit]);
  const filters = await requireGit(top, ['check-attr', '-z', '--stdin', 'filter'], { input: changed.bytes.toString() });
  if (namesIn(filters.bytes).some((word, at) => at % 3 === 2 && word !== 'unspecified' && word !== 'unset'))
    return { kind: 'filtered' };
  // Files that only look changed, since their times are others, would prevent it, too.
  await git(top, ['update-index', '-q', '--refresh']);
  const tried = await git(top, ['read-tree', '-m', '-u', '--dry-run', base, commit]);
  if (tried.ok) return undefined;
  const names = new Set(namesIn(changed.bytes));
  const files = Array.from(tried.output.matchAll(/'([^'\n]+)'/g), ([, name]) => name!).filter((name) =>
    names.has(name),
  );
  return { kind: 'changed', files };
}

/**
 * Moves the base to a commit that is after it, with its files. Returns why it was not moved; `moved` if the base is another one by now. No
 * hook runs.
 */
export async function moveBase(
  top: string,
  base: Base,
  commit: string,
): Promise<InTheWay | { readonly kind: 'moved' } | undefined> {
  const present = await baseOf(top);
  if (present?.name !== base.name || present.commit !== base.commit) return { kind: 'moved' };
  const obstacle = await inTheWay(top, base, commit);
  if (obstacle !== undefined) return obstacle;
  // A process that dies after the files has moved them towards the next attempt; after the branch alone, they would look like its reversal.
  if (!(await git(top, ['read-tree', '-m', '-u', base.commit, commit])).ok) return { kind: 'moved' };
  if ((await git(top, ['update-ref', '-m', 'planner: merge', 'HEAD', commit, base.commit])).ok) return undefined;
  // The branch moved in this moment: its files come back.
  await git(top, ['read-tree', '-m', '-u', commit, 'HEAD']);
  return { kind: 'moved' };
}
