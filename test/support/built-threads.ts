import { basename, dirname, join } from 'node:path';
import { syncBuiltinESMExports } from 'node:module';
import workerThreads, { Worker } from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';
import { builtProgram } from './build.ts';

/**
 * To be imported before the sources that start threads: threads that load libraries run the build, as processes that
 * tests start do. They load 190 to 340 modules from the sources, which takes up to 115 ms of processor time more, each
 * time. Coverage needs the sources.
 */
const built = ['plan-worker.ts', 'render-worker.ts'];

class BuiltWorker extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    const name = typeof file === 'string' ? basename(file) : '';
    super(built.includes(name) ? join(dirname(builtProgram()), name.replace(/ts$/, 'js')) : file, options);
  }
}

if (process.env['NODE_V8_COVERAGE'] === undefined) {
  workerThreads.Worker = BuiltWorker;
  syncBuiltinESMExports();
}
