import type { Shape } from '../../record/collection.ts';
import { membersOf, readHtml, recordJson } from './html.ts';
import type { HtmlFile } from './html.ts';
import { jsonValue } from './json.ts';
import { bodyOf, layoutOf, markersKey } from './layout.ts';
import type { Layout } from './layout.ts';
import { finalNewline, withLineEnd } from './markdown-patch.ts';
import { changedFields, holds } from './same-value.ts';
import type { FieldChange } from './same-value.ts';
import { lineEnding, Unreadable } from './source-text.ts';
import type { LinkOptions } from './written-link.ts';
import { isWritten } from './yaml-emit.ts';

type Fields = Readonly<Record<string, unknown>>;
type Members = (readonly [string, unknown])[];

/** An HTML file and the record to write into it. */
interface Work {
  readonly layout: Layout;
  readonly text: string;
  readonly file: HtmlFile;
  readonly record: Fields;
  readonly links: LinkOptions;
  readonly ending: '\n' | '\r\n';
}

/**
 * The text of an HTML file with `record`, as close to `text` as possible: unchanged content is kept exactly, and the
 * record's line keeps its order and unknown members. Throws if no result reads back as the record.
 */
export function patchHtml(shape: Shape, text: string, record: Fields, links: LinkOptions): string {
  const layout = layoutOf(shape);
  const work: Work = { layout, text, file: readHtml(shape, text), record, links, ending: lineEnding(text) };
  for (const attempt of [spliced, rewritten]) {
    const result = attempt(work);
    if (readsBack(work, result)) return result;
  }
  throw new Error('The record cannot be written into this file so that it reads back the same.');
}

function readsBack({ layout, file, record, links }: Work, text: string): boolean {
  try {
    const { fields, unknown } = readHtml(layout.shape, text);
    return holds(layout, fields, record, links) && unknown.join() === file.unknown.join();
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}

function spliced(work: Work): string {
  const { layout, text, file, record, links, ending } = work;
  const changes = changedFields(layout, { ...file.fields, [markersKey]: file.markers }, record, links);
  const head = changedHead(work, changes);
  const rest = text.slice(file.line?.contentStart ?? 0);
  const body = bodyOf(layout, record);
  if (layout.body === undefined || body === file.fields[layout.body]) return withLineEnd(head, rest, ending);
  return withLineEnd(head, body + finalNewline(rest, body, ending), ending);
}

function changedHead(work: Work, changes: readonly FieldChange[]): string {
  const { text, file, ending } = work;
  if (file.line === undefined) return changes.length === 0 ? '' : recordLine(wholeMembers(work), ending);
  const { from, to, contentStart } = file.line;
  if (changes.length === 0) return text.slice(0, contentStart);
  return text.slice(0, from) + recordJson(changedMembers(work, changes)) + text.slice(to, contentStart);
}

function recordLine(members: Members, ending: string): string {
  return `<!-- planner ${recordJson(members)} -->${ending}`;
}

/**
 * The members of the line in their order, with new values for changed ones; new members follow those before them in the
 * shape.
 */
function changedMembers({ layout, text, file, links }: Work, changes: readonly FieldChange[]): Members {
  const members = presentMembers(text, file);
  for (const { field, value } of changes) {
    const at = members.findIndex(([name]) => name === field.name);
    if (!isWritten(field, value)) {
      if (at !== -1) members.splice(at, 1);
      continue;
    }
    const member = [field.name, jsonValue(field, value, links)] as const;
    if (at !== -1) members[at] = member;
    else members.splice(insertionIndex(layout, members, field.name), 0, member);
  }
  return members;
}

function presentMembers(text: string, { line }: HtmlFile): Members {
  return line === undefined ? [] : Object.entries(JSON.parse(text.slice(line.from, line.to)) as Fields);
}

function insertionIndex({ positions }: Layout, members: Members, name: string): number {
  const place = positions.get(name) ?? Infinity;
  return members.findLastIndex(([other]) => (positions.get(other) ?? Infinity) < place) + 1;
}

/** Known members in their order, then unknown ones. */
function wholeMembers({ layout, text, file, record, links }: Work): Members {
  const unknown = presentMembers(text, file).filter(([name]) => !layout.positions.has(name));
  return [...membersOf(layout, record, bodyOf(layout, record), links), ...unknown];
}

function rewritten(work: Work): string {
  const { layout, record } = work;
  const body = bodyOf(layout, record);
  const line = recordLine(wholeMembers(work), '\n');
  return body === '' ? line : `${line}${body}\n`;
}
