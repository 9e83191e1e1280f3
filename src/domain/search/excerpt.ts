import { foldText, isAscii } from './words.ts';

/** The words that an excerpt shows: the words of the query, with the @ before them, as the beginnings of words, similar ones as whole words. */
export interface ShownWords {
  readonly words: readonly string[];
  readonly similar: readonly string[];
}

const excerptCharacters = 200;
/** The number of characters before the match. */
const leadCharacters = 60;

/**
 * The passage around the first word of a query that is in the text, on one line; otherwise the beginning of the text.
 * In steps.
 */
export function* excerptOf(pieces: Iterable<string>, shown: ShownWords): Generator<undefined, string> {
  const finder = new Finder(shown);
  let [before, within, beginning] = ['', false, ''];
  const rest = pieces[Symbol.iterator]();
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    const { value: piece } = next;
    const at = finder.find(piece);
    // The passage may begin before the piece and end after it.
    if (at !== -1) return passageOf(before + piece + (rest.next().value ?? ''), before.length + at, within);
    within ||= piece.length > leadCharacters;
    before = piece.slice(-leadCharacters);
    if (beginning.length <= excerptCharacters) beginning += piece;
    yield;
  }
  return passageOf(beginning.trimStart(), 0, false);
}

function passageOf(text: string, at: number, isWithin: boolean): string {
  const from = at <= leadCharacters ? 0 : wordStart(text, at - leadCharacters);
  // A lone surrogate is not a character.
  const passage = text.slice(from, from + excerptCharacters).toWellFormed();
  const line = passage.replace(/\s+/g, ' ').trim();
  return `${from > 0 || isWithin ? '… ' : ''}${line}${from + excerptCharacters < text.length ? ' …' : ''}`;
}

function wordStart(text: string, from: number): number {
  const space = text.slice(from, from + leadCharacters).search(/\s/);
  return space === -1 ? from : from + space + 1;
}

const run = /@?[\p{L}\p{N}\p{M}]+/gu;
const spaced = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}\p{M}]+$/u;

/** Finds the first word of a query in texts, ignoring case and accents. */
class Finder {
  readonly #words: readonly string[];
  readonly #similar: ReadonlySet<string>;
  readonly #ascii: RegExp;

  constructor({ words, similar }: ShownWords) {
    this.#words = words;
    this.#similar = new Set(similar);
    const forms = [...words, ...similar.map((word) => `${word}(?![a-z0-9])`)];
    this.#ascii = new RegExp(`(?<![a-z0-9])(?:${forms.join('|')})`, 'i');
  }

  /** The position of the first match, or -1. */
  find(text: string): number {
    if (isAscii(text)) return text.search(this.#ascii);
    for (const { 0: word, index } of text.matchAll(run)) {
      const folded = foldText(word);
      const bare = folded.replace('@', '');
      if (this.#similar.has(bare)) return index;
      if (this.#words.some((one) => folded.startsWith(one) || bare.startsWith(one))) return index;
      // Words without spaces between them.
      if (!spaced.test(word))
        for (const one of this.#words) if (folded.includes(one)) return index + folded.indexOf(one);
    }
    return -1;
  }
}
