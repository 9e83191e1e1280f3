import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/**
 * Compiled sources are reused by this process and by those that tests start: `planner task list` takes 0.8 s of CPU time instead of 1.3 s.
 * With the cache the sources start as fast as the build (0.76 s), and unlike the build they are never stale. Coverage needs code that is
 * compiled without the cache.
 */
const directory = join(import.meta.dirname, '../../node_modules/.cache/compiled');

if (process.env['NODE_V8_COVERAGE'] === undefined) {
  enableCompileCache(directory);
  process.env['NODE_COMPILE_CACHE'] = directory;
}
