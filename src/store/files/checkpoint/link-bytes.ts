import type { AttachmentPlacement } from './checkpoint-job.ts';
import { type Disk, errorCode, openFlags } from '../disk/disk.ts';
import { openTemporary, removeQuietly } from '../disk/replace-file.ts';
import { sha256Of } from '../disk/sha256.ts';

const pieceBytes = 1024 * 1024;
/** Errors of a file system without hard links, or if source and target are on different file systems. */
const cannotLink: readonly string[] = ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES'];

/**
 * Creates a hard link to a file, or copies the bytes if the file system has no links. The new name appears only when
 * the file is complete. An existing file is not replaced (EEXIST).
 */
export function linkOrCopy(disk: Disk, from: string, to: string, temporaryDirectory: string): void {
  try {
    disk.link(from, to);
  } catch (error) {
    if (!cannotLink.includes(errorCode(error) ?? '')) throw error;
    copy(disk, from, to, temporaryDirectory);
  }
}

function copy(disk: Disk, from: string, to: string, temporaryDirectory: string): void {
  disk.makeDirectory(temporaryDirectory);
  const temporary = openTemporary(disk, temporaryDirectory);
  try {
    try {
      for (const piece of pieces(disk, from)) disk.write(temporary.fd, piece);
      disk.sync(temporary.fd);
    } finally {
      disk.close(temporary.fd);
    }
    disk.rename(temporary.path, to);
  } catch (error) {
    removeQuietly(disk, temporary.path);
    throw error;
  }
}

/** Returns whether a file has exactly these bytes. */
export function holdsBytes(disk: Disk, { to, size, sha256 }: AttachmentPlacement): boolean {
  const stat = disk.stat(to);
  if (stat?.kind !== 'file' || stat.size !== size) return false;
  return sha256Of(disk.read(to)) === sha256;
}

function* pieces(disk: Disk, path: string): IterableIterator<Uint8Array> {
  const fd = disk.open(path, openFlags.read);
  try {
    for (let at = 0; ;) {
      const piece = disk.readAt(fd, at, pieceBytes);
      if (piece.length === 0) return;
      yield piece;
      at += piece.length;
    }
  } finally {
    disk.close(fd);
  }
}
