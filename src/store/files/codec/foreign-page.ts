import { maskBroken } from './broken-entries.ts';
import type { BrokenEntry } from './broken-entries.ts';
import { findFences, looksLikeKeys } from './front-matter.ts';
import type { Node } from './node.ts';
import { lineAt, Unreadable } from './source-text.ts';
import { nodeOf, parseYaml } from './yaml-read.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Lines of YAML that are not YAML: `line`, from 1, is where they begin. */
export interface Repair {
  readonly line: number;
  readonly reason: string;
}

/** The keys of another tool's YAML. Values are texts as they are written (`1.10`, `007`), null, and lists and maps of these. */
export interface ForeignFields {
  readonly fields: Fields;
  readonly repairs: readonly Repair[];
  /** Lines that no value could be read from. */
  readonly unread: readonly string[];
}

/** A Markdown file of another tool. */
export interface ForeignPage extends ForeignFields {
  /** True if it has front matter that could be read; otherwise all of it is the body. */
  readonly hasFields: boolean;
  readonly body: string;
}

/** Reads the front matter of another tool's page as `readForeignYaml` does. Never throws. */
export function readForeignPage(text: string): ForeignPage {
  const whole = { hasFields: false, fields: {}, unread: [], body: text };
  try {
    const fences = findFences(text);
    if (fences === undefined) return { ...whole, repairs: [] };
    const block = text.slice(fences.from, fences.to);
    const read = readForeignYaml(block, lineAt(text, fences.from));
    // Prose between two rules is no front matter.
    if (read === undefined) return { ...whole, repairs: looksLikeKeys(block) ? [unreadable(1, 'It is no map.')] : [] };
    return { ...read, hasFields: true, body: text.slice(fences.bodyStart) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { ...whole, repairs: [unreadable(lineAt(text, error.offset), error.message)] };
  }
}

function unreadable(line: number, reason: string): Repair {
  return { line, reason };
}

/**
 * Reads the keys of a YAML text that begins at a line of its file, from 1. If it is not YAML as a whole, each key is
 * read on its own, and the value of one that is not YAML is the text after its colon. Undefined for a text without
 * keys.
 */
export function readForeignYaml(text: string, firstLine = 1): ForeignFields | undefined {
  // The first line of front matter, after the fence, is empty.
  const isFence = text.startsWith('\n') || text.startsWith('\r\n');
  const block = isFence ? text : `\n${text}`;
  const root = rootOf(block) ?? rootOf(block.replace(atNames, '$1"$2"'));
  if (root !== undefined) return root === 'other' ? undefined : { fields: plainOf(root), repairs: [], unread: [] };
  if (!looksLikeKeys(block)) return undefined;
  const masked = maskBroken(block);
  const rest = rootOf(masked.block);
  if (rest === undefined || masked.broken.length === 0) return undefined;
  const fields = new Map(rest === 'other' ? [] : Object.entries(plainOf(rest)));
  const unread: string[] = [];
  const repairs = masked.broken.map((entry): Repair => {
    const source = block.slice(entry.start, entry.end).trimEnd();
    const value = fields.has(entry.key ?? '') ? undefined : valueOf(source, entry);
    if (value === undefined) unread.push(source);
    else fields.set(entry.key!, value);
    return { line: firstLine + lineAt(block, entry.start) - (isFence ? 1 : 2), reason: entry.error.message };
  });
  return { fields: Object.fromEntries(fields), repairs, unread };
}

/** Names like `@ada`, which tools write without the quotes that YAML requires. */
const atNames = /([:[,-] *)(@[^\s,\]]+)/g;

/** The map in a YAML text; undefined if it is not YAML, `other` if it is something else. */
function rootOf(block: string): Extract<Node, { kind: 'map' }> | 'other' | undefined {
  try {
    const node = nodeOf(parseYaml(block).contents);
    if (node.kind === 'map') return node;
    return node.kind === 'scalar' && node.value === null ? { kind: 'map', keys: [], values: [], at: 0 } : 'other';
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

function plainOf(root: Extract<Node, { kind: 'map' }>): Fields {
  return Object.fromEntries(root.keys.map((key, at) => [key, writtenValue(root.values[at]!)]));
}

function writtenValue(node: Node): unknown {
  if (node.kind === 'list') return node.items.map(writtenValue);
  if (node.kind === 'map') return plainOf(node);
  return node.value === null ? null : node.source;
}

/** The value of an entry that is not YAML: a text, or the items of a list. Undefined if it has no key, or begins a list that has no end. */
function valueOf(source: string, { key }: BrokenEntry): string | readonly string[] | undefined {
  if (key === undefined) return undefined;
  const [first = '', ...more] = source.slice(source.indexOf(':') + 1).split('\n');
  const text = first.trim();
  const items = more.map((line) => /^\s*-\s+(.*)$/.exec(line)?.[1]);
  if (text === '' && items.length > 0 && items.every((item) => item !== undefined)) return items.map(unquoted);
  if (more.length > 0) return [text, ...more].join('\n').trim();
  if (/^\[.*\]$/.test(text)) return text.slice(1, -1).split(',').map(unquoted);
  return /^[[{][^\]}]*$/.test(text) ? undefined : unquoted(text);
}

function unquoted(text: string): string {
  const trimmed = text.trim();
  return /^(["']).*\1$/.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}
