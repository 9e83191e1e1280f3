import { definition, referenced, type Schema } from './schemas.ts';

/** Our own keywords, and their replacements for other validators. */
const translations: Readonly<Record<string, (value: unknown) => Schema>> = {
  // At least one character: the closest constraint that all validators support.
  notBlank: () => ({ minLength: 1 }),
  // A character has at least one byte.
  maxBytes: (value) => ({ maxLength: value }),
  restOnly: () => ({}),
  // No replacement: responses may contain any text from files, so a pattern would be wrong for them.
  oneLine: () => ({}),
};

const cache = new Map<string, Schema>();

/**
 * A definition made self-contained in plain JSON Schema: references are replaced by their definitions; members next to a reference take
 * precedence. A recursive definition remains a reference, to a `$defs` of the result. Returns the same object for the same name.
 */
export function inlined(name: string): Schema {
  return remember(cache, name, () => translate(inlinedForUs(name)) as Schema);
}

const ownCache = new Map<string, Schema>();

/** The same with our own keywords, for compiling the validators. */
export function inlinedForUs(name: string): Schema {
  return remember(ownCache, name, () => new Inliner().whole(name));
}

const toolCache = new Map<string, Schema>();

/**
 * An input in the form of an agent's tool: self-contained, without members that only REST accepts, and without bounds and patterns, which
 * error messages explain. Validation uses the definition itself.
 */
export function toolSchema(name: string): Schema {
  return remember(toolCache, name, () => light(inlinedForUs(name)) as Schema);
}

function remember(known: Map<string, Schema>, name: string, make: () => Schema): Schema {
  let schema = known.get(name);
  if (schema === undefined) known.set(name, (schema = make()));
  return schema;
}

class Inliner {
  readonly #open: string[] = [];
  readonly #recursive = new Set<string>();

  whole(name: string): Schema {
    const schema = this.#definition(name);
    const kept: Record<string, Schema> = {};
    for (const recursive of this.#recursive) kept[recursive] = new Inliner().#definition(recursive);
    return Object.keys(kept).length === 0 ? schema : { ...schema, $defs: kept };
  }

  #definition(name: string): Schema {
    if (this.#open.includes(name)) {
      this.#recursive.add(name);
      return { $ref: `#/$defs/${name}` };
    }
    this.#open.push(name);
    const schema = this.#replace(definition(name).schema) as Schema;
    this.#open.pop();
    return schema;
  }

  #replace(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#replace(item));
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...beside } = value as Record<string, unknown>;
    const members = Object.fromEntries(Object.entries(beside).map(([key, member]) => [key, this.#replace(member)]));
    return typeof $ref === 'string' ? { ...this.#definition(referenced($ref)), ...members } : members;
  }
}

/** Replaces our own keywords by those of plain JSON Schema. */
export function translate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(translate);
  if (typeof value !== 'object' || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const translation = translations[key];
    if (translation === undefined) result[key] = translate(member);
    else Object.assign(result, translation(member));
  }
  return result;
}

/** The keywords that an agent's tool list omits, in addition to our own. */
const unread = new Set([
  'additionalProperties',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'pattern',
  'maxLength',
  'minLength',
  'maxItems',
  'format',
  'title',
  ...Object.keys(translations),
]);

function light(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => light(item));
  if (typeof value !== 'object' || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (isMap && (member as Schema)['restOnly'] === true) continue;
    if (isMap || !unread.has(key)) result[key] = light(member, !isMap && (key === 'properties' || key === '$defs'));
  }
  return result;
}
