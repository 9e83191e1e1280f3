import type { Field } from '../../record/collection.ts';
import { equal } from '../../record/plain.ts';
import type { Link } from '../../record/record.ts';
import { compareWritten, linkMembers, writtenLink } from './written-link.ts';
import type { LinkOptions, WrittenLink } from './written-link.ts';
import { canBeLiteral, isPlain, literal, quoted, scalar } from './yaml-scalar.ts';

const plainKey = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** A plain JSON value on one line. Undefined members are omitted. */
export function flow(value: unknown): string {
  if (typeof value === 'string') return scalar(value, true);
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([key, member]) => `${flowKey(key)}: ${flow(member)}`).join(', ')}}`;
  }
  return constant(value);
}

function flowKey(key: string): string {
  return plainKey.test(key) && isPlain(key, true) ? key : quoted(key);
}

/** A number, boolean or null. */
function constant(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  throw new TypeError(`No file can hold ${typeof value === 'number' ? value : `a value of type ${typeof value}`}.`);
}

/** A link as a flow map on one line. */
export function flowLink(link: WrittenLink): string {
  let text = '';
  for (const member of linkMembers) {
    const value = link[member];
    if (value !== undefined) text += `${text === '' ? '' : ', '}${member}: ${scalar(value, true)}`;
  }
  return `{${text}}`;
}

/** The items of a `texts` or `links` value as written after their dashes, sorted. */
export function listLines(field: Field, value: unknown, options: LinkOptions): string[] {
  if (!Array.isArray(value)) throw new TypeError(`${field.name} must be a list, not ${typeof value}.`);
  if (field.kind === 'links') {
    const links = (value as readonly Link[]).map((link) => writtenLink(link, options));
    return links.sort(compareWritten).map(flowLink);
  }
  return (value as readonly string[]).toSorted().map((text) => scalar(textOf(field, text), false));
}

export function textOf(field: Field, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`${field.name} must be text, not ${value === null ? 'null' : typeof value}.`);
}

/** A value that is not a list as written after `key: `, with the final line ending. */
export function inlineValue(field: Field, value: unknown): string {
  if (value === null) return 'null\n';
  if (field.kind === 'json') return `${flow(value)}\n`;
  if (field.kind !== 'text') return `${constant(value)}\n`;
  const text = textOf(field, value);
  return canBeLiteral(text) ? literal(text, '  ', '\n') : `${scalar(text, false)}\n`;
}

/** A field's lines in their canonical form. */
export function entry(field: Field, value: unknown, options: LinkOptions): string {
  const { name, kind } = field;
  if (value === null || (kind !== 'texts' && kind !== 'links')) return `${name}: ${inlineValue(field, value)}`;
  const lines = listLines(field, value, options);
  return lines.length === 0 ? `${name}: []\n` : `${name}:\n  - ${lines.join('\n  - ')}\n`;
}

/** Returns whether a field's value is written to the file at all. */
export function isWritten(field: Field, value: unknown): boolean {
  return field.always === true || (value !== field.absent && !equal(value, field.absent));
}
