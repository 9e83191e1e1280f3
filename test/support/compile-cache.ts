import { enableCompileCache } from 'node:module';
import { compiledCode } from './compiled-code.ts';
import './rare-collections.ts';

/**
 * Compiled sources are reused by this process and by processes that tests start. Coverage needs code that is compiled
 * without the cache.
 */
if (process.env['NODE_V8_COVERAGE'] === undefined) {
  enableCompileCache(compiledCode);
  process.env['NODE_COMPILE_CACHE'] = compiledCode;
}
