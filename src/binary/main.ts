import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getAsset, getAssetKeys, getRawAsset } from 'node:sea';
import { cacheDirectory, UnsafeCacheError } from '../platform/cache-directory.ts';
import { directoryAsset, entryFile, filePrefix } from './layout.ts';
import { unpack } from './unpack.ts';

/**
 * The main script of the single executable: unpacks the build to the user's cache and starts it there. Threads, source maps, the page and
 * compiled code need files.
 */

const remedy = 'Set XDG_CACHE_HOME to a directory that is yours and that you can write.';

const directory = unpacked();
// The main script of an executable cannot import files, and neither can its own `require`.
if (directory !== undefined) createRequire(join(directory, entryFile))(`./${entryFile}`);

function unpacked(): string | undefined {
  const cache = cacheDirectory();
  if (cache === undefined) return fail('you have no home directory');
  try {
    return unpack({
      cache,
      name: getAsset(directoryAsset, 'utf8'),
      paths: getAssetKeys()
        .filter((key) => key.startsWith(filePrefix))
        .map((key) => key.slice(filePrefix.length)),
      read: (path) => new Uint8Array(getRawAsset(filePrefix + path)),
    });
  } catch (error) {
    const isExpected = error instanceof UnsafeCacheError || (error as NodeJS.ErrnoException).syscall !== undefined;
    if (!isExpected) throw error;
    return fail((error as Error).message);
  }
}

function fail(reason: string): undefined {
  console.error(`Planner cannot unpack its files: ${reason}. ${remedy}`);
  process.exitCode = 1;
  return undefined;
}
