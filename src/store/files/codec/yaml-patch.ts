import { isMap, isScalar } from 'yaml';
import type { ParsedNode, Scalar, YAMLMap } from 'yaml';
import type { Field } from '../../record/collection.ts';
import { equal } from '../../record/plain.ts';
import type { Layout } from './layout.ts';
import { plainValue } from './node.ts';
import type { BrokenEntry } from './broken-entries.ts';
import type { FieldChange } from './same-value.ts';
import { Unreadable } from './source-text.ts';
import type { Edit } from './splice.ts';
import type { LinkOptions } from './written-link.ts';
import { entry, flow, inlineValue, isWritten, listLines } from './yaml-emit.ts';
import { patchList } from './yaml-list-patch.ts';
import { CannotSplice, colonEnd, contentEnd, isEmptyScalar, pairLines } from './yaml-range.ts';
import type { Lines, YamlSource } from './yaml-range.ts';
import { nodeOf } from './yaml-read.ts';
import { canBeLiteral, doubleQuoted, literal, scalar, singleQuoted } from './yaml-scalar.ts';

/** A key of the front matter with its value and position. */
interface Pair {
  readonly key: Scalar.Parsed;
  readonly value: ParsedNode | null;
  readonly lines: Lines;
}

/** The input for changing a map whose keys are on lines of their own. */
export interface MapPatch {
  readonly source: YamlSource;
  readonly layout: Layout;
  /** Undefined if there are only comments. */
  readonly map: YAMLMap.Parsed | undefined;
  /** Lines that are not YAML. */
  readonly broken: readonly BrokenEntry[];
  /** The start of the closing fence's line. */
  readonly end: number;
  readonly links: LinkOptions;
}

/**
 * The edits that change values of the front matter in place. Throws `CannotSplice` if the way in which it is written
 * does not allow that.
 */
export function patchMap(patch: MapPatch, changes: readonly FieldChange[]): Edit[] {
  const { source, map, links } = patch;
  if (map?.flow) throw new CannotSplice();
  const pairs = new Map<string, Pair>();
  for (const { key, value } of map?.items ?? []) {
    if (!isScalar(key)) throw new CannotSplice();
    pairs.set(key.source, { key, value, lines: pairLines(source, key, value) });
  }
  return changes.flatMap(({ field, value }) => {
    const pair = pairs.get(field.name) ?? aliasPair(patch, pairs, field);
    if (pair === undefined) return replaceBroken(patch, pairs, field, value);
    if (!isWritten(field, value)) return [{ ...pair.lines, text: '' }];
    if (isEmptyScalar(pair.value)) return [fillIn(source, field, pair, value, links)];
    try {
      return replaceValue(patch, field, pair, value);
    } catch (error) {
      // An ignored value cannot be changed in part.
      if (!(error instanceof CannotSplice || error instanceof Unreadable)) throw error;
      return [{ ...pair.lines, text: canonicalLines(patch, pairs, field, value) }];
    }
  });
}

/** The pair with the field's second name, which is read as long as there is none with its first name. */
function aliasPair({ layout }: MapPatch, pairs: ReadonlyMap<string, Pair>, { alias }: Field): Pair | undefined {
  return alias !== undefined && layout.aliases.has(alias) ? pairs.get(alias) : undefined;
}

/** The field's lines in the place of those with its key that are not YAML, if there are such lines. */
function replaceBroken(patch: MapPatch, pairs: ReadonlyMap<string, Pair>, field: Field, value: unknown): Edit[] {
  const { source, broken } = patch;
  const wrong = broken.filter(({ key }) => key === field.name);
  const [first] = wrong;
  if (first === undefined) return [insertion(patch, pairs, field, value)];
  const text = isWritten(field, value) ? canonicalLines(patch, pairs, field, value) : '';
  return wrong.map((one) => {
    const start = source.base + one.start;
    // The line ending before the closing fence does not belong to the block.
    const end = source.text.indexOf('\n', source.base + one.end - 1) + 1;
    return { start, end, text: one === first ? text : '' };
  });
}

/** A field's lines, indented like the other keys. */
function canonicalLines(
  { source, links }: MapPatch,
  pairs: ReadonlyMap<string, Pair>,
  field: Field,
  value: unknown,
): string {
  const [first] = pairs.values();
  const indent = first === undefined ? '' : source.text.slice(first.lines.start, source.base + first.key.range[0]);
  const lines = entry(field, value, links).split('\n').slice(0, -1);
  return lines.map((line) => (line === '' ? '' : indent + line) + source.ending).join('');
}

/** A new key follows the nearest key before it in the shape, else precedes the nearest key after it. */
function insertion(patch: MapPatch, pairs: ReadonlyMap<string, Pair>, field: Field, value: unknown): Edit {
  const { layout, end } = patch;
  const place = layout.positions.get(field.name)!;
  const before = layout.fields.slice(0, place).findLast(({ name }) => pairs.has(name));
  const behind = layout.fields.slice(place + 1).find(({ name }) => pairs.has(name));
  const at = before ? pairs.get(before.name)!.lines.end : behind ? pairs.get(behind.name)!.lines.start : end;
  return { start: at, end: at, text: canonicalLines(patch, pairs, field, value) };
}

/** Adds a value on the line of a `key:` without one. */
function fillIn(source: YamlSource, field: Field, { key }: Pair, value: unknown, links: LinkOptions): Edit {
  const at = colonEnd(source, key);
  const isList = field.kind === 'texts' || field.kind === 'links';
  const text = isList ? flowList(field, value, links) : oneLine(field, value);
  return { start: at, end: at, text: ` ${text}` };
}

function flowList(field: Field, value: unknown, links: LinkOptions): string {
  return field.kind === 'texts'
    ? flow((value as readonly string[]).toSorted())
    : `[${listLines(field, value, links).join(', ')}]`;
}

function oneLine(field: Field, value: unknown): string {
  return typeof value === 'string' && field.kind === 'text'
    ? scalar(value, false)
    : inlineValue(field, value).trimEnd();
}

function replaceValue({ source, links }: MapPatch, field: Field, { key, value: held }: Pair, value: unknown): Edit[] {
  const node = held!;
  if (field.kind === 'texts' || field.kind === 'links') {
    if (Array.isArray(value) && value.length > 0) return patchList(source, field, node, value, links);
    return [wholeValue(source, key, node, value === null ? 'null' : '[]')];
  }
  if (!isScalar(node)) return patchJson(source, key, node, value);
  const [start, end] = [source.base + node.range[0], source.base + node.range[1]];
  if (field.kind !== 'text' || typeof value !== 'string')
    return [{ start, end, text: oneLine(field, value) + lineEndOf(source, end) }];
  return [{ start, end, text: respelled(source, key, node, value) }];
}

/** The new text in the quotes or block style of the old one, if possible. */
function respelled(source: YamlSource, key: Scalar.Parsed, node: Scalar.Parsed, text: string): string {
  const { base, ending } = source;
  const end = lineEndOf(source, base + node.range[1]);
  if (node.type === 'QUOTE_DOUBLE') return doubleQuoted(text);
  if (node.type === 'QUOTE_SINGLE') return singleQuoted(text) ?? doubleQuoted(text);
  if (end === '' || !canBeLiteral(text)) return scalar(text, false) + end;
  const keyIndent = source.text.slice(source.text.lastIndexOf('\n', base + key.range[0]) + 1, base + key.range[0]);
  return literal(text, `${keyIndent}  `, ending);
}

/** A block scalar's range includes its last line ending: its replacement needs one, too. */
function lineEndOf({ text, ending }: YamlSource, end: number): string {
  return text.charAt(end - 1) === '\n' ? ending : '';
}

/** Changes a map with unchanged keys value by value, anything else as a whole, on one line. */
function patchJson(source: YamlSource, key: Scalar.Parsed, node: ParsedNode, value: unknown): Edit[] {
  return memberEdits(source, node, value) ?? [wholeValue(source, key, node, flow(value))];
}

function memberEdits(source: YamlSource, node: ParsedNode, value: unknown): Edit[] | undefined {
  if (equal(plainValue(nodeOf(node), ''), value)) return [];
  if (isMap(node)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const names = node.items.map(({ key }) => (isScalar(key) ? key.source : ''));
    if (names.length !== Object.keys(value).length || !names.every((name) => Object.hasOwn(value, name)))
      return undefined;
    const edits = node.items.map(
      (pair, i) => pair.value && memberEdits(source, pair.value, (value as Record<string, unknown>)[names[i]!]),
    );
    return edits.includes(undefined) || edits.includes(null) ? undefined : (edits as Edit[][]).flat();
  }
  if (!isScalar(node) || isEmptyScalar(node) || node.type?.startsWith('BLOCK')) return undefined;
  return [{ start: source.base + node.range[0], end: source.base + node.range[1], text: flow(value) }];
}

function wholeValue(source: YamlSource, key: Scalar.Parsed, node: ParsedNode, text: string): Edit {
  const end = contentEnd(source, node);
  return { start: colonEnd(source, key), end, text: ` ${text}${lineEndOf(source, end)}` };
}
