import { isObject } from '../../base/is-object.ts';
/** The part of a JSON Schema, self-contained, that determines the permitted values. */
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
  /** The schema of a JSON text, or of the object that may replace it. */
  readonly contentSchema?: InputSchema;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * The arguments of a tool as their schema means them, for clients that encode the model's output and cannot be
 * corrected by the model: a text that is the JSON of the expected number, boolean, list or object counts as that value;
 * an optional argument that is null where null is no value, or empty where no empty value is permitted, counts as
 * absent. Everything else is left to validation. `changes`: the tool changes fields, which an empty text or list may
 * do; elsewhere an empty value equals an absent one.
 */
export function lenientInput(value: Members, schema: InputSchema, changes: boolean): Members {
  const { properties = {}, required = [] } = branchOf(value, schema);
  const members: [string, unknown][] = [];
  for (const [name, given] of Object.entries(value)) {
    const member = Object.hasOwn(properties, name) ? properties[name]! : {};
    const meant = meaningOf(given, member, changes);
    const isAway = Object.hasOwn(properties, name)
      ? !required.includes(name) && isAbsent(meant, member, changes)
      : isOfOther(name, schema) && (given === null || isEmpty(given));
    if (!isAway) members.push([name, meant]);
  }
  return Object.fromEntries(members);
}

/**
 * Returns whether an alternative has such a member: clients have one schema with the members of all, and some send each
 * of them.
 */
function isOfOther(name: string, { oneOf = [] }: InputSchema): boolean {
  return oneOf.some(({ properties = {} }) => Object.hasOwn(properties, name));
}

function meaningOf(given: unknown, schema: InputSchema, changes: boolean): unknown {
  const types = typesOf(schema);
  const value = typeof given === 'string' ? parsed(given, schema, types) : given;
  if (schema.contentSchema !== undefined)
    return isObject(value) ? meaningOf(value, schema.contentSchema, changes) : value;
  if (Array.isArray(value) && schema.items !== undefined)
    return value.map((item) => meaningOf(item, schema.items!, changes));
  return isObject(value) && (schema.properties ?? schema.oneOf) !== undefined
    ? lenientInput(value, schema, changes)
    : value;
}

/** The value whose JSON a text is, if that has a wanted type; else the text. */
function parsed(text: string, schema: InputSchema, types: ReadonlySet<string>): unknown {
  const trimmed = text.trim();
  // The schema that clients get has one type, so that some of them cannot send null.
  if (trimmed === 'null' && types.size > 0 && (types.has('null') || !admits(trimmed, schema, types))) return null;
  const value = (types.has('array') || types.has('object')) && /^[[{]/.test(trimmed) ? parseJson(trimmed) : undefined;
  if (types.has('array') && Array.isArray(value)) return value;
  if (types.has('object') && isObject(value)) return value;
  return types.size === 0 || types.has('string') ? text : (literal(trimmed, types) ?? text);
}

/** The number or boolean that a text says, or nothing if it is blank; undefined for other texts. */
function literal(text: string, types: ReadonlySet<string>): unknown {
  if (text === '') return '';
  if (types.has('boolean') && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (!types.has('integer') && !types.has('number')) return undefined;
  const number = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

function isAbsent(value: unknown, schema: InputSchema, changes: boolean): boolean {
  const types = typesOf(schema);
  // Unknown cases are left to validation, which names them.
  if (types.size === 0) return false;
  if (value === null) return !types.has('null');
  if (!isEmpty(value)) return false;
  // Null clears a field, so that an empty value means neither null nor "not given".
  return !changes || !(types.has('null') || admits(value, schema, types));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every((member) => member === null || isEmpty(member));
}

/** Returns whether a text, or an empty list or object, is a value that the schema allows. */
function admits(value: unknown, schema: InputSchema, types: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return types.has('array') && (schema.minItems ?? 0) === 0;
  if (isObject(value))
    return types.has('object') && [schema, ...(schema.oneOf ?? [])].every(({ required = [] }) => required.length === 0);
  const text = value as string;
  if (!types.has('string') || types.has('object') || types.has('array')) return false;
  if ((schema.minLength ?? 0) > text.length || schema.format !== undefined) return false;
  if (schema.enum !== undefined && !schema.enum.includes(text)) return false;
  return schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(text);
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
