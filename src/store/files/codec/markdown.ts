import { idPattern, isOwnId } from '../../../base/ids.ts';
import { limits } from '../../../base/limits.ts';
import { foldTerm } from '../../../base/named.ts';
import type { Shape } from '../../record/collection.ts';
import { conflictMessage, conflictOffset, markerLines } from './conflict-markers.ts';
import { maskBroken } from './broken-entries.ts';
import type { BrokenEntry } from './broken-entries.ts';
import { findFences, looksLikeKeys, readFrontMatter } from './front-matter.ts';
import type { Fences } from './front-matter.ts';
import { hintOf } from './key-hints.ts';
import type { Finding } from './key-hints.ts';
import { bodyOf, layoutOf, markersKey, valueOf } from './layout.ts';
import type { FileField, Layout } from './layout.ts';
import { listItems } from './node.ts';
import type { MapNode, Node } from './node.ts';
import { readField } from './read-field.ts';
import { lineEnding, Unreadable } from './source-text.ts';
import type { LinkOptions, WrittenLink } from './written-link.ts';
import { entry, isWritten } from './yaml-emit.ts';

type Fields = Record<string, unknown>;

/** The content of a Markdown file, with positions. */
export interface MarkdownFile {
  readonly fields: Fields;
  readonly unknown: readonly string[];
  readonly fences: Fences | undefined;
  /** The number of marker lines stated in the front matter. */
  readonly markers: unknown;
  readonly findings: readonly Finding[];
  /** The fields that have a key in the front matter, with the key and its offset in the text. */
  readonly stated: ReadonlyMap<string, { readonly key: string; readonly offset: number }>;
  /** The offsets of the names that links have in place of ids. */
  readonly named: ReadonlyMap<string, number>;
  /** Unknown keys that are like known ones. */
  readonly hints: readonly Finding[];
  /** The keys of the shape whose value is of another kind. */
  readonly ignored: readonly string[];
  /** The fields whose value is a term of another tool, with that term: they count only as long as the file has no id of ours. */
  readonly terms: Fields;
  /** Entries that are not YAML, and the text between the fences without them, or undefined. */
  readonly broken: readonly BrokenEntry[];
  readonly block: string | undefined;
}

/**
 * Reads a file's text (without byte order mark). Values in another form are ignored and listed. Throws `Unreadable`
 * with an offset in the text for a conflict, and for a record whose front matter is damaged as a whole.
 */
export function readMarkdown(shape: Shape, text: string): MarkdownFile {
  const layout = layoutOf(shape);
  const conflict = conflictOffset(text);
  const split = splitMarkdown(text, conflict);
  const { fences, block, broken } = split;
  const from = fences?.from ?? 0;
  const read = readKeys(layout, split.root, from);
  const { fields } = read;
  const body = withoutFinalNewline(text, fences?.bodyStart ?? 0);
  const markers = fields[markersKey];
  if (conflict !== -1) refuseConflict(text, markers, conflict, fences?.bodyStart ?? 0, body);
  delete fields[markersKey];
  if (layout.body !== undefined) fields[layout.body] = body;
  const entries = broken.map(({ key, error }) => ({
    key: key ?? '',
    offset: from + error.offset,
    reason: `${key === undefined ? '' : `${key}: `}${error.message}`,
  }));
  const findings = [...split.findings, ...entries, ...read.findings].sort((a, b) => a.offset - b.offset);
  return { ...read, fences, markers, findings, broken, block };
}

interface Split extends Pick<MarkdownFile, 'fences' | 'findings' | 'broken' | 'block'> {
  readonly root: MapNode | undefined;
}

function splitMarkdown(text: string, conflict: number): Split {
  const whole = { findings: [], broken: [], block: undefined };
  try {
    const fences = findFences(text);
    if (fences === undefined) return { ...whole, fences, root: undefined };
    const head = detached(text.slice(0, fences.bodyStart));
    try {
      const root = readFrontMatter(head, fences);
      return { ...whole, fences: root && fences, root };
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      return splitBroken(head, fences, error);
    }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    // If the file has a git conflict, report the conflict rather than the error that it causes in the front matter.
    if (conflict !== -1) throw unresolved(text, conflict, 0);
    // Without its id, the record would become a new record.
    if (hasOwnId(text)) throw error;
    const finding = { key: undefined, offset: error.offset, reason: `${error.message} The file is read as text.` };
    return { ...whole, fences: undefined, root: undefined, findings: [finding] };
  }
}

/** Front matter that is not YAML as a whole: reads the keys that are. Throws `whole` if that is not possible. */
function splitBroken(head: string, fences: Fences, whole: Unreadable): Split {
  const { block, broken } = maskBroken(head.slice(fences.from, fences.to));
  if (broken.length === 0 || !looksLikeKeys(head.slice(fences.from, fences.to))) throw whole;
  if (broken.some(({ key }) => key === 'id') && hasOwnId(head)) throw whole;
  let root: MapNode | undefined;
  try {
    root = readFrontMatter(head.slice(0, fences.from) + block + head.slice(fences.to), fences);
  } catch (error) {
    throw error instanceof Unreadable ? whole : error;
  }
  return { fences, root, findings: [], broken, block };
}

/** Returns whether the front matter has a line with an id of ours: one that a link may name. */
function hasOwnId(text: string): boolean {
  const id = /^id:[ \t]*["']?([^\s"',#]+)/m.exec(text.slice(0, limits.frontMatterBytesMax))?.[1];
  return id !== undefined && idPattern.test(id);
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
export function refuseConflict(text: string, stated: unknown, conflict: number, bodyStart: number, body: string): void {
  const count = markerLines(body);
  if (conflict < bodyStart || stated !== count) throw unresolved(text, conflict, count);
}

/** `count`: the number that would declare the markers to be text, 0 if they cannot be. */
function unresolved(text: string, offset: number, count: number): Unreadable {
  const otherwise =
    count === 0
      ? ''
      : ` If they are text and not a conflict, declare that in the front matter (of an HTML file: in the record's line): ${markersKey}: ${count}`;
  return new Unreadable(offset, `${conflictMessage(text)!}${otherwise}`);
}

type KeysRead = Pick<MarkdownFile, 'unknown' | 'findings' | 'stated' | 'ignored' | 'terms' | 'named' | 'hints'> & {
  readonly fields: Fields;
};

function readKeys(layout: Layout, root: MapNode | undefined, from: number): KeysRead {
  const fields: Fields = {};
  const unknown: string[] = [];
  const findings: Finding[] = [];
  const ignored: string[] = [];
  const terms: Fields = {};
  const isForeign = !hasOwnKey(root);
  const stated = new Map<string, { readonly key: string; readonly offset: number }>();
  const named = new Map<string, number>();
  const hints: Finding[] = [];
  const listed: (readonly [FileField, readonly string[], number])[] = [];
  root?.keys.forEach((key, i) => {
    const place = layout.positions.get(key) ?? aliased(layout, root, key);
    const value = root.values[i]!;
    if (place === undefined) {
      unknown.push(key);
      const hint = hintOf(layout, root.keys, key);
      if (hint !== undefined) hints.push({ key: '', offset: from + value.at, reason: hint });
      return;
    }
    const field = layout.fields[place]!;
    try {
      const read = readField(field, value);
      if (field.kind === 'links' || field.list !== undefined) addNames(named, value, from);
      if (field.list !== undefined) return void listed.push([field, read as string[], from + value.at]);
      const meant = isForeign && typeof read === 'string' ? (field.synonyms?.get(foldTerm(read)) ?? read) : read;
      fields[field.name] = meant;
      if (meant !== read) {
        terms[field.name] = read;
        const reason = `${field.name}: ${JSON.stringify(read)} is a term of other tools: it is read as ${String(meant)}.`;
        findings.push({ key: '', offset: from + value.at, reason, isTerm: true });
      }
      stated.set(field.name, { key, offset: from + value.at });
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      findings.push({ key: field.name, offset: from + error.offset, reason: error.message });
      ignored.push(key);
    }
  });
  for (const [{ name, list }, targets, offset] of listed) {
    const { of, label } = list!;
    const links = targets.map((to) => ({ to, type: 'task', ...(label !== undefined && { label }), in: name }));
    fields[of] = [...((fields[of] ?? []) as readonly WrittenLink[]), ...links];
    if (!stated.has(of)) stated.set(of, { key: of, offset });
  }
  return { fields, unknown, findings, stated, ignored, terms, named, hints };
}

/** Adds the offsets of targets that have not the form of an id of ours. */
function addNames(named: Map<string, number>, node: Node, from: number): void {
  for (const item of listItems(node)) {
    const target = item.kind === 'map' ? item.values[item.keys.indexOf('to')] : item;
    if (target?.kind !== 'scalar' || isOwnId(target.source) || named.has(target.source)) continue;
    named.set(target.source, from + target.at);
  }
}

/** Returns whether front matter has an id of ours. */
function hasOwnKey(root: MapNode | undefined): boolean {
  const id = root?.values[root.keys.indexOf('id')];
  return id?.kind === 'scalar' && isOwnId(id.source);
}

/** The field that a key names by its second name, unless the file has a key of the first. */
function aliased({ aliases, fields }: Layout, root: MapNode, key: string): number | undefined {
  const place = aliases.get(key);
  return place === undefined || root.keys.includes(fields[place]!.name) ? undefined : place;
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
