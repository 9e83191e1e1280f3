import { isMap, isScalar } from 'yaml';
import type { ParsedNode } from 'yaml';
import { isOwnId } from '../../../base/ids.ts';
import type { Shape } from '../../record/collection.ts';
import { bodyOf, layoutOf, markersKey, valueOf } from './layout.ts';
import type { Layout } from './layout.ts';
import type { Fences } from './front-matter.ts';
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
  /** The fields to write; the body is not among them. */
  readonly changes: readonly FieldChange[];
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
  // With an id of ours in the file, terms of other tools count no more.
  const isOwn = typeof record['id'] === 'string' && isOwnId(record['id']);
  const held = { ...file.fields, ...(isOwn && file.terms), [markersKey]: file.markers };
  const changes = changedFields(layout, held, record, links);
  const work: Work = { layout, text, file, record, changes, links, ending: lineEnding(text) };
  for (const attempt of [spliced, rewritten]) {
    const result = attempt(work);
    if (result !== undefined && readsBack(work, result)) return result;
  }
  throw new Error('The record cannot be written into this file so that it reads back the same.');
}

function readsBack(work: Work, text: string): boolean {
  const { layout, file, record, links } = work;
  try {
    const now = readMarkdown(layout.shape, text);
    return (
      holds(layout, now.fields, record, links) &&
      now.unknown.join() === file.unknown.join() &&
      now.ignored.join() === ignoredKeys(work).join() &&
      brokenTexts(work).every((lines) => text.slice(0, now.fences?.bodyStart ?? 0).includes(lines))
    );
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}

function isChanged({ changes, layout }: Work, key: string): boolean {
  return changes.some(({ field }) => field.name === key || (field.alias === key && layout.aliases.has(key)));
}

/** The keys that are ignored in the file and stay as they are. */
function ignoredKeys(work: Work): string[] {
  return work.file.ignored.filter((key) => !isChanged(work, key));
}

/** The lines that are not YAML and stay as they are. */
function brokenTexts(work: Work): string[] {
  const { file, text } = work;
  const from = file.fences?.from ?? 0;
  const kept = file.broken.filter(({ key }) => key === undefined || !isChanged(work, key));
  // The line ending before the closing fence does not belong to the block.
  return kept.map(({ start, end }) => text.slice(from + start, text.indexOf('\n', from + end - 1) + 1));
}

/** Replaces each changed value in place. */
function spliced(work: Work): string | undefined {
  const { layout, text, file, record, changes, ending } = work;
  const head = changes.length === 0 ? text.slice(0, file.fences?.bodyStart ?? 0) : changedHead(work);
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

function changedHead({ layout, text, file, changes, links, ending }: Work): string | undefined {
  if (file.fences === undefined) {
    const lines = changes.map(({ field, value }) => (isWritten(field, value) ? entry(field, value, links) : ''));
    return `---\n${lines.join('')}---\n`.replaceAll('\n', ending);
  }
  const { from, to, bodyStart } = file.fences;
  const { contents } = parseBlock(text, file.fences, file.block);
  try {
    const map = contents === null || (isScalar(contents) && contents.source === '') ? undefined : contents;
    if (map !== undefined && !isMap(map)) return undefined;
    const source: YamlSource = { text: text.slice(0, bodyStart), base: from, ending };
    return splice(source.text, patchMap({ source, layout, map, broken: file.broken, end: to + 1, links }, changes));
  } catch (error) {
    if (error instanceof CannotSplice) return undefined;
    throw error;
  }
}

/** `block`: the text between the fences without broken entries. */
function parseBlock(text: string, { from, to }: Fences, block = text.slice(from, to)): YamlDocument {
  return parseYaml(block.endsWith('\r') ? block.slice(0, -1) : block);
}

/** Known fields in canonical form, then unknown and ignored keys as they are. */
function rewritten(work: Work): string {
  const { layout, text, file, record, changes, links, ending } = work;
  const body = bodyOf(layout, record);
  const changed = new Set(changes.map(({ field }) => field));
  const known = layout.fields.map((field) => {
    const stated = file.stated.get(field.name);
    if (stated === undefined && !changed.has(field) && file.fences !== undefined) return '';
    const value = valueOf(field, record, body);
    const named = { ...field, name: stated?.key ?? field.name };
    return isWritten(field, value) ? entry(named, value, links).replaceAll('\n', ending) : '';
  });
  const rest = text.slice(file.fences?.bodyStart ?? 0);
  const head = `---${ending}${known.join('')}${otherLines(work)}---${ending}`;
  return head + (layout.body === undefined ? rest : body + finalNewline(rest, body, ending));
}

function otherLines(work: Work): string {
  const { text, file, ending } = work;
  const kept = [...file.unknown, ...ignoredKeys(work)];
  if (file.fences === undefined || (kept.length === 0 && file.broken.length === 0)) return '';
  const { from, bodyStart } = file.fences;
  const { contents } = parseBlock(text, file.fences, file.block);
  const source: YamlSource = { text: text.slice(0, bodyStart), base: from, ending };
  const pairs = isMap(contents) ? contents.items.filter(({ key }) => isScalar(key) && kept.includes(key.source)) : [];
  return pairs.map(({ key, value }) => unknownPair(source, key, value)).join('') + brokenTexts(work).join('');
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
