import { limits } from '../../../base/limits.ts';
import type { Node } from './node.ts';
import { Unreadable } from './source-text.ts';
import { nodeOf, parseYaml } from './yaml-read.ts';

/** Lines of front matter that YAML rejects: a key with its value. Offsets count from the beginning of the block. */
export interface BrokenEntry {
  /** The key, if the lines begin with one. */
  readonly key: string | undefined;
  readonly start: number;
  readonly end: number;
  /** The error, with its position. */
  readonly error: Unreadable;
}

/** Front matter in which broken entries are comments of the same length, so that the offsets of all others stay. */
export interface MaskedBlock {
  readonly block: string;
  readonly broken: readonly BrokenEntry[];
}

/**
 * Reads front matter key by key, and masks the keys that YAML rejects: one wrong value does not hide the others. A
 * key's entry begins at its line and ends before the next line that begins with something else than a blank, a comment,
 * an item of a list or the end of one. More keys than may be read are left as they are.
 */
export function maskBroken(block: string): MaskedBlock {
  const broken: BrokenEntry[] = [];
  const seen = new Set<string>();
  const starts = entryStarts(block);
  if (starts.length > limits.frontMatterKeysMax) return { block, broken };
  let masked = starts.length === 0 ? block : block.slice(0, starts[0]);
  starts.forEach((start, i) => {
    const end = starts[i + 1] ?? block.length;
    const text = block.slice(start, end);
    const error = errorOf(text, start, seen);
    if (error === undefined) masked += text;
    else {
      broken.push({ key: keyOf(text), start, end, error });
      masked += asComment(text);
    }
  });
  return { block: masked, broken };
}

const noEntry = /[\s#\]}]|-(?=\s)/y;

/** The offsets of lines that begin an entry. The first line, after the fence, is empty. */
function entryStarts(block: string): number[] {
  const starts: number[] = [];
  for (let at = block.indexOf('\n') + 1; at > 0 && at < block.length; at = block.indexOf('\n', at) + 1) {
    noEntry.lastIndex = at;
    if (!noEntry.test(block)) starts.push(at);
  }
  return starts;
}

/** The error of an entry; undefined if it is one key, of its own, with a value. */
function errorOf(text: string, start: number, seen: Set<string>): Unreadable | undefined {
  let node: Node;
  try {
    // Neither half of the line ending before the closing fence belongs to the YAML.
    node = nodeOf(parseYaml(text.endsWith('\r') ? text.slice(0, -1) : text).contents);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return new Unreadable(start + error.offset, error.message);
  }
  const [key] = node.kind === 'map' ? node.keys : [];
  if (key === undefined) return new Unreadable(start, 'The line is not a key with a value.');
  if (seen.has(key)) return new Unreadable(start, `The key ${JSON.stringify(key)} occurs twice; the first one counts.`);
  seen.add(key);
  return undefined;
}

/**
 * It matches in two steps, because in one step the blanks of a long line would be tried as the end of every key that
 * begins like it.
 */
function keyOf(text: string): string | undefined {
  const [begin = '', quote = '', key] = /^(["']?)([^"':\n]+)/.exec(text) ?? [];
  const rest = text.slice(begin.length);
  return rest.startsWith(quote) && /^[ \t]*:(?=\s|$)/.test(rest.slice(quote.length)) ? key : undefined;
}

/** The text with `#` as the first character of each line that is not blank. */
function asComment(text: string): string {
  return text.replaceAll(/^[^\r\n]/gm, '#');
}
