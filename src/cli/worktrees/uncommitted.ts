import { conflict } from '../../base/errors.ts';
import { git, isOutsideRepository, namesIn } from '../git/git.ts';

/**
 * The files below a directory that differ from the last commit, untracked ones included and ignored ones not, as paths relative to it, sorted.
 * Undefined if it is in no repository.
 */
export async function uncommittedBelow(directory: string): Promise<readonly string[] | undefined> {
  const head = await git(directory, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  if (isOutsideRepository(head) || head.code === 'ENOENT') return undefined;
  const files = ['--modified', '--deleted', '--others', '--exclude-standard'];
  const listed = await Promise.all([
    git(directory, ['ls-files', '-z', ...files, '--', '.']),
    // Before the first commit everything in the index is uncommitted.
    head.ok
      ? git(directory, ['diff-index', '-z', '--cached', '--name-only', '--no-renames', '--relative', 'HEAD', '--', '.'])
      : git(directory, ['ls-files', '-z', '--cached', '--', '.']),
  ]);
  const failed = listed.find(({ ok }) => !ok);
  if (failed !== undefined)
    throw conflict(`Git cannot list what is uncommitted in ${directory}: ${failed.output}`, { path: directory });
  return [...new Set(listed.flatMap(({ bytes }) => namesIn(bytes)))].sort();
}
