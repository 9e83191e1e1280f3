import { lazily } from '../../base/lazily.ts';

/** Scripts that write words without spaces between them. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const segmenter = lazily(() => new Intl.Segmenter(undefined, { granularity: 'word' }));
const anyWord = /[\p{L}\p{N}]+/gu;
const asciiWord = /[a-z0-9]+/g;

// oxlint-disable-next-line no-control-regex
export const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text);

/** A text normalised for search: without case, accents and variants of letters. */
export function foldText(text: string): string {
  // Most titles are ASCII: they need no decomposition.
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

/** The words of a text, folded, each once, in the text's order. */
export function wordsOf(text: string): Set<string> {
  const folded = foldText(text);
  // Five times as fast as by the properties of letters.
  if (isAscii(folded)) return new Set(folded.match(asciiWord));
  const words = new Set<string>();
  for (const run of folded.match(anyWord) ?? []) {
    if (!unspaced.test(run)) words.add(run);
    else for (const { segment, isWordLike } of segmenter().segment(run)) if (isWordLike !== false) words.add(segment);
  }
  return words;
}

/** The maximal number of words of a query that are searched; further ones add little. */
const queryWordsMax = 16;

/** The words of a query that are searched. */
export function queryWordsOf(query: string): readonly string[] {
  return [...wordsOf(query)].slice(0, queryWordsMax);
}

/** Encoded data, not words. */
const data = /[A-Za-z0-9+/]{200,}={0,2}/g;

const termCharactersMax = 40;

/** The part of a word that an index of texts contains. */
export function termOf(word: string): string {
  return word.length > termCharactersMax ? word.slice(0, termCharactersMax) : word;
}

/** The words of a text for an index, without encoded data. */
export function* indexedWordsOf(text: string): Generator<string, void> {
  for (const one of wordsOf(text.replace(data, ' '))) yield termOf(one);
}

/** The longest text of which the engine copies a part, instead of referring to the whole. */
const copiedCharactersMax = 12;

/** A copy of a word in its own memory, because a part of a string keeps the whole string in memory. */
export function ownCopyOf(word: string): string {
  return word.length > copiedCharactersMax ? Buffer.from(word, 'utf16le').toString('utf16le') : word;
}
