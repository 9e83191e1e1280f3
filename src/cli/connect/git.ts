import { git } from '../git.ts';

/** What git says of a path: that it is kept out of commits, that it is not, or that there is no repository to commit it to. */
export type Ignored = 'ignored' | 'not_ignored' | 'tracked' | 'no_repository';

/** Asks git itself, whose rules come from several files. Where git cannot be asked the path counts as not ignored. */
export async function gitIgnores(directory: string, path: string): Promise<Ignored> {
  const inside = await git(directory, ['rev-parse', '--is-inside-work-tree']);
  if (inside.code === 128) return 'no_repository';
  if (inside.code !== 0) return 'not_ignored';
  const tracked = await git(directory, ['ls-files', '--error-unmatch', '--', path]);
  if (tracked.code === 0) return 'tracked';
  return (await git(directory, ['check-ignore', '--quiet', '--', path])).code === 0 ? 'ignored' : 'not_ignored';
}

/** The top of the working tree that a directory lies in; undefined outside of any. */
export async function workingTree(directory: string): Promise<string | undefined> {
  const { ok, output } = await git(directory, ['rev-parse', '--show-toplevel']);
  return ok && output !== '' ? output : undefined;
}
