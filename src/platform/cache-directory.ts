import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/**
 * Planner's directory in the user's cache; it need not exist. Undefined if the user has no home directory: none is created. A relative
 * XDG_CACHE_HOME is ignored, as its specification requires.
 */
export function cacheDirectory(): string | undefined {
  try {
    const { XDG_CACHE_HOME: named } = process.env;
    const above = named !== undefined && isAbsolute(named) ? named : join(homedir(), '.cache');
    return existsSync(dirname(above)) ? join(above, 'planner') : undefined;
  } catch {
    // A user without an entry in the system's list.
    return undefined;
  }
}
