import type { Disk } from './disk.ts';
import { openFlags } from './disk.ts';
import { privateDirectoryMode, privateFileMode } from './root-files.ts';

/** `open` requests writing if one of these bits is set. */
const writingBits = 3;

/** A disk on which nothing at or below a directory can be changed: such calls fail as on a read-only file system. */
export function readOnlyBelow(disk: Disk, directory: string): Disk {
  const check = (...paths: readonly string[]): void => {
    const path = paths.find((one) => one === directory || one.startsWith(`${directory}/`));
    if (path === undefined) return;
    throw Object.assign(new Error(`EROFS: read-only file system, '${path}'`), {
      code: 'EROFS',
      syscall: 'write',
      path,
    });
  };
  return {
    ...disk,
    makeDirectory: (path, mode) => (disk.stat(path) === undefined && check(path), disk.makeDirectory(path, mode)),
    rename: (from, to) => (check(from, to), disk.rename(from, to)),
    link: (from, to) => (check(from, to), disk.link(from, to)),
    remove: (path) => (check(path), disk.remove(path)),
    removeDirectoryIfEmpty: (path) => (check(path), disk.removeDirectoryIfEmpty(path)),
    removeTree: (path) => (check(path), disk.removeTree(path)),
    setTimes: (path, mtimeMs) => (check(path), disk.setTimes(path, mtimeMs)),
    setMode: (path, mode) => (check(path), disk.setMode(path, mode)),
    open: (path, flags, mode) => {
      if (typeof flags === 'string' ? flags !== 'r' : (flags & writingBits) !== 0) check(path);
      return disk.open(path, flags, mode);
    },
  };
}

/** Directories in `local/` that opening a root does not read: deleted projects, and files of older formats. */
const keptOnly: ReadonlySet<string> = new Set(['trash', 'backup', 'tmp', 'lock', 'lock.json']);
const pieceBytes = 1024 * 1024;

/** Copies the files in `local/` that opening a root reads, accessible to this user alone. Follows no link. */
export function copyLocal(disk: Disk, from: string, to: string, without: ReadonlySet<string> = keptOnly): void {
  disk.makeDirectory(to, privateDirectoryMode);
  for (const { name, kind } of disk.list(from)) {
    if (without.has(name)) continue;
    if (kind === 'directory') copyLocal(disk, `${from}/${name}`, `${to}/${name}`, new Set());
    else if (kind === 'file') copyFile(disk, `${from}/${name}`, `${to}/${name}`);
  }
}

function copyFile(disk: Disk, from: string, to: string): void {
  const fd = disk.open(to, openFlags.create, privateFileMode);
  try {
    for (let offset = 0; ; offset += pieceBytes) {
      const piece = disk.readRange(from, offset, pieceBytes);
      if (piece === undefined || piece.length === 0) return;
      disk.write(fd, piece);
    }
  } finally {
    disk.close(fd);
  }
}
