import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Disk } from '../../store/index.ts';
import { git } from '../git/git.ts';
import { readRootConfig, rootIn } from '../service/root.ts';
import { gitSetting, isNamedBack } from './git-setting.ts';
import { rootKey } from './shared-root.ts';
import { isDetached, isSame, workingTreeAround, workingTreesOf } from './working-tree.ts';
import type { WorkingTree } from './working-tree.ts';

/**
 * Names a root in the configuration of its repository, for the linked worktrees; other clones name their own. Returns
 * one line per change; an empty list without a repository or without a change. A setting that names another existing
 * root is kept. A root in a subdirectory is not named: a repository can have several.
 */
export async function nameSharedRoot(disk: Disk, root: string): Promise<readonly string[]> {
  const tree = workingTreeAround(disk, dirname(root));
  if (tree === undefined || isDetached(tree) || tree.directory !== dirname(root)) return [];
  if ((await readRootConfig(root, disk)).worktrees === 'own') return [];
  const { commonDirectory } = tree;
  if (!(await isNamedBack(disk, tree)) && hasOtherMain(disk, tree)) return [];
  const present = await gitSetting(disk, tree, rootKey);
  const named = present === undefined ? undefined : rootIn(present, commonDirectory);
  if (named !== undefined && isSame(disk, named, root)) return [];
  if (named !== undefined && disk.stat(named)?.kind === 'directory')
    return [`git: ${rootKey} names ${named}, which is kept: the worktrees of this repository use that plan.`];
  // On another drive of Windows it is absolute.
  const path = relative(commonDirectory, root);
  const value = isAbsolute(path) ? path : path.split(sep).join('/');
  const { ok, output } = await git(tree.directory, ['config', '--local', rootKey, value]);
  return [
    ok
      ? `git: ${rootKey} names this plan in the repository's configuration; linked worktrees use it`
      : `git: ${rootKey} could not be set (${output}); linked worktrees use the main worktree's plan.`,
  ];
}

/**
 * Returns whether the main worktree of a repository is elsewhere: with --separate-git-dir the repository has no main
 * worktree around it. A link leads to an unknown place.
 */
function hasOtherMain(disk: Disk, { directory, commonDirectory }: WorkingTree): boolean {
  const [main] = workingTreesOf(disk, commonDirectory);
  const isElsewhere = main?.isLinked === false && main.directory !== directory;
  return isElsewhere || disk.stat(join(directory, '.git'))?.kind === 'other';
}
