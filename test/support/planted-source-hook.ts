import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Preloaded into a process: the module PLANTED_FILE has the text of the file PLANTED_TEXT there. */
const { PLANTED_FILE: file, PLANTED_TEXT: text } = process.env;
if (file !== undefined && text !== undefined) {
  const planted = pathToFileURL(file).href;
  registerHooks({
    load: (url, context, next) =>
      url === planted
        ? { format: 'module-typescript', source: readFileSync(text, 'utf8'), shortCircuit: true }
        : next(url, context),
  });
}
