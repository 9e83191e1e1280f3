import { definition, referenced, type Schema } from './schemas.ts';

/** Keywords of our own, and what replaces them for other validators. */
const translations: Readonly<Record<string, (value: unknown) => Schema>> = {
  // At least one character is the nearest that all of them understand.
  notBlank: () => ({ minLength: 1 }),
  // A character takes a byte or more.
  maxBytes: (value) => ({ maxLength: value }),
  restOnly: () => ({}),
  // What files hold is answered as it is: a pattern beside a name would be wrong of answers.
  oneLine: () => ({}),
};

const cache = new Map<string, Schema>();

/**
 * A definition made self-contained in plain JSON Schema: references are replaced by what they name, members beside them win. A definition
 * that contains itself stays a reference, to a `$defs` of the result. The same object for the same name.
 */
export function inlined(name: string): Schema {
  return remember(cache, name, () => translate(inlinedForUs(name)) as Schema);
}

const ownCache = new Map<string, Schema>();

/** The same with the keywords of our own still in it: what the validators are compiled from. */
export function inlinedForUs(name: string): Schema {
  return remember(ownCache, name, () => new Inliner().whole(name));
}

const toolCache = new Map<string, Schema>();

/**
 * An input as an agent's tool shows it: self-contained, and without what no agent needs to read: members that only REST takes, bounds
 * and patterns that an error would explain. What counts is still the definition itself.
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

/** Puts into the words of plain JSON Schema what our own keywords say. */
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

/** What an agent's listing leaves out, beside the keywords of our own. */
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
