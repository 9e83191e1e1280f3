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

/** Inlines a schema with our own keywords, for compiling the validators. */
export function inlinedForUs(name: string): Schema {
  return remember(ownCache, name, () => new Inliner().whole(name));
}

const toolCache = new Map<string, Schema>();

/**
 * An input in the form of an agent's tool: self-contained, without members that only REST accepts, and without bounds and patterns, which
 * error messages explain. It has only what every provider of models takes: one `type` in each schema, closed objects, and no alternatives.
 * Validation uses the definition itself, which may allow more. `isChange`: null clears a member, and its description says so.
 */
export function toolSchema(name: string, isChange = false): Schema {
  return remember(toolCache, `${name} ${isChange}`, () => {
    const { description: _, ...whole } = toolForm(inlinedForUs(name), isChange);
    return whole;
  });
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

/** Replaces our own keywords by keywords of plain JSON Schema. */
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

type Properties = Readonly<Record<string, Schema>>;

/**
 * A schema as every provider takes it. Objects without fixed members are texts there, since a JSON text counts as its
 * value.
 */
function toolForm(given: Schema, isChange: boolean): Schema {
  const schema = given['oneOf'] === undefined ? given : merged(given, given['oneOf'] as readonly Schema[]);
  const { items, properties, required, minItems } = schema;
  const isNullable = allowsNull(schema);
  const type = oneType(schema);
  const description = describe(schema, isChange && isNullable);
  const values = ((schema['enum'] ?? [schema['const']]) as readonly unknown[]).filter((one) => one != null);
  return {
    type,
    ...(description === undefined ? {} : { description }),
    ...(values.length === 0 ? {} : { enum: values }),
    ...(type === 'array'
      ? { items: toolForm(items as Schema, false), ...(minItems === undefined ? {} : { minItems }) }
      : {}),
    ...(type === 'object'
      ? { properties: toolMembers(properties as Properties, isChange), required, additionalProperties: false }
      : {}),
  };
}

function toolMembers(properties: Properties, isChange: boolean): Properties {
  const members = Object.entries(properties).filter(([, member]) => member['restOnly'] !== true);
  return Object.fromEntries(members.map(([name, member]) => [name, toolForm(member, isChange)]));
}

/** The alternatives of an object as one object, with the members that all of them require. */
function merged({ oneOf: _, ...beside }: Schema, branches: readonly Schema[]): Schema {
  const properties: Record<string, Schema> = {};
  for (const branch of branches)
    for (const [name, member] of Object.entries(branch['properties'] as Properties)) {
      const values = [properties[name]?.['enum'], member['const']].flat().filter((one) => one !== undefined);
      properties[name] = values.length === 0 ? member : { enum: values };
    }
  const lists = branches.map(({ required }) => new Set(required as readonly string[]));
  const required = [...lists[0]!].filter((name) => lists.every((list) => list.has(name)));
  return { ...beside, type: 'object', properties, required };
}

function typesOf({ type, enum: values, const: value }: Schema): readonly string[] {
  if (type !== undefined) return Array.isArray(type) ? (type as string[]) : [type as string];
  return [...new Set(((values ?? [value]) as readonly unknown[]).map((one) => (one === null ? 'null' : typeof one)))];
}

function allowsNull(schema: Schema): boolean {
  return typesOf(schema).includes('null');
}

function oneType(schema: Schema): string {
  const types = typesOf(schema).filter((type) => type !== 'null');
  if (types.includes('array')) return 'array';
  if (types.includes('object')) return schema['properties'] === undefined ? 'string' : 'object';
  return types[0]!;
}

function describe(schema: Schema, isCleared: boolean): string | undefined {
  const description = schema['description'] as string | undefined;
  if (!isCleared || description?.includes('null') === true) return description;
  return description === undefined ? 'null clears it.' : `${description} null clears it.`;
}
