import matter from 'gray-matter';
import { limits } from '../../../limits.ts';
import { readCanonical } from './canonical-read.ts';
import type { MapNode } from './node.ts';
import { Unreadable } from './source-text.ts';
import { nodeOf, parseYaml } from './yaml-read.ts';

/** Where front matter lies in a file's text. Offsets count UTF-16 units. */
export interface Fences {
  /** The text between the fences, with the line ending before it and without the one after it. */
  readonly from: number;
  readonly to: number;
  /** Behind the closing fence's line. */
  readonly bodyStart: number;
}

const emptyMap: MapNode = { kind: 'map', keys: [], values: [], at: 0 };

/** Runs of this many blank lines in front matter are refused: gray-matter's search for an empty block takes the square of their number. */
const blankLinesMax = 1000;

/** `findFences` refuses every other language before. */
const closed = {
  parse: (): never => {
    throw new Unreadable(0, 'Only YAML is read as front matter.');
  },
};

/** What gray-matter brings along evaluates JavaScript: every engine but ours is shut. The options object also keeps its cache out of use. */
const options = {
  engines: {
    // The line ending before the closing fence is not the YAML's, neither half of it.
    yaml: { parse: (text: string): object => readYaml(text.endsWith('\r') ? text.slice(0, -1) : text) },
    javascript: closed,
    js: closed,
    json: closed,
    coffee: closed,
    toml: closed,
  },
};

/** The map that the YAML holds; a box around undefined where it holds something else. */
function readYaml(text: string): { root: MapNode | undefined } {
  const canonical = readCanonical(text);
  if (canonical !== undefined) return { root: canonical };
  const node = nodeOf(parseYaml(text).contents);
  if (node.kind === 'map') return { root: node };
  return { root: node.kind === 'scalar' && node.value === null ? emptyMap : undefined };
}

/**
 * Finds front matter: a first line `---`, YAML, and a line `---`. Undefined where a file has none; a rule at the top of a page is none.
 * Throws where somebody meant front matter and it cannot be taken off: another language, no end, too large.
 */
export function findFences(text: string): Fences | undefined {
  if (!text.startsWith('---')) return undefined;
  const firstEnd = lineEndAfter(text, 0);
  const language = text.slice(3, firstEnd).trim();
  const close = text.indexOf('\n---', firstEnd);
  if (language !== '' && !/^ya?ml$/i.test(language)) return otherLanguage(language, close);
  // Without an end, the first lines tell front matter from a rule.
  const to = close === -1 ? text.length : close;
  const end = close === -1 ? -1 : lineEndAfter(text, close + 1);
  if (end === -1 || text.slice(close + 4, end).trim() !== '') {
    if (!looksLikeKeys(text.slice(firstEnd, Math.min(to, firstEnd + limits.frontMatterBytesMax)))) return undefined;
    throw new Unreadable(close + 1, 'The front matter that begins in line 1 is not closed by a line ---.');
  }
  const fences = { from: firstEnd, to, bodyStart: Math.min(end + 1, text.length) };
  return fitsLimits(text, fences) ? fences : undefined;
}

/** `---js` and its like: nobody's front matter is evaluated. A first line of other words is the page's own. */
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
  // What the service wrote itself costs no more to read than its bytes; only YAML at large can be made to cost the square of them.
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

/** True where the first line that says anything begins with a key, or any line with an id. */
function looksLikeKeys(block: string): boolean {
  return /^(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*["']?[\w.-]+["']?[ \t]*:(?=\s|$)/.test(block) || /^id:\s/m.test(block);
}

/**
 * Reads what stands between the fences; offsets of its nodes count from `fences.from`. Undefined where it is no front matter after all:
 * prose between two rules.
 */
export function readFrontMatter(text: string, fences: Fences): MapNode | undefined {
  const block = text.slice(fences.from, fences.to);
  const firstLine = /^[ \t]*\r?\n[ \t]*\r?(?:\n|$)/.test(block);
  try {
    const { data } = matter(`---${block}\n---`, options);
    // Only comments and blank lines: gray-matter asks no engine. Behind a rule a blank line begins a page.
    const root = 'root' in data ? (data as { root: MapNode | undefined }).root : firstLine ? undefined : emptyMap;
    if (root === undefined) throw new Unreadable(0, 'The front matter is no map of keys and values.');
    return root;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    if (looksLikeKeys(block)) throw new Unreadable(fences.from + error.offset, error.message);
    return undefined;
  }
}
