import { type Disk, errorCode, type FileStat } from './disk.ts';

/**
 * The first part of a path that is a symbolic link, as a path below `base`, or undefined. Parts that do not exist (yet)
 * are not links. `path` has `/` between its names.
 */
export function linkedPart(disk: Disk, base: string, path: string): string | undefined {
  const parts = path.split('/');
  for (let count = 1; count <= parts.length; count++) {
    const part = parts.slice(0, count).join('/');
    const stat = statOf(disk, `${base}/${part}`);
    if (stat === undefined) return undefined;
    if (stat.kind === 'other') return part;
  }
  return undefined;
}

/** A name that is too long for a file system does not exist. */
function statOf(disk: Disk, path: string): FileStat | undefined {
  try {
    return disk.stat(path);
  } catch (error) {
    if (errorCode(error) === 'ENAMETOOLONG') return undefined;
    throw error;
  }
}
