import { applyEdits, modify, parseTree } from 'jsonc-parser';
import type { JSONPath, ModificationOptions } from 'jsonc-parser';
import type { Shape } from '../../record/collection.ts';
import { jsonValue, readJson } from './json.ts';
import { layoutOf, valueOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { changedFields, holds } from './same-value.ts';
import { lineEnding, Unreadable } from './source-text.ts';
import { linkKey } from './written-link.ts';
import type { LinkOptions, WrittenLink } from './written-link.ts';
import { isWritten } from './yaml-emit.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The text of a JSON file with `record`, as close to `text` as possible. Throws if no result reads back as the record.
 */
export function patchJson(shape: Shape, text: string, record: Fields, links: LinkOptions): string {
  const layout = layoutOf(shape);
  const file = readJson(shape, text);
  for (const attempt of [spliced, rewritten]) {
    const result = attempt(layout, text, file.fields, record, links);
    if (readsBack(layout, result, record, file.unknown, links)) return result;
  }
  throw new Error('The record cannot be written into this file so that it reads back the same.');
}

function readsBack(layout: Layout, text: string, record: Fields, kept: readonly string[], links: LinkOptions): boolean {
  try {
    const { fields, unknown } = readJson(layout.shape, text);
    return holds(layout, fields, record, links) && unknown.join() === kept.join();
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}

/** Member by member, and lists item by item. */
function spliced(layout: Layout, text: string, held: Fields, record: Fields, links: LinkOptions): string {
  const style = styleOf(text);
  let result = text;
  const set = (path: JSONPath, value: unknown, options: ModificationOptions): void => {
    result = applyEdits(result, modify(result, path, value, options));
  };
  for (const { field, value } of changedFields(layout, held, record, links)) {
    const written = isWritten(field, value) ? jsonValue(field, value, links) : undefined;
    const order = { ...style, getInsertionIndex: (names: string[]) => insertionIndex(layout, names, field.name) };
    const before = parseTree(result)?.children?.find(({ children }) => children?.[0]?.value === field.name)
      ?.children?.[1];
    const isList = field.kind === 'texts' || field.kind === 'links';
    if (!isList || written === undefined || before?.type !== 'array' || !Array.isArray(held[field.name]))
      set([field.name], written, order);
    else
      patchItems(
        field.name,
        jsonValue(field, held[field.name], links) === null ? [] : rawItems(held[field.name]),
        written as Item[],
        style,
        set,
      );
  }
  return result;
}

type Item = string | WrittenLink;

function rawItems(value: unknown): readonly Item[] {
  return value as readonly Item[];
}

function keyOf(item: Item): string {
  return typeof item === 'string' ? item : linkKey(item);
}

function patchItems(
  name: string,
  held: readonly Item[],
  target: readonly Item[],
  style: ModificationOptions,
  set: (path: JSONPath, value: unknown, options: ModificationOptions) => void,
): void {
  const byKey = new Map(target.map((item) => [keyOf(item), item]));
  const now = [...held];
  for (let i = now.length - 1; i >= 0; i--) {
    const item = byKey.get(keyOf(now[i]!));
    if (item === undefined) {
      set([name, i], undefined, style);
      now.splice(i, 1);
    } else if (typeof item !== 'string' && JSON.stringify(item) !== JSON.stringify(now[i])) set([name, i], item, style);
  }
  const present = new Set(now.map(keyOf));
  for (const [key, item] of byKey) {
    if (present.has(key)) continue;
    const behind = now.findIndex((other) => keyOf(other) > key);
    const at = behind === -1 ? now.length : behind;
    set([name, at], item, { ...style, isArrayInsertion: true });
    now.splice(at, 0, item);
  }
}

/** A new member follows those before it in the shape. */
function insertionIndex(layout: Layout, names: readonly string[], name: string): number {
  const place = layout.positions.get(name) ?? Infinity;
  const before = names.findLastIndex((other) => (layout.positions.get(other) ?? Infinity) < place);
  if (before !== -1) return before + 1;
  const behind = names.findIndex((other) => layout.positions.has(other));
  return behind === -1 ? names.length : behind;
}

/** The file's indentation and line ending. */
function styleOf(text: string): ModificationOptions {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
  const insertSpaces = !indent.startsWith('\t');
  return { formattingOptions: { insertSpaces, tabSize: insertSpaces ? indent.length : 1, eol: lineEnding(text) } };
}

/** Known members in their order, then unknown ones. */
function rewritten(layout: Layout, text: string, _held: Fields, record: Fields, links: LinkOptions): string {
  const present = JSON.parse(text) as Record<string, unknown>;
  const whole = Object.create(null) as Record<string, unknown>;
  for (const field of layout.fields) {
    const value = valueOf(field, record, '');
    if (isWritten(field, value)) whole[field.name] = jsonValue(field, value, links);
  }
  for (const name of Object.keys(present)) if (!layout.positions.has(name)) whole[name] = present[name];
  const { formattingOptions: style } = styleOf(text);
  const indent = style?.insertSpaces === false ? '\t' : (style?.tabSize ?? 2);
  return `${JSON.stringify(whole, undefined, indent)}\n`;
}
