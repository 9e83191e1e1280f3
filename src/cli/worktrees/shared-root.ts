import { dirname, join, relative, resolve, sep } from 'node:path';
import { PlannerError, conflict } from '../../base/errors.ts';
import { linkedPart } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';
import { git } from '../git/git.ts';
import { nearestRoot, readRootConfig, rootIn } from '../service/root.ts';
import { gitSetting, isNamedBack } from './git-setting.ts';
import { branchOf, isDetached, isMutual, isOf, workingTreeAround, workingTreesOf } from './working-tree.ts';
import type { WorkingTree } from './working-tree.ts';

export const rootKey = 'planner.root';

/** Why a root was chosen. */
export type RootSource =
  /** The nearest `.planner` upwards: outside of linked worktrees, and if nothing else is found. */
  | 'nearest'
  /** The worktree's own, by `--own` or `"worktrees": "own"`. */
  | 'own'
  /** `git config planner.root`. */
  | 'setting'
  /** The main worktree's. */
  | 'main'
  /** The root of the first listed worktree that has one. */
  | 'listed';

/** The root of the commands that are called in a directory. */
export interface FoundRoot {
  /** The `.planner` directory, absolute. */
  readonly root: string;
  readonly source: RootSource;
}

export interface FindOptions {
  /** The worktree's own files, whatever the repository's worktrees share. */
  readonly own?: boolean | undefined;
}

/**
 * The root of the commands that are called in a directory: the nearest `.planner` upwards or, in a worktree of a
 * repository, the root that its worktrees share. Undefined without a root. A plan in a subdirectory of the worktree has
 * its counterpart in the same subdirectory. Rejects with `conflict` if the repository may not be trusted, and with
 * `not_found` if `planner.root` names a directory that does not exist.
 */
export async function findRoot(
  disk: Disk,
  directory: string,
  { own = false }: FindOptions = {},
): Promise<FoundRoot | undefined> {
  const nearest = nearestRoot(directory, disk);
  const plain = nearest === undefined ? undefined : ({ root: nearest, source: 'nearest' } as const);
  const tree = workingTreeAround(disk, directory);
  if (tree === undefined) return plain;
  const within = nearest !== undefined && isBelow(nearest, tree.directory) ? nearest : undefined;
  const ownRoot = nearest === undefined ? undefined : ({ root: nearest, source: 'own' } as const);
  if (own) return ownRoot;
  const mode = within === undefined ? undefined : (await readRootConfig(within, disk)).worktrees;
  if (mode === 'own') return ownRoot;
  if (isDetached(tree)) throw detached(tree.directory, tree.missing);
  const found = await sharedRoot(disk, tree, within);
  if (found === undefined || found.root === nearest) return found ?? plain;
  // On a branch that is older than the setting, config.json does not contain it.
  const isOwn =
    within !== undefined && mode === undefined && (await readRootConfig(found.root, disk)).worktrees === 'own';
  return isOwn ? ownRoot : found;
}

/** `within`: the nearest root in this working tree. */
async function sharedRoot(disk: Disk, tree: WorkingTree, within: string | undefined): Promise<FoundRoot | undefined> {
  const setting = await gitSetting(disk, tree, rootKey);
  // With --separate-git-dir, too: then the nearest root is the one that the setting names.
  if (!tree.isLinked && (setting === undefined || !(await isNamedBack(disk, tree)))) return undefined;
  await requireTrusted(disk, tree);
  const named = setting === undefined ? undefined : await rootOfSetting(disk, tree, setting, within);
  const place = within === undefined ? '' : relative(tree.directory, dirname(within));
  if (place !== '' && place !== named?.place) {
    const counterpart = await firstRoot(disk, tree, place);
    if (counterpart !== undefined) return counterpart;
  }
  return named?.found ?? (tree.isLinked ? firstRoot(disk, tree, '') : undefined);
}

/** The first working tree of the repository with a `.planner` in a subdirectory. */
async function firstRoot(disk: Disk, tree: WorkingTree, place: string): Promise<FoundRoot | undefined> {
  for (const { directory, isLinked } of await repositoryTrees(disk, tree)) {
    const root = join(directory, place, '.planner');
    if (disk.stat(root)?.kind === 'directory') return { root, source: isLinked ? 'listed' : 'main' };
  }
  return undefined;
}

/** The working trees of a tree's repository; see `workingTreesOf`. */
async function repositoryTrees(disk: Disk, tree: WorkingTree): Promise<readonly WorkingTree[]> {
  const { commonDirectory } = tree;
  // Submodules have this setting.
  const main = await gitSetting(disk, tree, 'core.worktree');
  return workingTreesOf(disk, commonDirectory, main === undefined ? undefined : resolve(commonDirectory, main));
}

interface SettingRoot {
  readonly found: FoundRoot;
  /** Its directory in its working tree. */
  readonly place: string;
}

/** The root that `planner.root` names. The main worktree works without it if it does not exist. */
async function rootOfSetting(
  disk: Disk,
  tree: WorkingTree,
  setting: string,
  within: string | undefined,
): Promise<SettingRoot | undefined> {
  const root = rootIn(setting, tree.commonDirectory);
  const missing = `${rootKey} in ${join(tree.commonDirectory, 'config')} names ${root}`;
  if (disk.stat(root)?.kind !== 'directory') {
    if (!tree.isLinked && within !== undefined) return undefined;
    throw new PlannerError(
      'not_found',
      `${missing}, which does not exist. Name another one (git config ${rootKey} <directory>), or remove the setting (git config --unset ${rootKey}); until then, --root or --own chooses the files.`,
    );
  }
  const place = placeInRepository(disk, tree, root);
  if (place !== undefined) return { found: { root, source: 'setting' }, place };
  throw conflict(
    `${missing}, which is in no worktree of this repository. Use --root or PLANNER_ROOT for a plan elsewhere, and remove the setting: git config --unset ${rootKey}`,
    { path: root },
  );
}

/**
 * The directory of a root in its working tree, if that belongs to the repository: an archive can contain settings that
 * name the plan of another repository. Next to a bare repository it belongs to no working tree.
 */
function placeInRepository(disk: Disk, { commonDirectory }: WorkingTree, root: string): string | undefined {
  const directory = dirname(root);
  if (directory === dirname(commonDirectory)) return '';
  const around = workingTreeAround(disk, directory);
  if (around === undefined || isDetached(around)) return undefined;
  const place = relative(around.directory, root);
  const belongs = isOf(disk, around, commonDirectory) && isMutual(disk, around);
  return belongs && linkedPart(disk, around.directory, place.split(sep).join('/')) === undefined
    ? relative(around.directory, directory)
    : undefined;
}

/** Rejects with `conflict` if the repository is not the user's: then git would not use it either. */
async function requireTrusted(disk: Disk, tree: WorkingTree): Promise<void> {
  const { directory, gitDirectory, commonDirectory } = tree;
  if (!isMutual(disk, tree))
    throw conflict(
      `${join(directory, '.git')} names ${gitDirectory}, which does not name this worktree: it was moved or copied, or is not git's own. Repair it (git worktree repair), or choose the files with --own or --root.`,
      { path: gitDirectory },
    );
  const user = process.getuid?.();
  const files = [join(directory, '.git'), directory, gitDirectory, commonDirectory];
  if (user === undefined || files.every((path) => disk.stat(path)?.uid === user)) return;
  // safe.directory may allow it.
  const { ok, output } = await git(directory, ['rev-parse', '--git-common-dir']);
  if (!ok)
    throw conflict(`Git does not use the repository of ${directory}: ${output}. --own or --root chooses the files.`, {
      path: commonDirectory,
    });
}

function detached(directory: string, missing: string): PlannerError {
  return conflict(
    `${join(directory, '.git')} names ${missing}, which does not exist: the repository was moved or removed. Run git worktree repair in its main worktree, or choose the files with --own or --root.`,
    { path: missing },
  );
}

/** Returns whether a path is below a directory or is it. */
export function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);
}

/** The working tree of a linked worktree without any plan in its repository: where to create one. Undefined: no linked worktree. */
export async function mainOfLinked(disk: Disk, directory: string): Promise<WorkingTree | undefined> {
  const tree = workingTreeAround(disk, directory);
  if (tree === undefined || isDetached(tree) || !tree.isLinked) return undefined;
  await requireTrusted(disk, tree);
  return (await repositoryTrees(disk, tree)).find(({ isLinked }) => !isLinked);
}

/** The branch that is checked out in the working tree of a root, or null. */
export function branchOfRoot(disk: Disk, root: string): string | null {
  const tree = workingTreeAround(disk, dirname(root));
  return tree === undefined || isDetached(tree) ? null : branchOf(disk, tree.gitDirectory);
}
