import type { Disk } from './disk.ts';
import { privateDirectoryMode, privateFileMode } from './root-files.ts';

const others = 0o077;

/**
 * Removes the permissions of other users from a `local/` that an earlier version created without restrictions, or that
 * was created otherwise (a volume). The directory itself is last, since more files may be created while it is
 * accessible. Files that are later moved into the plan keep their mode. Call it only with the root's lock held.
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

/** On a file system without permissions, or for another user's file, nothing changes. */
function setMode(disk: Disk, path: string, mode: number): void {
  try {
    disk.setMode(path, mode);
  } catch {
    // Users who can read it now still can.
  }
}
