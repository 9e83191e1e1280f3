import { isAlias, isScalar, isSeq, parseDocument } from 'yaml';
import type { Document, ErrorCode, ParsedNode, YAMLError, YAMLMap } from 'yaml';
import { limits } from '../../../base/limits.ts';
import { depthMax } from './node.ts';
import type { MapNode, Node } from './node.ts';
import { Unreadable } from './source-text.ts';

export type YamlDocument = Document.Parsed;

/**
 * YAML 1.2 with the core schema only. `nodeOf` detects equal keys, since the parser's own check is quadratic in their
 * number.
 */
const parseOptions = {
  version: '1.2',
  schema: 'core',
  merge: false,
  uniqueKeys: false,
  stringKeys: true,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/** The parser is quadratic in the nesting depth. Brackets in texts count, too: no real file has this many. */
const openBracketsMax = 1000;

function refuseDeepBrackets(text: string): void {
  if (text.length <= openBracketsMax) return;
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at) | 0x20;
    // [ and { differ in one bit, and so do ] and }.
    if (code === 0x7b) open++;
    else if (code === 0x7d && open > 0) open--;
    if (open > openBracketsMax) throw new Unreadable(at, tooDeep);
  }
}

const tooDeep = 'The front matter is nested too deeply.';

/** Parses one document. Offsets of its ranges, and of errors, count from the beginning of `text`. */
export function parseYaml(text: string): YamlDocument {
  refuseDeepBrackets(text);
  let document: YamlDocument;
  try {
    document = parseDocument(text, parseOptions);
  } catch (error) {
    if (error instanceof RangeError) throw new Unreadable(0, tooDeep);
    throw error;
  }
  const [error] = document.errors;
  if (error !== undefined) throw new Unreadable(error.pos[0], reasonOf(error));
  return document;
}

function reasonOf({ code, message }: YAMLError): string {
  // The parser is recursive and reports a stack overflow.
  if (/call stack/.test(message)) return tooDeep;
  return `This is not YAML: ${reasons[code] ?? otherReason}`;
}

const otherReason = 'write the value in quotes if it is text.';
const inQuotes = 'a text with a colon and a space in it is written in quotes.';

/** The remedies for the errors that occur in front matter. */
const reasons: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_INDENT: 'the line is indented otherwise than those around it, or a bracket is not closed.',
  MISSING_CHAR: 'a quote or a bracket is not closed, or a colon is missing.',
  NON_STRING_KEY: 'a value that begins with { or [ is written in quotes if it is text, as "{{date}}".',
  MULTILINE_IMPLICIT_KEY: 'the line is not a key with a value.',
  BLOCK_AS_IMPLICIT_KEY: inQuotes,
  TAB_AS_INDENT: 'lines are indented with spaces, not with tabs.',
  BAD_SCALAR_START: 'a value that begins with @, ` or % is written in quotes.',
  BAD_DQ_ESCAPE: 'a backslash between double quotes is written twice, or the text in single quotes.',
  MULTIPLE_DOCS: 'it ends in the middle, at a line --- or ....',
};

/**
 * A parsed node without its formatting. Throws for what record files must not have: anchors, aliases, equal keys, too
 * many keys or levels.
 */
export function nodeOf(node: ParsedNode | null, depth = 0): Node {
  if (node === null) return { kind: 'scalar', source: '', value: null, at: 0 };
  const at = node.range[0];
  if (isAlias(node) || node.anchor !== undefined)
    throw new Unreadable(at, 'Anchors and aliases (&, *) are not read in front matter; write the value out.');
  if (depth > depthMax) throw new Unreadable(at, `The front matter is nested deeper than ${depthMax} levels.`);
  if (isScalar(node)) return { kind: 'scalar', source: node.source, value: node.value, at };
  if (isSeq(node))
    return { kind: 'list', items: node.items.map((item) => nodeOf(item as ParsedNode | null, depth + 1)), at };
  return mapOf(node, depth);
}

function mapOf(map: YAMLMap.Parsed, depth: number): MapNode {
  const at = map.range[0];
  const keys: string[] = [];
  const values: Node[] = [];
  if (map.items.length > limits.frontMatterKeysMax) {
    throw new Unreadable(
      at,
      `The front matter has a map of ${map.items.length} keys; at most ${limits.frontMatterKeysMax} are read.`,
    );
  }
  const seen = new Set<string>();
  for (const { key, value } of map.items) {
    const keyNode = nodeOf(key, depth + 1);
    if (keyNode.kind !== 'scalar') throw new Unreadable(keyNode.at, 'A key in the front matter is a single value.');
    if (seen.has(keyNode.source))
      throw new Unreadable(keyNode.at, `The key ${JSON.stringify(keyNode.source)} occurs twice in one map.`);
    seen.add(keyNode.source);
    keys.push(keyNode.source);
    // A key without a value has the offset of the parser's end: the key's own offset is more useful.
    values.push(
      value === null ? { kind: 'scalar', source: '', value: null, at: keyNode.at } : nodeOf(value, depth + 1),
    );
  }
  return { kind: 'map', keys, values, at };
}
