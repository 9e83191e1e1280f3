import { appendFileSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { cpuFile } from './cpu-file.ts';

/**
 * Preloaded into every process of a mutation run: MUTATION_FILE, the path of one module, has the text of the file MUTATION_TEXT. Nothing in
 * the work tree changes.
 */
const { MUTATION_FILE: file, MUTATION_TEXT: text, MUTATION_SCRATCH: scratch } = process.env;
if (file !== undefined && text !== undefined) {
  const substituted = pathToFileURL(file).href;
  registerHooks({
    load: (url, context, next) =>
      url === substituted
        ? { format: 'module-typescript', source: readFileSync(text, 'utf8'), shortCircuit: true }
        : next(url, context),
  });
}

if (isMainThread && scratch !== undefined)
  process.once('exit', () => {
    const { user, system } = process.cpuUsage();
    appendFileSync(join(scratch, cpuFile), `${user + system}\n`);
  });
