import { fileURLToPath } from 'node:url';
import lucide from '@iconify-json/lucide/icons.json' with { type: 'json' };
import { Parser } from 'htmlparser2';
import type { Plugin } from 'vite';
import type { Shape } from './ui/shape.ts';

/** The attributes that all drawings of Lucide share: the `svg` element of the component has them. */
const shared: Readonly<Record<string, string>> = {
  fill: 'none',
  stroke: 'currentColor',
  'stroke-linecap': 'round',
  'stroke-linejoin': 'round',
  'stroke-width': '2',
};

const { icons, aliases }: IconSet = lucide;

interface IconSet {
  /** Icons that Lucide no longer has are hidden. */
  readonly icons: Readonly<Record<string, { readonly body: string; readonly hidden?: boolean }>>;
  readonly aliases: Readonly<Record<string, { readonly parent: string }>>;
}

/** The prefix of the ids of the icons' modules. */
export const iconModule = '\0virtual:lucide/';

/** `virtual:lucide/<name>` is a module of the icon with that name: the page contains the icons that it imports. */
export function iconDrawings(): Plugin {
  const component = JSON.stringify(fileURLToPath(new URL('ui/icon.tsx', import.meta.url)));
  return {
    name: 'icon-drawings',
    resolveId: (id) => (`\0${id}`.startsWith(iconModule) ? `\0${id}` : undefined),
    load: (id) => {
      if (!id.startsWith(iconModule)) return undefined;
      const shapes = JSON.stringify(shapesOf(id.slice(iconModule.length)));
      const code = `import { icon } from ${component};\nexport default /* @__PURE__ */ icon(${shapes});`;
      return { code, moduleType: 'js', moduleSideEffects: false };
    },
  };
}

function shapesOf(name: string): Shape[] {
  const { body, hidden } = icons[aliases[name]?.parent ?? name] ?? {};
  if (body === undefined || hidden) throw new Error(`Lucide has no icon named ${name}.`);
  const shapes: Shape[] = [];
  const parser = new Parser(
    {
      onopentag: (element, given) => {
        const own = Object.entries(given).filter(([attribute, value]) => shared[attribute] !== value);
        if (element !== 'g') shapes.push([element, Object.fromEntries(own)]);
        else if (own.length > 0) throw new Error(`A group of the icon ${name} has its own attributes.`);
      },
    },
    { xmlMode: true },
  );
  parser.end(body);
  return shapes;
}
