import { conflict } from '../../base/errors.ts';
import { git, isOutsideRepository } from '../git/git.ts';
import type { GitResult } from '../git/git.ts';
import type { Disk } from '../../store/index.ts';
import { workingTreeAround } from '../worktrees/working-tree.ts';

/** The answer of git to whether it ignores a path. */
export type Ignored = 'ignored' | 'not_ignored' | 'tracked' | 'no_repository';

/** Checks with git itself, whose rules come from several files. Rejects with `conflict` and git's message if git fails. */
export async function gitIgnores(disk: Disk, directory: string, path: string): Promise<Ignored> {
  const inside = await git(directory, ['rev-parse', '--is-inside-work-tree']);
  const isOutside = inside.code === 'ENOENT' && workingTreeAround(disk, directory) === undefined;
  if (isOutside || isOutsideRepository(inside)) return 'no_repository';
  if (!inside.ok) throw refused(directory, path, inside);
  const tracked = await git(directory, ['ls-files', '--error-unmatch', '--', path]);
  if (tracked.code === 0) return 'tracked';
  if (tracked.code !== 1) throw refused(directory, path, tracked);
  const ignored = await git(directory, ['check-ignore', '--quiet', '--', path]);
  if (ignored.code !== 0 && ignored.code !== 1) throw refused(directory, path, ignored);
  return ignored.code === 0 ? 'ignored' : 'not_ignored';
}

function refused(directory: string, path: string, { output }: GitResult): Error {
  const message = `Git cannot check whether it would commit ${path} in ${directory}: ${output}. Correct that, and run planner connect again.`;
  return conflict(message, { path });
}

/** The top directory of the working tree that contains a directory, or undefined. */
export async function workingTree(directory: string): Promise<string | undefined> {
  const { ok, output } = await git(directory, ['rev-parse', '--show-toplevel']);
  return ok && output !== '' ? output : undefined;
}
