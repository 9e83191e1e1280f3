import { dirname } from 'node:path';
import type { Disk } from '../../store/index.ts';
import { git } from '../git/git.ts';
import { driverArguments, driverKey, nameKey } from '../git/merge-registration.ts';
import { rootIn } from '../service/root.ts';
import { gitSetting } from './git-setting.ts';
import { rootKey } from './shared-root.ts';
import { isDetached, isSame, workingTreeAround } from './working-tree.ts';

/** Takes the merge driver and the name of a root out of the configuration of its repository. Returns the settings that were removed. */
export async function forgetInGit(disk: Disk, root: string): Promise<readonly string[]> {
  const directory = dirname(root);
  const tree = workingTreeAround(disk, directory);
  if (tree === undefined || isDetached(tree)) return [];
  const driver = await git(directory, ['config', '--local', driverKey]);
  const named = await gitSetting(disk, tree, rootKey);
  const keys = [
    // One of the user's own is kept.
    ...(driver.ok && driver.output.includes(driverArguments) ? [driverKey, nameKey] : []),
    ...(named !== undefined && isSame(disk, rootIn(named, tree.commonDirectory), root) ? [rootKey] : []),
  ];
  const removed: string[] = [];
  for (const key of keys) if ((await git(directory, ['config', '--local', '--unset-all', key])).ok) removed.push(key);
  if (removed.includes(driverKey)) await git(directory, ['config', '--local', '--remove-section', 'merge.planner']);
  return removed;
}
