import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/**
 * Compiled sources are reused by this process and by processes that tests start. Coverage needs code that is compiled
 * without the cache.
 */
const directory = join(import.meta.dirname, '../../node_modules/.cache/compiled');

if (process.env['NODE_V8_COVERAGE'] === undefined) {
  enableCompileCache(directory);
  process.env['NODE_COMPILE_CACHE'] = directory;
}
