import matter from 'gray-matter';
import { limits } from '../../../base/limits.ts';
import { readCanonical } from './canonical-read.ts';
import type { MapNode } from './node.ts';
import { Unreadable } from './source-text.ts';
import { nodeOf, parseYaml } from './yaml-read.ts';

/** The position of front matter in a file's text. Offsets count UTF-16 units. */
export interface Fences {
  /** The text between the fences, including the line ending before it and excluding the one after it. */
  readonly from: number;
  readonly to: number;
  /** The offset after the closing fence's line. */
  readonly bodyStart: number;
}

const emptyMap: MapNode = { kind: 'map', keys: [], values: [], at: 0 };

/** More blank lines in a row are rejected: gray-matter's search for an empty block is quadratic in their number. */
const blankLinesMax = 1000;

/** `findFences` rejects every other language before. */
const closed = {
  parse: (): never => {
    throw new Unreadable(0, 'Only YAML is read as front matter.');
  },
};

/**
 * gray-matter's default engines evaluate JavaScript: replaces every engine but YAML. Passing options also disables its
 * cache.
 */
const options = {
  engines: {
    // Neither half of the line ending before the closing fence belongs to the YAML.
    yaml: { parse: (text: string): object => readYaml(text.endsWith('\r') ? text.slice(0, -1) : text) },
    javascript: closed,
    js: closed,
    json: closed,
    coffee: closed,
    toml: closed,
  },
};

/** The map in the YAML; wraps undefined if it is not a map. */
function readYaml(text: string): { root: MapNode | undefined } {
  const node = nodeOf(parseYaml(text).contents);
  if (node.kind === 'map') return { root: node };
  return { root: node.kind === 'scalar' && node.value === null ? emptyMap : undefined };
}

/**
 * Finds front matter: a first line `---`, YAML, and a line `---`. Undefined for a file without it; a horizontal rule at
 * the top of a page does not count. Throws for front matter that cannot be read: another language, not closed, too
 * large.
 */
export function findFences(text: string): Fences | undefined {
  if (!text.startsWith('---')) return undefined;
  const firstEnd = lineEndAfter(text, 0);
  const language = text.slice(3, firstEnd).trim();
  const close = text.indexOf('\n---', firstEnd);
  if (language !== '' && !/^ya?ml$/i.test(language)) return otherLanguage(language, close);
  // If it is not closed, its first lines distinguish front matter from a horizontal rule.
  const to = close === -1 ? text.length : close;
  const end = close === -1 ? -1 : lineEndAfter(text, close + 1);
  if (end === -1 || text.slice(close + 4, end).trim() !== '') {
    if (!looksLikeKeys(text.slice(firstEnd, Math.min(to, firstEnd + limits.frontMatterBytesMax)))) return undefined;
    throw new Unreadable(close + 1, 'The front matter that begins in line 1 is not closed by a line ---.');
  }
  const fences = { from: firstEnd, to, bodyStart: Math.min(end + 1, text.length) };
  return fitsLimits(text, fences) ? fences : undefined;
}

/** `---js` and the like: front matter is never evaluated. A first line of other words belongs to the page. */
function otherLanguage(language: string, close: number): undefined {
  if (close === -1 || !/^[A-Za-z][\w+.]*$/.test(language)) return undefined;
  throw new Unreadable(0, `Front matter in ${language} is not read: only YAML is.`);
}

function lineEndAfter(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function fitsLimits(text: string, { from, to }: Fences): boolean {
  const block = text.slice(from, to);
  const bytes = Buffer.byteLength(block);
  if (bytes <= limits.frontMatterBytesMax) return fitsBlankLines(text, from, to);
  // Canonical front matter takes linear time; only general YAML can take quadratic time.
  if (bytes <= limits.canonicalFrontMatterBytesMax && readCanonical(block) !== undefined) return true;
  if (!looksLikeKeys(text.slice(from, from + limits.frontMatterBytesMax))) return false;
  throw new Unreadable(
    0,
    `The front matter has ${bytes} bytes; at most ${limits.frontMatterBytesMax} are read, unless it is as the service writes it.`,
  );
}

function fitsBlankLines(text: string, from: number, to: number): true {
  if (to - from <= blankLinesMax) return true;
  let count = 0;
  for (let at = from; at < to; at++) {
    const character = text.charAt(at);
    if (/\S/.test(character)) count = 0;
    else if (/[\n\r\u2028\u2029]/.test(character) && ++count > blankLinesMax) {
      throw new Unreadable(at, 'The front matter has too many blank lines in a row.');
    }
  }
  return true;
}

/**
 * Returns true if the first line with content begins with a key of one word, or any line with an id, or every line that
 * is not indented with a key, which may have blanks in it.
 */
export function looksLikeKeys(block: string): boolean {
  if (/^(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*["']?[\w.-]+["']?[ \t]*:(?=\s|$)/.test(block) || /^id:\s/m.test(block))
    return true;
  const lines = block.split('\n').filter((line) => /^[^\s#\]}-]/.test(line));
  return lines.length > 0 && lines.every((line) => /^["']?[\p{L}\p{N}_][^:]*:(?=\s|$)/u.test(line));
}

/**
 * Reads the text between the fences; offsets of nodes count from `fences.from`. Undefined if it is not front matter but
 * prose between two rules.
 */
export function readFrontMatter(text: string, fences: Fences): MapNode | undefined {
  const block = text.slice(fences.from, fences.to);
  const canonical = readCanonical(block);
  if (canonical !== undefined) return canonical;
  const firstLine = /^[ \t]*\r?\n[ \t]*\r?(?:\n|$)/.test(block);
  try {
    const { data } = matter(`---${block}\n---`, options);
    // With only comments and blank lines gray-matter calls no engine. A blank line after a rule begins a page.
    const root = 'root' in data ? (data as { root: MapNode | undefined }).root : firstLine ? undefined : emptyMap;
    if (root === undefined) throw new Unreadable(0, 'The front matter is not a map of keys and values.');
    return root;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    if (looksLikeKeys(block)) throw new Unreadable(fences.from + error.offset, error.message);
    return undefined;
  }
}
