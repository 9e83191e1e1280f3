import { lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makePrivate } from '../platform/cache-directory.ts';

/** The files that the executable contains. */
export interface PackedFiles {
  /** Paths with `/`, relative to the directory that they are unpacked to. */
  readonly paths: readonly string[];
  readonly read: (path: string) => Uint8Array;
}

export interface UnpackOptions extends PackedFiles {
  /** Planner's directory in the user's cache. It and the directory above it are created if they do not exist; it is made private. */
  readonly cache: string;
  /** The directory's name below it: other contents have another name. */
  readonly name: string;
}

const attempts = 5;
/** Errors of `rename` onto a non-empty directory or onto a file; EPERM and EACCES on Windows. */
const taken: readonly unknown[] = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM', 'EACCES'];

/**
 * Unpacks the files once and returns their directory. Every call compares each byte with the executable: a file that was damaged, removed
 * by a cleaner of caches or changed by a program is replaced, with all others, before any of them is loaded. Two processes may call it
 * concurrently: a directory gets its name when it is complete. Throws `UnsafeCacheError` if another user could change the files after they
 * were compared.
 */
export function unpack(options: UnpackOptions): string {
  const { cache, name } = options;
  makePrivate(cache);
  const directory = join(cache, name);
  if (isUnchanged(directory, options)) return directory;
  // Creates it with the mode 0700.
  const made = mkdtempSync(`${directory}.`);
  try {
    writeAll(made, options);
    put(made, directory, options);
    return directory;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function isUnchanged(directory: string, { paths, read }: PackedFiles): boolean {
  try {
    const found = lstatSync(directory);
    if (!found.isDirectory()) return false;
    if (process.getuid !== undefined && (found.uid !== process.getuid() || (found.mode & 0o077) !== 0)) return false;
    return paths.every((path) => readFileSync(join(directory, path)).equals(read(path)));
  } catch {
    // Missing or unreadable: it is unpacked again, which reports errors.
    return false;
  }
}

function writeAll(directory: string, { paths, read }: PackedFiles): void {
  for (const above of new Set(paths.map((path) => dirname(path))))
    mkdirSync(join(directory, above), { recursive: true, mode: 0o700 });
  for (const path of paths) writeFileSync(join(directory, path), read(path), { flag: 'wx', mode: 0o600 });
}

/** Renames a complete directory to its name. An existing directory of that name is used if it is unchanged, and replaced otherwise. */
function put(made: string, directory: string, files: PackedFiles): void {
  for (let attempt = 1; ; attempt++) {
    try {
      renameSync(made, directory);
      return;
    } catch (error) {
      if (isUnchanged(directory, files)) return;
      if (attempt === attempts || !taken.includes((error as NodeJS.ErrnoException).code)) throw error;
    }
    const aside = mkdtempSync(`${directory}.`);
    try {
      renameSync(directory, join(aside, 'replaced'));
    } catch (error) {
      // Another process has moved it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
  }
}
