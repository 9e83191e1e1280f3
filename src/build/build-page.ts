import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { Plugin } from 'vite';
import { compressBelow } from '../web/compress.ts';

/**
 * Builds the page in `dist/web`. A parent process is sent the modules of the page and of its threads, and the files that it contains as they
 * are: fonts.
 */

const repository = fileURLToPath(new URL('../..', import.meta.url));

const modules: string[] = [];
const lists: Plugin = {
  name: 'lists-modules',
  generateBundle: (_, output) => {
    for (const one of Object.values(output)) {
      if (one.type === 'chunk') modules.push(...Object.keys(one.modules));
      else modules.push(...one.originalFileNames.map((name) => resolve(repository, 'src/web', name)));
    }
  },
};

await build({
  configFile: join(repository, 'src/web/vite.config.ts'),
  logLevel: 'warn',
  plugins: [lists],
  worker: { plugins: () => [lists] },
});
await compressBelow(join(repository, 'dist/web'));
process.send?.(modules);
