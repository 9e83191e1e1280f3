import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * Preloaded into every process of a mutation run: MUTATION_FILE, the path of one module, has the text of the file MUTATION_TEXT. Nothing in
 * the work tree changes.
 */
const { MUTATION_FILE: file, MUTATION_TEXT: text } = process.env;
if (file !== undefined && text !== undefined) {
  const substituted = pathToFileURL(file).href;
  registerHooks({
    load: (url, context, next) =>
      url === substituted
        ? { format: 'module-typescript', source: readFileSync(text, 'utf8'), shortCircuit: true }
        : next(url, context),
  });
}
