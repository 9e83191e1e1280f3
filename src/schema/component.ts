import { translate } from './inline.ts';
import { definition, referenced } from './schemas.ts';
import type { Schema } from './schemas.ts';

/** The path of the schemas in an OpenAPI description. */
export const componentPrefix = '#/components/schemas/';

/** A definition in plain JSON Schema, with references in OpenAPI's form: `#/components/schemas/<name>`. */
export function component(name: string): Schema {
  return translate(pointed(definition(name).schema)) as Schema;
}

function pointed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string' ? componentPrefix + referenced(member) : pointed(member),
    ]),
  );
}
