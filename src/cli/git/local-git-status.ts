import { dirname, join } from 'node:path';
import type { Disk } from '../../store/index.ts';
import { git, isOutsideRepository, namesIn } from './git.ts';
import type { GitResult } from './git.ts';

/** The answer to whether git tracks a `local/`. */
export type LocalGitStatus =
  /** A file in it is tracked. `path`: relative to the top of the working tree. */
  | { readonly kind: 'tracked'; readonly path: string }
  | { readonly kind: 'untracked' }
  /** The directory is in no repository. */
  | { readonly kind: 'outside' }
  /** Git is not installed, and something at `path` looks like a repository. */
  | { readonly kind: 'not_installed'; readonly path: string }
  /** Git failed or timed out. */
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * Checks the repository that contains `local/` itself; this repository differs from the parent directory's if
 * `.planner` is a submodule. A repository of another user is checked too, since its tracked files must be rejected.
 * `local`: absolute, a directory.
 */
export async function localGitStatus(local: string, disk: Disk): Promise<LocalGitStatus> {
  const repository = repositoryAround(local, disk);
  // A process of git takes longer than the rest of most commands. Windows resolves `..` by names, so that only git
  // resolves links correctly.
  if (repository === undefined && process.platform !== 'win32') return { kind: 'outside' };
  const prefix = await git(local, ['rev-parse', '--show-prefix'], { anyOwner: true });
  if (prefix.code === 'ENOENT')
    return repository === undefined ? { kind: 'outside' } : { kind: 'not_installed', path: repository };
  if (isOutsideRepository(prefix)) return { kind: 'outside' };
  if (!prefix.ok) return failed(prefix);
  const place = prefix.bytes.toString().replace(/\/?\n$/, '');
  // From the top, since `icase` does not apply to the prefix: on some disks `.planner/LOCAL` is this directory.
  const pathspec = `:(top,icase,literal)${place}`;
  const options = { anyOwner: true, magicPathspecs: true };
  const listed = await git(local, ['ls-files', '-z', '--full-name', pathspec], options);
  if (!listed.ok) return failed(listed);
  const [path] = namesIn(listed.bytes);
  return path === undefined ? { kind: 'untracked' } : { kind: 'tracked', path };
}

function failed({ code, output }: GitResult): LocalGitStatus {
  return { kind: 'unknown', reason: code === null ? 'it timed out' : output };
}

/**
 * The nearest parent directory that contains a `.git` or looks like a bare repository. The parents are resolved from
 * the directory itself, as git does: the system resolves `..` after symbolic links.
 */
function repositoryAround(directory: string, disk: Disk): string | undefined {
  for (let [at, shown] = [directory, directory]; ; [at, shown] = [`${at}/..`, dirname(shown)]) {
    const has = (name: string): boolean => disk.stat(`${at}/${name}`) !== undefined;
    if (has('.git')) return join(shown, '.git');
    if (['HEAD', 'objects', 'refs'].every(has)) return shown;
    const [own, parent] = [disk.stat(at), disk.stat(`${at}/..`)];
    if (own?.ino === parent?.ino && own?.dev === parent?.dev) return undefined;
  }
}
