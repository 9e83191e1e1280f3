import { basename, dirname, join } from 'node:path';
import type { Disk } from '../../store/index.ts';
import type { RootConfig } from '../service/root.ts';
import { isNamedBack } from './git-setting.ts';
import { findRoot } from './shared-root.ts';
import { branchOf, isDetached, workingTreeAround } from './working-tree.ts';

/**
 * The file in which a repository's worktrees share their claims, and the data that this worktree writes about itself.
 */
export interface ClaimsPlace {
  /** The common directory of git, absolute. */
  readonly commonDirectory: string;
  /** The shared file in it. */
  readonly path: string;
  readonly place: { readonly root: string; readonly worktree: string; readonly tree: string };
  /** The root is the worktree's own, not the one that the worktrees share. */
  readonly creates: boolean;
  readonly branchOf: (tree: string) => string | null;
  readonly rootExists: (root: string) => boolean;
}

const claimsPath = 'planner/claims.json';

/** `config`: the settings of the root, with `worktrees` as --own sets it. Undefined for a root outside of repositories. */
export async function claimsPlace(disk: Disk, root: string, config: RootConfig): Promise<ClaimsPlace | undefined> {
  const tree = workingTreeAround(disk, dirname(root));
  if (tree === undefined || isDetached(tree) || !(await isNamedBack(disk, tree))) return undefined;
  const { commonDirectory, gitDirectory, directory, isLinked } = tree;
  const directoryOf = (name: string): string =>
    name === '' ? commonDirectory : join(commonDirectory, 'worktrees', basename(name));
  return {
    ...{ commonDirectory, path: claimsPath },
    place: { root, worktree: directory, tree: isLinked ? basename(gitDirectory) : '' },
    creates: config.worktrees === 'own' || (isLinked && !(await isShared(disk, root))),
    branchOf: (name) => branchOf(disk, directoryOf(name)),
    rootExists: (path) => disk.stat(path)?.kind === 'directory',
  };
}

/** Returns whether the other worktrees use a root, too. A service may run over another root, by --root. */
async function isShared(disk: Disk, root: string): Promise<boolean> {
  try {
    return (await findRoot(disk, dirname(root)))?.root === root;
  } catch {
    return false;
  }
}
