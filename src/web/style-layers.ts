import type { Plugin } from 'vite';

/** Their order, in each sheet: the first one that arrives decides it. */
const order = '@layer reset, tokens, ui, view;';

/** The layer of the style sheets below a folder; views, frame and shell share the last layer. */
const layers: readonly (readonly [folder: string, layer: string])[] = [
  ['/node_modules/', 'reset'],
  ['/src/web/ui/', 'ui'],
  ['', 'view'],
];

/**
 * Puts each style sheet that a module imports into its cascade layer, so that the order in which sheets arrive decides
 * nothing.
 */
export function styleLayers(): Plugin {
  return {
    name: 'style-layers',
    enforce: 'pre',
    transform: {
      filter: { id: { include: /\.css$/, exclude: /\/styles\/layers\.css$/ } },
      handler: (css, id) => {
        const [, layer] = layers.find(([folder]) => id.includes(folder))!;
        return { code: `${order}\n@layer ${layer} {\n${css}}\n`, map: null };
      },
    },
  };
}
