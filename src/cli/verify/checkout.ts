import { join } from 'node:path';
import { conflict } from '../../base/errors.ts';
import { randomName } from '../../base/ids.ts';
import type { Disk } from '../../store/index.ts';
import { makePrivate } from '../../platform/cache-directory.ts';
import { git } from '../git/git.ts';

/** A temporary linked worktree at a commit. */
export interface Checkout {
  /** Absolute. */
  readonly directory: string;
  readonly remove: () => Promise<void>;
}

const msMax = 600_000;

/**
 * Checks a commit out below the user's cache, so that a gate runs over the files that git has. No hook and no filter of the
 * repository runs. `top`: a directory of the repository.
 */
export async function checkOut(disk: Disk, cache: string, top: string, commit: string): Promise<Checkout> {
  const place = join(cache, 'verify');
  makePrivate(cache);
  disk.makeDirectory(place, 0o700);
  await sweep(disk, place);
  const directory = join(place, randomName());
  // The kernel releases it when this process ends, in whatever container or namespace that is.
  const lock = disk.lock(lockOf(directory));
  const removeAll = async (): Promise<void> => {
    await remove(disk, directory);
    lock?.close();
    disk.remove(lockOf(directory));
  };
  const added = await git(top, ['worktree', 'add', '--detach', '--force', directory, commit], { msMax });
  if (added.ok) return { directory, remove: removeAll };
  await removeAll();
  throw conflict(`Git cannot check out ${commit}: ${added.output}`, { exit: 2 });
}

const lockSuffix = '.lock';
const lockOf = (directory: string): string => directory + lockSuffix;

/** Removes the worktrees of processes that died. */
async function sweep(disk: Disk, place: string): Promise<void> {
  for (const { name } of disk.list(place)) {
    if (name.endsWith(lockSuffix)) continue;
    const directory = join(place, name);
    const lock = disk.lock(lockOf(directory));
    if (lock === undefined) continue;
    await remove(disk, directory);
    lock.close();
    disk.remove(lockOf(directory));
  }
}

/** Git removes the worktree with its registration. A directory that it refuses to remove is removed without it. */
async function remove(disk: Disk, directory: string): Promise<void> {
  if (disk.stat(directory) === undefined) return;
  await git(directory, ['worktree', 'remove', '--force', '--force', directory], { msMax });
  disk.removeTree(directory);
}
