import { dirname, join, relative } from 'node:path';
import { conflict } from '../../base/errors.ts';
import type { VerificationBehind } from '../../schema/types.ts';
import { git, isOutsideRepository, requireGit } from '../git/git.ts';
import { commitOf } from '../git/plan-trees.ts';
import { uncommittedBelow } from '../worktrees/uncommitted.ts';
import { exitingWith } from './exiting-with.ts';

/** The repository of the working directory. */
export interface Repository {
  /** The top of the working tree, absolute. */
  readonly top: string;
  /** The directory of the plan's `.planner`, relative to the top of its working tree: gates run there. Often empty. */
  readonly place: string;
}

/** A commit with its tree. */
export interface Commit {
  readonly commit: string;
  readonly tree: string;
}

/** Undefined if the directory is in no repository, or git is not installed. `root`: the `.planner` directory, if the plan has one. */
export async function repositoryAround(directory: string, root: string | undefined): Promise<Repository | undefined> {
  const top = await topOf(directory);
  if (top === undefined) return undefined;
  // Worktrees share the root of the main one: its place there counts in each.
  const above = root === undefined ? undefined : await topOf(dirname(root));
  return { top, place: above === undefined ? '' : relative(above, dirname(root!)) };
}

/** The same. Rejects with `conflict` outside of a repository. `hint`: why one is needed. */
export async function requireRepository(
  directory: string,
  root: string | undefined,
  hint: string,
): Promise<Repository> {
  const repository = await repositoryAround(directory, root);
  if (repository === undefined) throw conflict(`${directory} is in no git repository: ${hint}.`, { exit: 2 });
  return repository;
}

async function topOf(directory: string): Promise<string | undefined> {
  const found = await git(directory, ['rev-parse', '--show-toplevel']);
  if (found.ok) return found.output;
  if (isOutsideRepository(found) || found.code === 'ENOENT') return undefined;
  throw conflict(`Git cannot find the repository of ${directory}: ${found.output}`, { exit: 2 });
}

/** A commit by any name that git knows. Rejects with `not_found` for another text, and with `conflict` before the first commit. */
export function commitNamed({ top }: Repository, name: string): Promise<Commit> {
  return exitingWith(2, async () => {
    const commit = await commitOf(top, name);
    if (commit === undefined) throw conflict(`The repository ${top} has no commit yet.`);
    return { commit, tree: (await requireGit(top, ['rev-parse', '--verify', `${commit}^{tree}`])).output };
  });
}

/** The files that differ from the present commit, untracked ones included, without those of the plan. */
export async function uncommittedIn({ top, place }: Repository): Promise<readonly string[]> {
  const files = await exitingWith(2, () => uncommittedBelow(top));
  const plan = `${planIn(place)}/`;
  return (files ?? []).filter((path) => !path.startsWith(plan));
}

/** The path of the plan from the top, as git has it. */
function planIn(place: string): string {
  return join(place, '.planner').replaceAll('\\', '/');
}

/** The changes of covered files since a commit. */
export type Since =
  | { readonly kind: 'same' }
  /** `commits`: the newest first; none, and no `behind`, if the other commit is not after it. */
  | {
      readonly kind: 'changed';
      readonly commits: readonly ChangingCommit[];
      readonly behind: VerificationBehind | undefined;
    }
  | { readonly kind: 'unknown' };

export interface ChangingCommit {
  readonly commit: string;
  readonly subject: string;
}

/** Commits that are named. */
const namedMax = 20;

/** Compares the covered files of two commits. The plan itself never counts: each proof changes it. */
export async function changedSince(
  repository: Repository,
  proven: string,
  covers: readonly string[],
  at: string,
): Promise<Since> {
  const { top } = repository;
  const specs = pathspecs(repository, covers);
  const differs = await git(top, ['diff-tree', '-r', '--quiet', proven, at, '--', ...specs]);
  if (differs.code === 0) return { kind: 'same' };
  if (differs.code !== 1) {
    const known = await git(top, ['cat-file', '-e', `${proven}^{commit}`]);
    if (!known.ok) return { kind: 'unknown' };
    throw conflict(`Git cannot compare ${proven} with ${at}: ${differs.output}`);
  }
  const listed = async (options: readonly string[], paths: readonly string[]): Promise<string> =>
    (await requireGit(top, ['rev-list', ...options, `${proven}..${at}`, '--', ...paths])).output;
  const output = await listed(['--format=%H%x09%s', `--max-count=${namedMax}`], specs);
  const lines = output.split('\n').filter((line) => line.includes('\t'));
  const commits = lines.map((line) => {
    const [commit = '', ...subject] = line.split('\t');
    return { commit, subject: subject.join('\t') };
  });
  if (commits.length === 0) return { kind: 'changed', commits, behind: undefined };
  const count = async (paths: readonly string[]): Promise<number> => Number(await listed(['--count'], paths));
  const touching = commits.length < namedMax ? commits.length : await count(specs);
  const all = covers.length === 0 ? touching : await count(pathspecs(repository, []));
  return { kind: 'changed', commits, behind: { commits: all, touching } };
}

function pathspecs({ place }: Repository, covers: readonly string[]): readonly string[] {
  const covered = covers.length === 0 ? [':(top)'] : covers.map((entry) => `:(top,glob)${entry}`);
  return [...covered, `:(top,exclude,literal)${planIn(place)}`];
}
