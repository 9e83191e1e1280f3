import type { Disk } from './disk.ts';
import { privateDirectoryMode, privateFileMode } from './root-files.ts';

const others = 0o077;

/**
 * Closes a `local/` to other users that an earlier version left open, or that was made by something else (a volume). The directory itself comes
 * last: while it is open there may be more to close. What waits there to be moved into the plan keeps its mode, for it would take it along. Only for the holder of the root's lock.
 */
export function restrictPermissions(disk: Disk, local: string): void {
  const mode = disk.stat(local)?.mode ?? 0;
  if ((mode & others) === 0) return;
  for (const { name, kind } of disk.list(local))
    if (kind === 'file') setMode(disk, `${local}/${name}`, privateFileMode);
  for (const name of ['journal', 'history']) restrictTree(disk, `${local}/${name}`);
  setMode(disk, local, privateDirectoryMode);
}

/** Follows no link. */
function restrictTree(disk: Disk, directory: string): void {
  if (disk.stat(directory)?.kind !== 'directory') return;
  for (const { name, kind } of disk.list(directory)) {
    if (kind === 'file') setMode(disk, `${directory}/${name}`, privateFileMode);
    else restrictTree(disk, `${directory}/${name}`);
  }
  setMode(disk, directory, privateDirectoryMode);
}

/** A file system without permissions, or a file of another user, stays as it is. */
function setMode(disk: Disk, path: string, mode: number): void {
  try {
    disk.setMode(path, mode);
  } catch {
    // Whoever may read it may do so already.
  }
}
