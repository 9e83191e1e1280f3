/** The part of a JSON Schema, self-contained, that says what a value may be. */
export interface InputSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, InputSchema>>;
  readonly required?: readonly string[];
  readonly items?: InputSchema;
  readonly oneOf?: readonly InputSchema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly minItems?: number;
}

/** What the arguments of a tool are for, which decides what an empty one means. */
export interface Purpose {
  /** An empty filter is no filter. */
  readonly reads: boolean;
  /** Null clears a field, so that an empty text beside it is neither that nor "not given". */
  readonly changes: boolean;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * The arguments of a tool as their schema means them, for clients that encode what a model wrote and cannot be corrected by it: a text that
 * is the JSON of the number, boolean, list or object that is wanted is that; an optional argument that is null where null is no value, or
 * empty where nothing empty is one, was not given. Everything else is left to validation.
 */
export function lenientInput(input: Members, schema: InputSchema, purpose: Purpose): Members {
  return membersOf(input, schema, purpose);
}

function membersOf(value: Members, schema: InputSchema, purpose: Purpose): Members {
  const { properties = {}, required = [] } = branchOf(value, schema);
  const members: [string, unknown][] = [];
  for (const [name, given] of Object.entries(value)) {
    const member = Object.hasOwn(properties, name) ? properties[name]! : {};
    const meant = meaningOf(given, member, purpose);
    if (required.includes(name) || !isAbsent(meant, member, purpose)) members.push([name, meant]);
  }
  return Object.fromEntries(members);
}

function meaningOf(given: unknown, schema: InputSchema, purpose: Purpose): unknown {
  const types = typesOf(schema);
  const value = typeof given === 'string' ? parsed(given, types) : given;
  if (Array.isArray(value) && schema.items !== undefined)
    return value.map((item) => meaningOf(item, schema.items!, purpose));
  return isObject(value) && (schema.properties ?? schema.oneOf) !== undefined
    ? membersOf(value, schema, purpose)
    : value;
}

/** The value whose JSON a text is, if that has a wanted type; else the text. */
function parsed(text: string, types: ReadonlySet<string>): unknown {
  const trimmed = text.trim();
  if (types.has('array') || types.has('object')) {
    const value = /^[[{]/.test(trimmed) ? parseJson(trimmed) : undefined;
    if (types.has('array') && Array.isArray(value)) return value;
    // A text beside an object is that object's JSON, which the operation reads itself.
    if (types.has('object') && !types.has('string') && isObject(value)) return value;
  }
  if (types.size === 0 || types.has('string')) return text;
  if (trimmed === 'null') return null;
  if (types.has('boolean') && /^(?:true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  if (!types.has('integer') && !types.has('number')) return text;
  const number = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : Number.NaN;
  return Number.isFinite(number) ? number : text;
}

function isAbsent(value: unknown, schema: InputSchema, { reads, changes }: Purpose): boolean {
  const types = typesOf(schema);
  // What is not known here is left to validation, which names it.
  if (types.size === 0) return false;
  if (value === null) return !types.has('null');
  if (!isEmpty(value)) return false;
  return (reads || !admitsEmpty(value, schema)) && !(changes && types.has('null'));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** Whether an empty text, list or object is a value that the schema allows. */
function admitsEmpty(value: unknown, schema: InputSchema): boolean {
  const types = typesOf(schema);
  if (Array.isArray(value)) return types.has('array') && (schema.minItems ?? 0) === 0;
  if (isObject(value))
    return types.has('object') && [schema, ...(schema.oneOf ?? [])].every(({ required = [] }) => required.length === 0);
  if (!types.has('string') || types.has('object') || types.has('array')) return false;
  if ((schema.minLength ?? 0) > 0 || schema.format !== undefined) return false;
  if (schema.enum !== undefined && !schema.enum.includes('')) return false;
  return schema.pattern === undefined || new RegExp(schema.pattern, 'u').test('');
}

function typesOf({ type, enum: values, const: value, oneOf = [] }: InputSchema): ReadonlySet<string> {
  const own = type === undefined ? [] : typeof type === 'string' ? [type] : type;
  const listed = [...(values ?? []), ...(value === undefined ? [] : [value])];
  const named = own.length > 0 ? own : listed.map((one) => (one === null ? 'null' : typeof one));
  return new Set([...named, ...oneOf.flatMap((branch) => [...typesOf(branch)])]);
}

/** The alternative of an object that its constant members name, else the schema itself. */
function branchOf(value: Members, schema: InputSchema): InputSchema {
  const fits = ({ properties = {} }: InputSchema): boolean =>
    Object.entries(properties).every(([name, member]) => member.const === undefined || member.const === value[name]);
  return schema.oneOf?.find(fits) ?? schema;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
