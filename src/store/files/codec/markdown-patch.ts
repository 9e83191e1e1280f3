import { isMap, isScalar } from 'yaml';
import type { ParsedNode, YAMLMap } from 'yaml';
import type { Shape } from '../../record/collection.ts';
import { bodyOf, layoutOf, markersKey, valueOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { readMarkdown } from './markdown.ts';
import type { MarkdownFile } from './markdown.ts';
import { changedFields, holds } from './same-value.ts';
import type { FieldChange } from './same-value.ts';
import { lineEnding, Unreadable } from './source-text.ts';
import { splice } from './splice.ts';
import type { LinkOptions } from './written-link.ts';
import { entry, isWritten } from './yaml-emit.ts';
import { patchMap } from './yaml-patch.ts';
import { CannotSplice, contentEnd, lineStart, pairLines } from './yaml-range.ts';
import type { YamlSource } from './yaml-range.ts';
import { parseYaml } from './yaml-read.ts';
import type { YamlDocument } from './yaml-read.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A Markdown file and the record to write into it. */
interface Work {
  readonly layout: Layout;
  readonly text: string;
  readonly file: MarkdownFile;
  readonly record: Fields;
  readonly links: LinkOptions;
  readonly ending: '\n' | '\r\n';
}

/**
 * The text of a Markdown file with `record`, as close to `text` as possible. Throws if no result reads back as the
 * record.
 */
export function patchMarkdown(shape: Shape, text: string, record: Fields, links: LinkOptions): string {
  const layout = layoutOf(shape);
  const file = readMarkdown(shape, text);
  const work: Work = { layout, text, file, record, links, ending: lineEnding(text) };
  for (const attempt of [spliced, rewritten]) {
    const result = attempt(work);
    if (result !== undefined && readsBack(work, result)) return result;
  }
  throw new Error('The record cannot be written into this file so that it reads back the same.');
}

function readsBack({ layout, file, record, links }: Work, text: string): boolean {
  try {
    const { fields, unknown } = readMarkdown(layout.shape, text);
    return holds(layout, fields, record, links) && unknown.join() === file.unknown.join();
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}

/** Replaces each changed value in place. */
function spliced(work: Work): string | undefined {
  const { layout, text, file, record, links, ending } = work;
  const held = { ...file.fields, [markersKey]: file.markers };
  const changes = changedFields(layout, held, record, links);
  const head = changes.length === 0 ? text.slice(0, file.fences?.bodyStart ?? 0) : changedHead(work, changes);
  if (head === undefined) return undefined;
  const rest = text.slice(file.fences?.bodyStart ?? 0);
  const body = bodyOf(layout, record);
  if (layout.body === undefined || body === file.fields[layout.body]) return withLineEnd(head, rest, ending);
  return withLineEnd(head, body + finalNewline(rest, body, ending), ending);
}

/** A closing fence at the end of the file needs a line ending before a body. */
export function withLineEnd(head: string, rest: string, ending: string): string {
  return head === '' || head.endsWith('\n') || rest === '' ? head + rest : head + ending + rest;
}

/** A file keeps its final newline, or its lack of one if the body does not need it. */
export function finalNewline(rest: string, body: string, ending: string): string {
  if (body === '') return '';
  const had = /\r?\n$/.exec(rest);
  if (had !== null) return ending === '\r\n' ? had[0] : '\n';
  return rest === '' || body.endsWith('\n') ? ending : '';
}

function changedHead(work: Work, changes: readonly FieldChange[]): string | undefined {
  const { layout, text, file, links, ending } = work;
  if (file.fences === undefined) {
    const lines = changes.map(({ field, value }) => (isWritten(field, value) ? entry(field, value, links) : ''));
    return `---\n${lines.join('')}---\n`.replaceAll('\n', ending);
  }
  const { from, to, bodyStart } = file.fences;
  const { contents } = parseFences(text, from, to);
  try {
    const map = contents === null || (isScalar(contents) && contents.source === '') ? undefined : contents;
    if (map !== undefined && !isMap(map)) return undefined;
    const source: YamlSource = { text: text.slice(0, bodyStart), base: from, ending };
    return splice(source.text, patchMap({ source, layout, map, end: to + 1, links }, changes));
  } catch (error) {
    if (error instanceof CannotSplice) return undefined;
    throw error;
  }
}

function parseFences(text: string, from: number, to: number): YamlDocument {
  return parseYaml(text.slice(from, text.charAt(to - 1) === '\r' ? to - 1 : to));
}

/** Known fields in canonical form, then unknown keys as they are. */
function rewritten(work: Work): string {
  const { layout, text, file, record, links, ending } = work;
  const body = bodyOf(layout, record);
  const known = layout.fields.map((field) => {
    const value = valueOf(field, record, body);
    return isWritten(field, value) ? entry(field, value, links).replaceAll('\n', ending) : '';
  });
  const rest = text.slice(file.fences?.bodyStart ?? 0);
  const head = `---${ending}${known.join('')}${unknownLines(work)}---${ending}`;
  return head + (layout.body === undefined ? rest : body + finalNewline(rest, body, ending));
}

function unknownLines({ text, file, ending }: Work): string {
  if (file.fences === undefined || file.unknown.length === 0) return '';
  const { from, to, bodyStart } = file.fences;
  const { contents } = parseFences(text, from, to);
  const source: YamlSource = { text: text.slice(0, bodyStart), base: from, ending };
  const pairs = (contents as YAMLMap.Parsed).items.filter(
    ({ key }) => isScalar(key) && file.unknown.includes(key.source),
  );
  return pairs.map(({ key, value }) => unknownPair(source, key, value)).join('');
}

function unknownPair(source: YamlSource, key: ParsedNode, value: ParsedNode | null): string {
  const { text, base, ending } = source;
  try {
    if (!isScalar(key)) throw new CannotSplice();
    const { start, end } = pairLines(source, key, value);
    if (lineStart(text, start) === start) return text.slice(start, end);
  } catch (error) {
    if (!(error instanceof CannotSplice)) throw error;
  }
  const spelled = value === null ? '' : ` ${text.slice(base + value.range[0], contentEnd(source, value))}`;
  return `${text.slice(base + key.range[0], base + key.range[1])}:${spelled}${ending}`;
}
