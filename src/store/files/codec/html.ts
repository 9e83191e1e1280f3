import { limits } from '../../../base/limits.ts';
import type { Shape } from '../../record/collection.ts';
import { conflictOffset } from './conflict-markers.ts';
import { jsonValue, readJson } from './json.ts';
import type { JsonFile } from './json.ts';
import type { Finding } from './key-hints.ts';
import { bodyOf, layoutOf, markersKey, valueOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { refuseConflict, TooLargeForFile, withoutFinalNewline } from './markdown.ts';
import { Unreadable } from './source-text.ts';
import type { LinkOptions } from './written-link.ts';
import { isWritten } from './yaml-emit.ts';

type Fields = Record<string, unknown>;

/** The position of the record's line in an HTML file's text: its JSON, and the start of the content after it. */
export interface RecordLine {
  readonly from: number;
  readonly to: number;
  readonly contentStart: number;
}

/** The content of an HTML file, with positions. */
export interface HtmlFile {
  readonly fields: Fields;
  readonly unknown: readonly string[];
  readonly hints: readonly Finding[];
  /** Undefined if the file has no such line: it is all content. */
  readonly line: RecordLine | undefined;
  /** The number of marker lines stated in the record's line. */
  readonly markers: unknown;
}

const opening = /^<!--[ \t]*planner[ \t]+(?=\{)/;
const closing = '-->';

/** Reads a file's text (without byte order mark). Throws `Unreadable` with an offset in the text. */
export function readHtml(shape: Shape, text: string): HtmlFile {
  const layout = layoutOf(shape);
  const line = findRecordLine(text);
  const { fields, unknown, hints } =
    line === undefined ? { fields: {}, unknown: [], hints: [] } : readLine(shape, text, line);
  const contentStart = line?.contentStart ?? 0;
  const body = withoutFinalNewline(text, contentStart);
  const markers = fields[markersKey];
  const conflict = conflictOffset(text);
  if (conflict !== -1) refuseConflict(text, markers, conflict, contentStart, body);
  delete fields[markersKey];
  if (layout.body !== undefined) fields[layout.body] = body;
  return { fields, unknown, hints, line, markers };
}

/**
 * The record is a comment at the very beginning, `<!-- planner {…} -->`; the text after its line is the content,
 * exactly.
 */
export function findRecordLine(text: string): RecordLine | undefined {
  const from = opening.exec(text)?.[0].length;
  if (from === undefined) return undefined;
  const close = text.indexOf(closing, from);
  if (close === -1) throw new Unreadable(0, 'The comment in line 1 that holds the record is not closed by -->.');
  const to = from + text.slice(from, close).trimEnd().length;
  if (to - from > limits.canonicalFrontMatterBytesMax)
    throw new Unreadable(0, `The record in line 1 is longer than ${limits.canonicalFrontMatterBytesMax} bytes.`);
  const behind = close + closing.length;
  const [end = ''] = /^[ \t]*(?:\r?\n|$)/.exec(text.slice(behind, behind + 100)) ?? [];
  return { from, to, contentStart: behind + end.length };
}

function readLine(shape: Shape, text: string, { from, to }: RecordLine): JsonFile {
  try {
    const read = readJson(shape, text.slice(from, to));
    return { ...read, hints: read.hints.map((hint) => ({ ...hint, offset: from + hint.offset })) };
  } catch (error) {
    throw error instanceof Unreadable ? new Unreadable(from + error.offset, error.message) : error;
  }
}

/** A record's canonical text. Throws if no file can contain it. */
export function writeHtml(shape: Shape, record: Readonly<Fields>, links: LinkOptions): string {
  const layout = layoutOf(shape);
  const body = bodyOf(layout, record);
  const line = `<!-- planner ${recordJson(membersOf(layout, record, body, links))} ${closing}\n`;
  const bytes = Buffer.byteLength(line);
  if (bytes > limits.canonicalFrontMatterBytesMax) throw new TooLargeForFile(bytes);
  return body === '' ? line : `${line}${body}\n`;
}

/** The members of the record's line, in the shape's order. */
export function membersOf(
  layout: Layout,
  record: Readonly<Fields>,
  body: string,
  links: LinkOptions,
): (readonly [string, unknown])[] {
  return layout.fields.flatMap((field) => {
    const value = valueOf(field, record, body);
    return isWritten(field, value) ? [[field.name, jsonValue(field, value, links)] as const] : [];
  });
}

/** Members as one line of JSON that neither ends nor begins a comment. */
export function recordJson(members: Iterable<readonly [string, unknown]>): string {
  const texts = [...members].map(([name, value]) => {
    const text = JSON.stringify(value);
    if (text === undefined) throw new TypeError(`${name}: no file can hold ${typeof value}.`);
    return `${JSON.stringify(name)}: ${text}`;
  });
  return `{${texts.join(', ')}}`.replace(/--(!?)>/g, '--$1\\u003e').replaceAll('<!--', '\\u003c!--');
}
