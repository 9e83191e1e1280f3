import { dirname, sep } from 'node:path';
import { errorCode, openFlags } from './disk.ts';
import type { Disk } from './disk.ts';

export interface ReplaceOptions {
  /** Where the temporary file is created: on the same file system as the target. Default: the target's directory. */
  readonly temporaryDirectory?: string;
  /** Permissions of the new file, less the umask. Default 0o666. */
  readonly mode?: number;
  /** Sync file and directory before returning, so that the new content survives a power failure. Default true. */
  readonly durable?: boolean;
}

let temporaryFiles = 0;

/**
 * Opens a new file with a name that no other process or call uses: pid and a counter; leftover temporary files are
 * skipped.
 */
export function openTemporary(
  disk: Disk,
  directory: string,
  mode = 0o666,
): { readonly path: string; readonly fd: number } {
  for (;;) {
    // Not `join`, which would parse the directory again for every file.
    const path = `${directory}${sep}.${process.pid}-${++temporaryFiles}.tmp`;
    try {
      return { path, fd: disk.open(path, openFlags.create, mode) };
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** Removes a temporary file after a failure, without hiding that failure. */
export function removeQuietly(disk: Disk, path: string): void {
  try {
    disk.remove(path);
  } catch {
    // The next opening removes it.
  }
}

/** Replaces a file atomically: readers and crashes see the old content or the new one. */
export function replaceFile(
  disk: Disk,
  path: string,
  chunks: Uint8Array | Iterable<Uint8Array>,
  options: ReplaceOptions = {},
): void {
  const { temporaryDirectory = dirname(path), mode, durable = true } = options;
  const temporary = openTemporary(disk, temporaryDirectory, mode);
  try {
    try {
      for (const chunk of chunks instanceof Uint8Array ? [chunks] : chunks) disk.write(temporary.fd, chunk);
      if (durable) disk.sync(temporary.fd);
    } finally {
      disk.close(temporary.fd);
    }
    disk.rename(temporary.path, path);
  } catch (error) {
    removeQuietly(disk, temporary.path);
    throw error;
  }
  if (durable) disk.syncDirectory(dirname(path));
}

/**
 * Replaces a file by content that arrives in pieces, durably and yielding to the event loop between pieces: the
 * existing file is kept until the new one is complete. Returns the number of bytes written.
 */
export async function replaceFileAsync(
  disk: Disk,
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { temporaryDirectory = dirname(path), mode }: Omit<ReplaceOptions, 'durable'> = {},
): Promise<number> {
  const temporary = openTemporary(disk, temporaryDirectory, mode);
  let bytes = 0;
  try {
    try {
      for await (const piece of pieces) {
        await disk.writeAsync(temporary.fd, piece);
        bytes += piece.length;
      }
      await disk.dataSyncAsync(temporary.fd);
    } finally {
      disk.close(temporary.fd);
    }
    disk.rename(temporary.path, path);
  } catch (error) {
    removeQuietly(disk, temporary.path);
    throw error;
  }
  disk.syncDirectory(dirname(path));
  return bytes;
}
