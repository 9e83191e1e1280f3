import { conflict } from '../../../errors.ts';
import type { Disk } from './disk.ts';
import type { RootLayout } from './root-layout.ts';

/** Directories in `local/` lie in each other so deep. */
const depthMax = 3;

/**
 * Throws `conflict` where a root's own directories are links, or where anything in `local/` is a link, a pipe or a device: a repository may
 * bring them, and what is written there would be written elsewhere. A root that is not there yet is fine.
 */
export function refuseLinks(disk: Disk, { root, projects, local, trash }: RootLayout): void {
  for (const directory of [root, projects, local]) {
    const stat = disk.stat(directory);
    if (stat !== undefined && stat.kind !== 'directory') throw unfit(directory, 'no directory of its own');
  }
  look(disk, local, trash, depthMax);
}

/** What was put into the trash is only ever removed, and removing follows no link. */
function look(disk: Disk, directory: string, trash: string, depth: number): void {
  for (const { name, kind } of disk.list(directory)) {
    const path = `${directory}/${name}`;
    if (kind === 'other') throw unfit(path, 'neither a file nor a directory');
    if (kind === 'directory' && path !== trash && depth > 0) look(disk, path, trash, depth - 1);
  }
}

function unfit(path: string, what: string): Error {
  return conflict(
    `${path} is ${what}, but perhaps a symbolic link, and no link is followed here. Put what belongs there in its place, or remove it.`,
    { path },
  );
}
