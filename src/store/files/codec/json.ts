import { parse, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node as JsonNode, ParseError } from 'jsonc-parser';
import type { Field, Shape } from '../../record/collection.ts';
import type { Link } from '../../record/record.ts';
import { hintOf } from './key-hints.ts';
import type { Finding } from './key-hints.ts';
import { layoutOf, valueOf } from './layout.ts';
import { depthMax } from './node.ts';
import { Unreadable } from './source-text.ts';
import { compareWritten, readLink, writtenLink } from './written-link.ts';
import type { LinkOptions, WrittenLink } from './written-link.ts';
import { isWritten, textOf } from './yaml-emit.ts';

type Fields = Record<string, unknown>;

/** The content of a JSON file. */
export interface JsonFile {
  readonly fields: Fields;
  readonly unknown: readonly string[];
  /** Unknown keys that are like known ones. */
  readonly hints: readonly Finding[];
}

const strict = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false } as const;

/** Reads a file's text (without byte order mark). Throws `Unreadable` with an offset in the text. */
export function readJson(shape: Shape, text: string): JsonFile {
  const layout = layoutOf(shape);
  const root = parseObject(text);
  const fields: Fields = {};
  const unknown: string[] = [];
  const hints: Finding[] = [];
  for (const [name, value] of Object.entries(root)) {
    const place = layout.positions.get(name);
    if (place === undefined) {
      unknown.push(name);
      const reason = hintOf(layout, Object.keys(root), name);
      if (reason !== undefined) hints.push({ key: '', offset: offsetOf(text, name), reason });
    } else fields[name] = readField(layout.fields[place]!, value, () => offsetOf(text, name));
  }
  return { fields, unknown, hints };
}

function parseObject(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw firstError(text);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Unreadable(0, 'The file is not a JSON object {…}.');
  if (nestedDeeper(value, depthMax)) throw new Unreadable(0, `The JSON is nested deeper than ${depthMax} levels.`);
  refuseEqualKeys(text, Object.keys(value).length);
  return value as Fields;
}

function nestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => nestedDeeper(member, levels - 1));
}

function firstError(text: string): Unreadable {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, strict);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new Unreadable(0, `The JSON is nested deeper than ${depthMax} levels.`);
  }
  const [first] = errors;
  if (first === undefined) return new Unreadable(0, 'The file is not JSON.');
  const code = printParseErrorCode(first.error);
  if (code === 'InvalidCommentToken') return new Unreadable(first.offset, 'Comments are not allowed in JSON files.');
  const words = code.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
  return new Unreadable(first.offset, `The file is not JSON: ${words}.`);
}

/** JSON.parse silently uses the last of equal keys, which a merge may create. */
function refuseEqualKeys(text: string, count: number): void {
  const members = parseTree(text)?.children ?? [];
  if (members.length === count) return;
  const seen = new Set<unknown>();
  for (const { children } of members) {
    const key = children?.[0];
    if (seen.has(key?.value))
      throw new Unreadable(key?.offset ?? 0, `The key ${JSON.stringify(key?.value)} occurs twice.`);
    seen.add(key?.value);
  }
}

/** The offset of a member's value. */
function offsetOf(text: string, name: string): number {
  const member = parseTree(text)?.children?.find(({ children }) => children?.[0]?.value === name);
  const value: JsonNode | undefined = member?.children?.[1];
  return value?.offset ?? 0;
}

function readField({ name, kind }: Field, value: unknown, at: () => number): unknown {
  if (value === null) return kind === 'texts' || kind === 'links' ? [] : null;
  const invalid = (what: string): Unreadable =>
    new Unreadable(at(), `${name} must be ${what}, not ${nameOfKind(value)}.`);
  if (kind === 'text') {
    if (typeof value !== 'string') throw invalid('text in quotes');
  } else if (kind === 'number' || kind === 'boolean') {
    if (typeof value !== kind) throw invalid(kind === 'number' ? 'a number' : 'true or false');
  } else if (kind === 'texts') {
    const items = typeof value === 'string' ? [value] : value;
    if (!Array.isArray(items) || items.some((item) => typeof item !== 'string')) throw invalid('a list of texts');
    return items;
  } else if (kind === 'links') {
    if (!Array.isArray(value)) throw invalid('a list of links {"to": …}');
    return value.map((item: unknown) => linkOf(item, name, at));
  }
  return value;
}

function nameOfKind(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `the ${typeof value} ${JSON.stringify(value)}`;
}

function linkOf(item: unknown, name: string, at: () => number): WrittenLink {
  if (typeof item === 'string') return { to: item };
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    throw new Unreadable(at(), `${name}: a link is an object {"to": …} or an id.`);
  }
  const read = (member: string): string | null => {
    const value = Object.hasOwn(item, member) ? (item as Fields)[member] : null;
    if (value === null || typeof value === 'string') return value;
    throw new Unreadable(at(), `${name}: ${member} must be text in quotes.`);
  };
  return readLink(read, at(), name);
}

/** A field's value in JSON: lists sorted, links without derived members. */
export function jsonValue(field: Field, value: unknown, links: LinkOptions): unknown {
  if (value === null || field.kind === 'json' || field.kind === 'boolean' || field.kind === 'number') return value;
  if (field.kind === 'text') return textOf(field, value);
  if (!Array.isArray(value)) throw new TypeError(`${field.name} must be a list, not ${typeof value}.`);
  if (field.kind === 'texts') return value.map((text) => textOf(field, text)).sort();
  return (value as readonly Link[]).map((link) => writtenLink(link, links)).sort(compareWritten);
}

/** A record's canonical text. Throws if no file can contain it. */
export function writeJson(shape: Shape, record: Readonly<Fields>, links: LinkOptions): string {
  const members: string[] = [];
  for (const field of layoutOf(shape).fields) {
    const value = valueOf(field, record, '');
    if (isWritten(field, value))
      members.push(`  ${JSON.stringify(field.name)}: ${memberText(field, jsonValue(field, value, links))}`);
  }
  return members.length === 0 ? '{}\n' : `{\n${members.join(',\n')}\n}\n`;
}

/** Links are written one per line; everything else as JSON.stringify indents it. */
function memberText({ name, kind }: Field, value: unknown): string {
  if (kind === 'links' && Array.isArray(value) && value.length > 0) {
    const lines = value.map((link) => `    ${oneLine(link as WrittenLink)}`);
    return `[\n${lines.join(',\n')}\n  ]`;
  }
  const text = JSON.stringify(value, undefined, 2);
  if (text === undefined) throw new TypeError(`${name}: no file can hold ${typeof value}.`);
  return text.replaceAll('\n', '\n  ');
}

function oneLine(link: WrittenLink): string {
  return `{ ${Object.entries(link)
    .map(([member, value]) => `${JSON.stringify(member)}: ${JSON.stringify(value)}`)
    .join(', ')} }`;
}
