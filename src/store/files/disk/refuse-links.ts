import { conflict } from '../../../base/errors.ts';
import type { Disk } from './disk.ts';
import type { RootLayout } from './root-layout.ts';

/** The maximum nesting of directories in `local/`. */
const depthMax = 3;

/**
 * Throws `conflict` if a root's own directories are links, or if anything in `local/` is a link, a pipe or a device: a
 * repository may contain them, and the service would then write elsewhere. A missing root is accepted.
 */
export function refuseLinks(disk: Disk, { root, projects, local, trash }: RootLayout): void {
  for (const directory of [root, projects, local]) {
    const stat = disk.stat(directory);
    if (stat !== undefined && stat.kind !== 'directory') throw unfit(directory, 'not a directory');
  }
  look(disk, local, trash, depthMax);
}

/** The trash is not checked: its content is only removed, and removing follows no link. */
function look(disk: Disk, directory: string, trash: string, depth: number): void {
  for (const { name, kind } of disk.list(directory)) {
    const path = `${directory}/${name}`;
    if (kind === 'other') throw unfit(path, 'neither a file nor a directory');
    if (kind === 'directory' && path !== trash && depth > 0) look(disk, path, trash, depth - 1);
  }
}

function unfit(path: string, what: string): Error {
  return conflict(
    `${path} is ${what}, but perhaps a symbolic link, and no link is followed here. Put the real file or directory in its place, or remove it.`,
    { path },
  );
}
