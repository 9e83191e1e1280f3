import { isCollection, isScalar } from 'yaml';
import type { ParsedNode, Scalar } from 'yaml';

/** The text of a file with the offset of its parsed front matter: nodes' ranges count from `base`. */
export interface YamlSource {
  readonly text: string;
  readonly base: number;
  readonly ending: '\n' | '\r\n';
}

/** Thrown if a value cannot be changed in place. The front matter is then rewritten. */
export class CannotSplice extends Error {}

/** A range of whole lines, including the last line ending. */
export interface Lines {
  readonly start: number;
  readonly end: number;
}

/**
 * The offset after the last character of a node: unlike `range`, never after a comment or blank line that follows it.
 */
export function contentEnd({ base }: YamlSource, node: ParsedNode): number {
  if (!isCollection(node) || node.flow) return base + node.range[1];
  const last = node.items.at(-1) as ParsedNode | { key: ParsedNode; value: ParsedNode | null } | undefined;
  if (last === undefined) throw new CannotSplice();
  if (!('key' in last)) return contentEnd({ base } as YamlSource, last);
  return contentEnd({ base } as YamlSource, last.value ?? last.key);
}

export function isEmptyScalar(node: ParsedNode | null): boolean {
  return node === null || (isScalar(node) && node.type === 'PLAIN' && node.source === '');
}

/** The offset after the colon of a key. */
export function colonEnd({ text, base }: YamlSource, key: Scalar.Parsed): number {
  const from = base + key.range[1];
  const colon = text.indexOf(':', from);
  if (colon === -1 || text.slice(from, colon).trim() !== '') throw new CannotSplice();
  return colon + 1;
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** The end of the line that contains an offset, including its comment and line ending. */
export function lineEnd(text: string, at: number): number {
  // A block scalar ends with its last line.
  if (text.charAt(at - 1) === '\n') return at;
  const end = text.indexOf('\n', at);
  if (end === -1 || !/^\s*(?:#[^\n]*)?$/.test(text.slice(at, end))) throw new CannotSplice();
  return end + 1;
}

/** The lines of `key: value`. */
export function pairLines(source: YamlSource, key: Scalar.Parsed, value: ParsedNode | null): Lines {
  const { text, base } = source;
  const start = lineStart(text, base + key.range[0]);
  if (text.slice(start, base + key.range[0]).trim() !== '') throw new CannotSplice();
  const end = value === null || isEmptyScalar(value) ? colonEnd(source, key) : contentEnd(source, value);
  return { start, end: lineEnd(text, end) };
}

/** The lines of an item of a block list, and the text before its dash. */
export function itemLines(source: YamlSource, item: ParsedNode): Lines & { readonly indent: string } {
  const { text, base } = source;
  // The dash may be on a line of its own.
  const dash = text.slice(0, base + item.range[0]).trimEnd().length - 1;
  const start = lineStart(text, dash);
  const indent = text.slice(start, dash);
  if (text.charAt(dash) !== '-' || indent.trim() !== '') throw new CannotSplice();
  return { start, end: lineEnd(text, contentEnd(source, item)), indent };
}
