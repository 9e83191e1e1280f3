import { findNodeAtLocation, parse, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import { PlannerError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';

const parseOptions = { allowTrailingComma: true };

/** Parses a client's JSON file, which may contain comments. Throws an error that names the file if it is invalid. */
export function readJsonc(text: string, shown: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, parseOptions);
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length;
    throw new PlannerError(
      'conflict',
      `${shown} is not valid JSON (line ${line}: ${printParseErrorCode(error.error)}); it was left as it is. Correct it and run planner connect again.`,
      { path: shown, line },
    );
  }
  if (isObject(value)) return value;
  throw new PlannerError('conflict', `${shown} does not contain a JSON object; it was left as it is.`, { path: shown });
}

/**
 * Sets one member and preserves every other byte: comments, order, indentation, the surrounding lines. An empty text
 * becomes a new file. The text has been read by `readJsonc` before, and every value on the path to the member is an object.
 *
 * `modify` of jsonc-parser was tried in its place with the cases of `edit-json.test.ts`. It formats the members around the new one again, and
 * a comment behind the last member gets behind the new one. After removing the member, 4 of 6 files are not what they were before.
 */
export function setMember(text: string, path: readonly string[], value: unknown): string {
  if (text.trim() === '') return `${written(nested(path, value), '', '  ')}\n`;
  const root = parseTree(text, [], parseOptions)!;
  const present = findNodeAtLocation(root, [...path]);
  const style = styleOf(text);
  if (present !== undefined) {
    const indent = indentAt(text, present.offset);
    return splice(text, present.offset, present.offset + present.length, written(value, indent, style.unit), style);
  }
  let depth = path.length - 1;
  let parent = findNodeAtLocation(root, path.slice(0, depth));
  while (parent?.type !== 'object') parent = findNodeAtLocation(root, path.slice(0, --depth));
  return insertMember(text, parent, path[depth]!, nested(path.slice(depth + 1), value), style);
}

/**
 * Removes one member and preserves every other byte; what `setMember` inserted goes with its comma. An object that is empty then goes as well,
 * unless it is the whole file: that becomes an empty text. Returns the same text if there is no such member.
 */
export function removeMember(text: string, path: readonly string[]): string {
  const root = parseTree(text, [], parseOptions);
  const member = root && findNodeAtLocation(root, [...path])?.parent;
  if (member === undefined) return text;
  const object = member.parent!;
  if (object.children!.length === 1)
    return path.length === 1 ? withoutOnly(text, object, member) : removeMember(text, path.slice(0, -1));
  return withoutMember(text, object, member);
}

/** A file without any other member: empty, unless a comment remains. */
function withoutOnly(text: string, object: Node, member: Node): string {
  const rest = text.slice(0, member.offset) + text.slice(member.offset + member.length);
  if (/^[\s{},]*$/.test(rest)) return '';
  return withoutMember(text, object, member);
}

function withoutMember(text: string, object: Node, member: Node): string {
  const members = object.children!;
  const at = members.indexOf(member);
  const [last, next] = [members[at - 1], members[at + 1]];
  const end = member.offset + member.length;
  const behind = commaIn(text.slice(end, next?.offset ?? object.offset + object.length - 1));
  let [from, to] = [member.offset, behind === -1 ? end : end + behind + 1];
  const lineStart = text.lastIndexOf('\n', from);
  const lineEnd = /^[ \t]*(?=\r?\n)/.exec(text.slice(to));
  if (lineStart !== -1 && text.slice(lineStart, from).trim() === '' && lineEnd !== null) {
    from = text.charAt(lineStart - 1) === '\r' ? lineStart - 1 : lineStart;
    to += lineEnd[0].length;
  } else if (next !== undefined) to = next.offset;
  const shorter = text.slice(0, from) + text.slice(to);
  if (behind !== -1 || last === undefined) return shorter;
  // The removed member was the last one, and the comma before it belonged to it.
  const start = last.offset + last.length;
  const comma = commaIn(text.slice(start, member.offset));
  return comma === -1
    ? shorter
    : shorter.slice(0, start + comma) +
        shorter.slice(Math.min(start + comma + 1, shorter.length)).replace(/^ (?=\})/, '');
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

interface Style {
  readonly unit: string;
  readonly ending: string;
}

/** The file's indentation and line endings. The indentation is two spaces if no line is indented. */
function styleOf(text: string): Style {
  return { unit: /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ', ending: text.includes('\r\n') ? '\r\n' : '\n' };
}

function splice(text: string, from: number, to: number, inserted: string, { ending }: Style): string {
  return text.slice(0, from) + inserted.replaceAll('\n', ending) + text.slice(to);
}

/** The indentation of the line that contains an offset. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? '';
}

function insertMember(
  text: string,
  { offset, length, children = [] }: Node,
  name: string,
  value: unknown,
  style: Style,
): string {
  const close = offset + length - 1;
  const last = children.at(-1);
  const key = `${JSON.stringify(name)}: `;
  const from = last === undefined ? offset + 1 : last.offset + last.length;
  const comma = last === undefined ? -1 : commaIn(text.slice(from, close));
  const base = indentAt(text, close);
  if (!text.slice(from, close).includes('\n')) {
    if (last !== undefined) return splice(text, from, from, `, ${key}${JSON.stringify(value)}`, style);
    const lines = `\n${base}${style.unit}${key}${written(value, base + style.unit, style.unit)}\n${base}`;
    return splice(text, from, close, lines, style);
  }
  const indent = last === undefined ? base + style.unit : indentAt(text, last.offset);
  const member = `\n${indent}${key}${written(value, indent, style.unit)}`;
  // After the comment at the end of the line, if there is one.
  const lineEnd = text.indexOf('\n', comma === -1 ? from : from + comma);
  const at = lineEnd === -1 || lineEnd > close ? from : text.charAt(lineEnd - 1) === '\r' ? lineEnd - 1 : lineEnd;
  const inserted = splice(text, at, at, comma === -1 ? member : `${member},`, style);
  return last === undefined || comma !== -1 ? inserted : splice(inserted, from, from, ',', style);
}

/** The index of the first comma outside comments, or -1. */
function commaIn(text: string): number {
  return text.replace(/\/\/[^\n]*|\/\*[^]*?\*\//g, (comment) => ' '.repeat(comment.length)).indexOf(',');
}

/** Objects have one member per line, lists are on one line. */
function written(value: unknown, indent: string, unit: string): string {
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = indent + unit;
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${written(member, inner, unit)}`,
  );
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
}
