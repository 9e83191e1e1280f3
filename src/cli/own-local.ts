import { basename, dirname } from 'node:path';
import { conflict } from '../errors.ts';
import type { Disk } from '../store/disk.ts';
import { git, namesIn, quietly } from './git.ts';

/**
 * Throws `conflict` where git has something of a root's `local/`: then it came with the repository, and with it keys, sign-ins and a journal
 * that are another's. What lies there is believed, so nothing of it is read before. `root`: the `.planner` directory, absolute.
 */
export async function requireOwnLocal(root: string, disk: Disk): Promise<void> {
  if (disk.stat(`${root}/local`) === undefined) return;
  const [tracked] = await trackedBelow(dirname(root), `${basename(root)}/local`);
  if (tracked === undefined) return;
  throw conflict(
    `git tracks ${tracked}: what lies in local/ is this machine's own, and a repository that brings it could let its author in. ` +
      `Take it out of git (git rm -r --cached ${basename(root)}/local), and remove the directory unless you know that its content is yours.`,
    { path: tracked },
  );
}

/** The files below a path that git tracks; none where there is no repository, or no git. */
async function trackedBelow(directory: string, path: string): Promise<readonly string[]> {
  const { ok, bytes } = await git(directory, [...quietly, 'ls-files', '-z', '--', path]);
  return ok ? namesIn(bytes) : [];
}
