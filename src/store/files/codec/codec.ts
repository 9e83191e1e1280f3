import type { Format, Shape } from '../../record/collection.ts';
import { fileEndings } from '../../record/shapes.ts';
import { conflictMessage, conflictOffset } from './conflict-markers.ts';
import { patchHtml } from './html-patch.ts';
import type { Finding } from './key-hints.ts';
import { readHtml, writeHtml } from './html.ts';
import { patchJson } from './json-patch.ts';
import { readJson, writeJson } from './json.ts';
import { patchMarkdown } from './markdown-patch.ts';
import { readMarkdown, writeMarkdown } from './markdown.ts';
import type { MarkdownFile } from './markdown.ts';
import { placeholderReason } from './placeholder.ts';
import { asBuffer, byteOrderMark, firstBadLine, lineAt, sourceText, Unreadable } from './source-text.ts';
import type { LinkOptions } from './written-link.ts';

export type { LinkOptions } from './written-link.ts';

type Fields = Record<string, unknown>;

/** A part of the front matter that is ignored, and the expected form. */
export interface Note {
  /** From 1. */
  readonly line: number;
  readonly reason: string;
  /** The field, or the unknown key, whose value is ignored; undefined if all of the front matter is read as text. */
  readonly key: string | undefined;
  /** The value is a term of other tools, and is served as ours. */
  readonly isTerm?: true;
}

/** The content of a record file. */
export type Decoded =
  | {
      readonly ok: true;
      /** The fields in the file, typed by their kind, and the body. Links have only the written members. */
      readonly fields: Fields;
      /** Keys that are not in the shape. They stay in the file. */
      readonly unknown: readonly string[];
      /** Parts of the front matter that are ignored, by line. They stay in the file. */
      readonly notes: readonly Note[];
      /** Unknown keys that are like known ones, by line. */
      readonly hints: readonly Note[];
      /** The lines, from 1, of the names that links have in place of ids. */
      readonly named: Readonly<Record<string, number>>;
      /** The line of a field's value, from 1; undefined if the file has no key for it. */
      readonly lineOf: (field: string) => number | undefined;
    }
  | {
      readonly ok: false;
      /** From 1. */
      readonly line: number;
      readonly reason: string;
      /** The value of the first line with an id, not validated. */
      readonly id?: string;
    };

/** The beginning of a file that is not UTF-8. */
const placeholderBytes = 64;

/** Reads a record file. Never throws because of a file's content. */
export function decode(shape: Shape, bytes: Uint8Array): Decoded {
  const source = sourceText(bytes);
  const placeholder = placeholderReason(source?.text ?? asBuffer(bytes).toString('latin1', 0, placeholderBytes));
  if (placeholder !== undefined) return unreadable(1, placeholder, '');
  if (source === undefined)
    return unreadable(firstBadLine(bytes), 'The file is not UTF-8 text.', asBuffer(bytes).toString('latin1'));
  const { text } = source;
  try {
    const { fields, unknown, findings = [], hints, named = [], stated } = read(shape, text);
    const noteOf = ({ offset, ...finding }: Finding): Note => ({ ...finding, line: lineAt(text, offset) });
    return {
      ok: true,
      fields,
      unknown,
      notes: findings.map(noteOf),
      hints: hints.map(noteOf),
      named: Object.fromEntries(Array.from(named, ([name, offset]) => [name, lineAt(text, offset)])),
      lineOf: (field) => {
        const offset = stated?.get(field)?.offset;
        return offset === undefined ? undefined : lineAt(text, offset);
      },
    };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return unreadable(lineAt(text, error.offset), error.message, text);
  }
}

type FileContent = Pick<MarkdownFile, 'fields' | 'unknown' | 'hints'> &
  Partial<Pick<MarkdownFile, 'findings' | 'stated' | 'named'>>;

function read(shape: Shape, text: string): FileContent {
  const content = readFormat(shape, text);
  requireEnding(shape, content.fields, text);
  return content;
}

/**
 * The extension determines the format of a file in a collection with two formats determines a file's format; a file
 * whose field contradicts it is unreadable.
 */
function requireEnding({ implied, alternative }: Shape, fields: Fields, text: string): void {
  if (alternative !== undefined && fields[alternative.field] === alternative.value)
    throw misnamed(text, alternative.field, alternative.value, alternative.format);
  if (implied === undefined) return;
  const stated = fields[implied.field] ?? implied.value;
  if (stated !== implied.value) throw misnamed(text, implied.field, stated as string, implied.otherwise);
  fields[implied.field] = implied.value;
}

function misnamed(text: string, field: string, stated: string, format: Format): Unreadable {
  const reason = `${field}: ${stated} is for files that end in ${fileEndings[format]}: rename the file, or change the field.`;
  return new Unreadable(Math.max(text.indexOf(field), 0), reason);
}

function readFormat(shape: Shape, text: string): FileContent {
  if (shape.format === 'markdown') return readMarkdown(shape, text);
  if (shape.format === 'html') return readHtml(shape, text);
  // A JSON text has no line that begins with a marker, since strings contain no line breaks.
  const conflict = conflictOffset(text);
  if (conflict !== -1) throw new Unreadable(conflict, conflictMessage(text)!);
  return readJson(shape, text);
}

function unreadable(line: number, reason: string, text: string): Decoded {
  const id = /^(?:<!--[ \t]*planner)?[ \t]*(?:\{[ \t]*)?["']?id["']?[ \t]*:[ \t]*["']?([^\s"',#]+)/m.exec(text)?.[1];
  return { ok: false, line, reason, ...(id === undefined ? {} : { id }) };
}

/**
 * A record's canonical bytes: the same for the same fields on every machine. Throws if no file can contain the record.
 */
export function encode(shape: Shape, record: Readonly<Fields>, options: LinkOptions = {}): Buffer {
  return Buffer.from(encodeText(shape, record, options));
}

/** Encodes a record as a string. */
export function encodeText(shape: Shape, record: Readonly<Fields>, options: LinkOptions = {}): string {
  return writers[shape.format](shape, record, options);
}

const writers = { markdown: writeMarkdown, json: writeJson, html: writeHtml } as const;
const patchers = { markdown: patchMarkdown, json: patchJson, html: patchHtml } as const;

/**
 * Writes `after` into a file that contains `before`, keeping every byte that need not change: comments, order, quotes,
 * unknown and ignored keys, line endings. Throws if the result would not read back as `after`; nothing is written then.
 */
export function patch(
  shape: Shape,
  source: Uint8Array,
  before: Readonly<Fields>,
  after: Readonly<Fields>,
  options: LinkOptions = {},
): Buffer {
  // A file that the service wrote keeps the canonical form.
  if (encodesTo(shape, before, options, source)) return encode(shape, after, options);
  const known = sourceText(source);
  if (known === undefined) throw new Error('The file is not UTF-8 text.');
  const text = patchers[shape.format](shape, known.text, after, options);
  return Buffer.from(known.bom ? byteOrderMark + text : text);
}

function encodesTo(shape: Shape, record: Readonly<Fields>, options: LinkOptions, source: Uint8Array): boolean {
  try {
    return encode(shape, record, options).equals(source);
  } catch {
    // A record that cannot be encoded was not written by the service.
    return false;
  }
}
