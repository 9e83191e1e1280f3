import type { ErrorObject } from 'ajv/dist/2020.js';
import { fileIdPattern } from '../base/ids.ts';
import { controlCharacterIn } from '../base/printable.ts';
import type { Violation } from '../store/index.ts';

/** `/tasks/3/label` in the form for callers: `tasks[3].label`. */
function fieldPath(pointer: string, member?: string): string {
  const parts = pointer === '' ? [] : pointer.slice(1).split('/').map(unescape);
  if (member !== undefined) parts.push(member);
  return parts.reduce((path, part) => {
    if (/^\d+$/.test(part)) return `${path}[${part}]`;
    return path === '' ? part : `${path}.${part}`;
  }, '');
}

function unescape(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The errors of ajv in the form for callers: each violation once, alternatives as one, unknown members by name. */
export function violationsOf(errors: readonly ErrorObject[]): Violation[] {
  const found = new Map<string, Violation>();
  for (const error of withoutBranches(errors)) {
    const violation = { field: fieldOf(error), message: messageOf(error) };
    const key = `${violation.field}\0${violation.message}`;
    if (!found.has(key)) found.set(key, violation);
  }
  return [...found.values()];
}

/**
 * Reduces the errors of an anyOf or oneOf: keeps the violations of the intended alternative (its `kind`, or at least its type, matches),
 * else one violation that names all alternatives.
 */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  const dropped = new Set<ErrorObject>();
  for (const choice of choices) {
    const inside = errors.filter((error) => error !== choice && isInside(error, choice));
    const branches = Map.groupBy(inside, (error) => error.schemaPath.slice(choice.schemaPath.length + 1).split('/')[0]);
    const intended = [...branches.values()].filter((branch) => !branch.some((error) => isMiss(error, choice)));
    for (const error of inside) if (intended.length !== 1 || !intended[0]?.includes(error)) dropped.add(error);
    if (intended.length === 1) dropped.add(choice);
  }
  return errors.filter((error) => !dropped.has(error));
}

function isInside(error: ErrorObject, choice: ErrorObject): boolean {
  return error.schemaPath.startsWith(`${choice.schemaPath}/`) && error.instancePath.startsWith(choice.instancePath);
}

/** True if the value has another type or another discriminator than the alternative, which is then not the intended one. */
function isMiss(error: ErrorObject, choice: ErrorObject): boolean {
  const depth = error.instancePath.slice(choice.instancePath.length).split('/').length - 1;
  if (error.keyword === 'type') return depth === 0;
  if (error.keyword === 'required') return (error.params as { missingProperty: string }).missingProperty === 'kind';
  return (error.keyword === 'const' || error.keyword === 'enum') && depth <= 1;
}

function fieldOf({ keyword, instancePath, params }: ErrorObject): string {
  const { additionalProperty, missingProperty } = params as { additionalProperty?: string; missingProperty?: string };
  return fieldPath(instancePath, keyword === 'additionalProperties' ? additionalProperty : missingProperty);
}

type Params = Readonly<Record<string, unknown>>;

/** The message for each keyword. */
const messages: Readonly<Record<string, (field: string, params: Params, error: ErrorObject) => string>> = {
  additionalProperties: (field, _, error) => `${field} is not known here. ${knownMembers(error)}`,
  required: (field) => `${field} is missing.`,
  type: (field, { type }) => `${field} must be ${types(type)}.`,
  enum: (field, { allowedValues }) => `${field} must be one of ${listed(allowedValues)}.`,
  const: (field, { allowedValue }) => `${field} must be ${JSON.stringify(allowedValue)}.`,
  minLength: (field, { limit }) => `${field} must have at least ${count(limit, 'character')}.`,
  maxLength: (field, { limit }) => `${field} must have at most ${count(limit, 'character')}.`,
  minItems: (field, { limit }) => `${field} must have at least ${count(limit, 'item')}.`,
  maxItems: (field, { limit }) => `${field} must have at most ${count(limit, 'item')}.`,
  minProperties: (field, { limit }) => `${field} must have at least ${count(limit, 'member')}.`,
  minimum: (field, { limit }) => `${field} must be at least ${limit as number}.`,
  maximum: (field, { limit }) => `${field} must be at most ${limit as number}.`,
  exclusiveMinimum: (field, { limit }) => `${field} must be more than ${limit as number}.`,
  uniqueItems: (field) => `${field} must not contain the same item twice.`,
  pattern: (field, _, error) => `${field} must ${patternMeaning(error)}.`,
  format: (field, { format }) => `${field} must be ${formats[format as string] ?? `a ${format as string}`}.`,
  notBlank: (field) => `${field} must not be blank.`,
  oneLine: (field, _, error) =>
    `${field} must be one line of text without control characters; it contains ${controlCharacterIn(error.data as string)}.`,
  maxBytes: (field, _, error) => `${field} must be at most ${error.schema as number} bytes of UTF-8.`,
  anyOf: (field, _, error) => `${field} must be ${alternatives(error)}.`,
  oneOf: (field, _, error) => `${field} must be ${alternatives(error)}.`,
};

const formats: Readonly<Record<string, string>> = {
  'date-time': 'an ISO 8601 time with its zone: 2026-01-31T12:00:00.000Z',
  date: 'a date: YYYY-MM-DD',
};

const patterns: Readonly<Record<string, string>> = {
  '^#[0-9A-Fa-f]{6}$': 'be a color: # and six hex digits',
  '^[0-9A-Fa-f]{7,40}$': 'be a commit hash: 7 to 40 hex digits',
  '^[A-Za-z0-9_-]{1,64}$': 'be an id: 1 to 64 letters, digits, _ or -',
  [fileIdPattern.source]: 'be an id: 1 to 64 visible characters, as in tsk_4n0c2m8w1x7k9q3f',
};

function messageOf(error: ErrorObject): string {
  const field = fieldOf(error) || 'The input';
  return (
    messages[error.keyword]?.(field, error.params as Params, error) ?? `${field} ${error.message ?? 'is not right'}.`
  );
}

function patternMeaning({ params }: ErrorObject): string {
  const { pattern } = params as { pattern: string };
  return patterns[pattern] ?? `match ${pattern}`;
}

function knownMembers({ parentSchema }: ErrorObject): string {
  const names = Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {});
  return names.length === 0 ? 'Leave it out.' : `Known are ${names.join(', ')}.`;
}

function alternatives({ schema }: ErrorObject): string {
  const forms = (schema as readonly Readonly<Record<string, unknown>>[]).map((branch) => {
    const { kind } = (branch['properties'] ?? {}) as { kind?: { const?: unknown } };
    if (kind?.const !== undefined) return `an object of kind ${JSON.stringify(kind.const)}`;
    return branch['type'] === undefined ? 'another form' : types(branch['type']);
  });
  return [...new Set(forms)].join(' or ');
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

function types(type: unknown): string {
  const names = Array.isArray(type) ? (type as string[]) : String(type).split(',');
  return names.map((name) => typeNames[name] ?? name).join(' or ');
}

function listed(values: unknown): string {
  return (values as readonly unknown[])
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(', ');
}

function count(limit: unknown, noun: string): string {
  return `${limit as number} ${noun}${limit === 1 ? '' : 's'}`;
}
