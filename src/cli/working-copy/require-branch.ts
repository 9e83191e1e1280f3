import { conflict } from '../../base/errors.ts';
import { git } from '../git/git.ts';

/** Branches that a repository begins with, if neither a remote nor a setting names its default branch. */
const usual: readonly string[] = ['main', 'master'];

/**
 * Throws `conflict` unless a directory is on the branch that its working copy is synchronised on, since a hosted project
 * has one history. `named`: in config.json; default: the repository's default branch. Directories without a repository, or
 * whose default branch is not known, are not checked.
 */
export async function requireBranch(directory: string, named: string | undefined): Promise<void> {
  const head = await git(directory, ['rev-parse', '--symbolic-full-name', 'HEAD']);
  if (!head.ok) return;
  const wanted = named ?? (await defaultBranch(directory));
  const present = head.output === 'HEAD' ? undefined : head.output.replace(/^refs\/heads\//, '');
  if (wanted === undefined || present === wanted) return;
  const where = present === undefined ? 'no branch (a detached HEAD)' : `the branch ${present}`;
  throw conflict(
    `${directory} is on ${where}, and its working copy is synchronised on ${wanted}: check it out, or name another branch as remote.branch in .planner/config.json.`,
    { branch: present ?? null, expected: wanted },
  );
}

async function defaultBranch(directory: string): Promise<string | undefined> {
  const ofRemote = await git(directory, ['rev-parse', '--abbrev-ref', 'refs/remotes/origin/HEAD']);
  if (ofRemote.ok && ofRemote.output.startsWith('origin/')) return ofRemote.output.slice('origin/'.length);
  const setting = await git(directory, ['config', '--get', 'init.defaultBranch']);
  for (const branch of setting.ok ? [setting.output, ...usual] : usual)
    if ((await git(directory, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])).ok) return branch;
  return undefined;
}
