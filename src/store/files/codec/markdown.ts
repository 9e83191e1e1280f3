import { limits } from '../../../limits.ts';
import type { Shape } from '../../record/collection.ts';
import { conflictOffset, markerLines } from './conflict-markers.ts';
import { findFences, readFrontMatter } from './front-matter.ts';
import type { Fences } from './front-matter.ts';
import { bodyOf, layoutOf, markersKey, valueOf } from './layout.ts';
import type { Layout } from './layout.ts';
import type { MapNode } from './node.ts';
import { readField } from './read-field.ts';
import { lineEnding, Unreadable } from './source-text.ts';
import type { LinkOptions } from './written-link.ts';
import { entry, isWritten } from './yaml-emit.ts';

type Fields = Record<string, unknown>;

/** The content of a Markdown file, with positions. */
export interface MarkdownFile {
  readonly fields: Fields;
  readonly unknown: readonly string[];
  readonly fences: Fences | undefined;
  /** The number of marker lines stated in the front matter. */
  readonly markers: unknown;
}

/** Reads a file's text (without byte order mark). Throws `Unreadable` with an offset in the text. */
export function readMarkdown(shape: Shape, text: string): MarkdownFile {
  const layout = layoutOf(shape);
  const conflict = conflictOffset(text);
  const { fences, root } = splitMarkdown(text, conflict);
  const { fields, unknown } = readKeys(layout, root, fences?.from ?? 0);
  const body = withoutFinalNewline(text, fences?.bodyStart ?? 0);
  const markers = fields[markersKey];
  if (conflict !== -1) refuseConflict(markers, conflict, fences?.bodyStart ?? 0, body);
  delete fields[markersKey];
  if (layout.body !== undefined) fields[layout.body] = body;
  return { fields, unknown, fences, markers };
}

interface Split {
  readonly fences: Fences | undefined;
  readonly root: MapNode | undefined;
}

function splitMarkdown(text: string, conflict: number): Split {
  try {
    const fences = findFences(text);
    const root = fences && readFrontMatter(detached(text.slice(0, fences.bodyStart)), fences);
    return { fences: root && fences, root };
  } catch (error) {
    // If the file has a git conflict, report the conflict rather than the error that it causes in the front matter.
    throw conflict !== -1 && error instanceof Unreadable ? unresolved(conflict, 0) : error;
  }
}

/** A copy: a slice would keep the whole file's text in memory as long as one of its fields. */
function detached(text: string): string {
  return text.length < 16 ? text : Buffer.from(text).toString();
}

/** The body: everything from `start` without one final newline, which is two characters in a file with CRLF. */
export function withoutFinalNewline(text: string, start: number): string {
  let end = text.length;
  if (end > start && text.endsWith('\n'))
    end -= end - 2 >= start && text.endsWith('\r\n') && lineEnding(text) === '\r\n' ? 2 : 1;
  return detached(text.slice(start, end));
}

/** Throws for a git conflict: markers that the file does not declare to be text. */
export function refuseConflict(stated: unknown, conflict: number, bodyStart: number, body: string): void {
  const count = markerLines(body);
  if (conflict < bodyStart || stated !== count) throw unresolved(conflict, count);
}

/** `count`: the number that would declare the markers to be text; 0 if no number can. */
function unresolved(offset: number, count: number): Unreadable {
  const text =
    count === 0
      ? ''
      : ` If they are text and not a conflict, declare that in the front matter (of an HTML file: in the record's line): ${markersKey}: ${count}`;
  return new Unreadable(offset, `Conflict markers: merge the two versions and remove the markers.${text}`);
}

function readKeys(layout: Layout, root: MapNode | undefined, from: number): { fields: Fields; unknown: string[] } {
  const fields: Fields = {};
  const unknown: string[] = [];
  if (root === undefined) return { fields, unknown };
  try {
    root.keys.forEach((key, i) => {
      const place = layout.positions.get(key);
      if (place === undefined) unknown.push(key);
      else fields[key] = readField(layout.fields[place]!, root.values[i]!);
    });
  } catch (error) {
    throw error instanceof Unreadable ? new Unreadable(from + error.offset, error.message) : error;
  }
  return { fields, unknown };
}

/** A record's fields and links exceed the maximum size of front matter. */
export class TooLargeForFile extends Error {
  constructor(bytes: number) {
    super(
      `Its fields, tags and links would take ${bytes} bytes in its file's front matter; at most ${limits.canonicalFrontMatterBytesMax} fit.`,
    );
  }
}

/** A record's canonical text. Throws if no file can contain it. */
export function writeMarkdown(shape: Shape, record: Readonly<Fields>, links: LinkOptions): string {
  const layout = layoutOf(shape);
  const body = bodyOf(layout, record);
  let head = '';
  for (const field of layout.fields) {
    const value = valueOf(field, record, body);
    if (isWritten(field, value)) head += entry(field, value, links);
  }
  const bytes = Buffer.byteLength(head) + 1;
  if (bytes > limits.canonicalFrontMatterBytesMax) throw new TooLargeForFile(bytes);
  return body === '' ? `---\n${head}---\n` : `---\n${head}---\n${body}\n`;
}
