import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const loader = fileURLToPath(new URL('./loading/import-code.ts', import.meta.url));

/** Replaces Vite's loader of code that is imported on demand by ours. */
export function codeLoader(): Plugin {
  let isReplaced = false;
  return {
    name: 'code-loader',
    apply: 'build',
    enforce: 'post',
    transform: {
      filter: { id: /vite\/preload-helper/ },
      handler: () => {
        isReplaced = true;
        return { code: `export { importCode as __vitePreload } from ${JSON.stringify(loader)};`, map: null };
      },
    },
    buildEnd(error) {
      if (error === undefined && !isReplaced)
        this.error("Vite's loader of code was not found, so it was not replaced.");
    },
  };
}
