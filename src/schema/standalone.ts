import standaloneCode from 'ajv/dist/standalone/index.js';
import { inlinedForUs } from './inline.ts';
import { newAjv } from './new-ajv.ts';
import type { Extent, Origin } from './new-ajv.ts';

/** The definitions whose validators are compiled ahead of time. */
export type DefinitionNames = Readonly<Record<Origin, Iterable<string>>>;

/**
 * A module whose `validators` has a function for each definition that creates its validator: unused validators are never evaluated.
 * `keywords` is the path from which the module imports `keywords.ts`.
 */
export function standaloneModule(extent: Extent, names: DefinitionNames, keywords: string): string {
  const imports = new Map<string, string>();
  const origins = (['caller', 'record'] as const).map(
    (origin) => `${origin}: {\n${makersOf(origin, extent, names[origin], imports).join(',\n')}\n}`,
  );
  return [
    `import { fitsBytes, formats, isNotBlank, isOneLine } from ${JSON.stringify(keywords)};`,
    ...[...imports].map(([path, name]) => `import ${name} from ${JSON.stringify(`${path}.js`)};`),
    `export const validators = {\n${origins.join(',\n')}\n};\n`,
  ].join('\n');
}

function makersOf(
  origin: Origin,
  extent: Extent,
  names: Iterable<string>,
  imports: Map<string, string>,
): readonly string[] {
  const ajv = newAjv(origin, extent);
  return [...new Set(names)].map((name) => {
    const code = standaloneCode.default(ajv, ajv.compile(inlinedForUs(name)));
    const [, made = '', body = ''] = exported.exec(code) ?? [];
    if (made === '')
      throw new Error(`ajv's standalone code of ${name} has an unknown beginning: ${code.slice(0, 200)}`);
    return `${name}: () => {\n${withImports(body, imports)}\nreturn ${made};\n}`;
  });
}

/** The statement with which ajv exports a validator from a module. In a function it becomes a return. */
const exported = /^"use strict";export const validate = (\w+);export default \1;(.*)$/s;

/** Modules that ajv's code requires are imported at the top instead. */
function withImports(code: string, imports: Map<string, string>): string {
  return code.replace(/require\("([^"]+)"\)/g, (_, path: string) => {
    const name = imports.get(path) ?? `imported${imports.size}`;
    imports.set(path, name);
    return name;
  });
}
