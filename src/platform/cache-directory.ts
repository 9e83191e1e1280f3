import { chmodSync, existsSync, lstatSync, mkdirSync, readlinkSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** Another user may replace the contents of a directory, which are code. */
export class UnsafeCacheError extends Error {}

/**
 * Planner's directory in the user's cache; it need not exist. Undefined if the user has no home directory, since a home
 * directory is never created. `home`: the home directory if it is not this process's. A relative XDG_CACHE_HOME is ignored, as its specification requires.
 */
export function cacheDirectory(home?: string): string | undefined {
  try {
    const { XDG_CACHE_HOME: named } = process.env;
    const above = named !== undefined && isAbsolute(named) ? named : join(home ?? homedir(), '.cache');
    return existsSync(dirname(above)) ? join(above, 'planner') : undefined;
  } catch {
    // A user without an entry in the system's list.
    return undefined;
  }
}

/**
 * The directory for compiled code below Planner's, made if it does not exist. Undefined if it cannot be written, or if
 * another user may have written to it, since Node loads files from there.
 */
export function compiledDirectory(cache = cacheDirectory()): string | undefined {
  if (cache === undefined) return undefined;
  try {
    makePrivate(cache);
    const directory = join(cache, 'compiled');
    makeUnlessThere(directory);
    requireSafe(directory);
    return directory;
  } catch {
    return undefined;
  }
}

/**
 * Makes a directory, and the one above it, unless they exist; it is for its user alone from then on. Throws `UnsafeCacheError` if another user
 * may replace it.
 */
export function makePrivate(directory: string): void {
  // Not recursively: on file systems like /proc, Node's recursive mkdir does not return.
  for (const one of [dirname(directory), directory]) makeUnlessThere(one);
  const { uid, mode } = statSync(directory);
  if (uid === process.getuid?.() && (mode & 0o077) !== 0) chmodSync(directory, 0o700);
  requireSafe(directory);
}

function makeUnlessThere(directory: string): void {
  const isThere = (): boolean => statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere()) return;
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (!isThere()) throw error;
  }
}

/**
 * Throws `UnsafeCacheError` if a user except the current one and root may replace a directory: an owner of it or of a
 * directory or link on the way to it, or a user who may write to one of these. Windows gives each user's directories to
 * that user.
 */
function requireSafe(directory: string): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  for (let at = directory; ; at = dirname(at)) {
    const found = lstatSync(at);
    if (found.uid !== user && found.uid !== 0) throw new UnsafeCacheError(`${at} belongs to another user`);
    if (found.isSymbolicLink()) requireSafe(resolve(dirname(at), readlinkSync(at)));
    else requireUnwritable(at, found);
    if (dirname(at) === at) return;
  }
}

function requireUnwritable(directory: string, { mode }: Stats): void {
  // The sticky bit of a directory lets only the owner of an entry rename it.
  if ((mode & 0o022) === 0 || (mode & 0o1000) !== 0) return;
  const who = (mode & 0o002) === 0 ? 'the group' : 'every user';
  throw new UnsafeCacheError(`${who} may replace the contents of ${directory}`);
}
