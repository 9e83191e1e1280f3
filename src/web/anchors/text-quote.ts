/** A W3C Web Annotation selector: a piece of text with the text before and after it. */
export type TextQuote = {
  readonly type: 'TextQuoteSelector';
  readonly exact: string;
  readonly prefix: string;
  readonly suffix: string;
};

/** A range of a text, in UTF-16 units. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

const contextCharacters = 48;
/** The maximal length of a comment's passage. */
const passageCharactersMax = 9000;
/** The size of an anchor as JSON is limited; a longer passage is found by its beginning. */
const exactCharactersMax = 3000;

/** The quote of a range of a text; undefined if the range has no letters. */
export function quoteOf(text: string, { from, to }: Stretch): TextQuote | undefined {
  const exact = text.slice(from, Math.min(to, from + exactCharactersMax)).toWellFormed();
  if (lettersOf(exact).letters === '') return undefined;
  return {
    type: 'TextQuoteSelector',
    exact,
    prefix: text.slice(Math.max(0, from - contextCharacters), from).toWellFormed(),
    suffix: text.slice(to, to + contextCharacters).toWellFormed(),
  };
}

export function passageOf(text: string, { from, to }: Stretch): string {
  return text
    .slice(from, Math.min(to, from + passageCharactersMax))
    .trim()
    .toWellFormed();
}

/** A comment's anchor if it is a quote; else its passage as one. */
export function quoteIn(anchor: unknown, passage: string | null | undefined): TextQuote | undefined {
  if (typeof anchor === 'object' && anchor !== null && 'exact' in anchor && typeof anchor.exact === 'string') {
    const { exact, prefix, suffix } = anchor as { exact: string; prefix?: unknown; suffix?: unknown };
    const text = (value: unknown): string => (typeof value === 'string' ? value : '');
    return { type: 'TextQuoteSelector', exact, prefix: text(prefix), suffix: text(suffix) };
  }
  if (passage == null || passage.trim() === '') return undefined;
  return { type: 'TextQuoteSelector', exact: passage, prefix: '', suffix: '' };
}

/** The letters and digits of a text with their offsets: Markdown and its rendered text have the same. */
export interface Letters {
  readonly letters: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** The destinations of links and images are not visible text. */
const address = /\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"\n]*")?\)/y;
const letter = /[\p{L}\p{N}]/u;
/**
 * ASCII characters by code: letters in lower case and digits; other characters are empty. A long text is read with each
 * change of it.
 */
const asciiLetters: readonly string[] = Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  return letter.test(character) ? character.toLowerCase() : '';
});

export function lettersOf(text: string): Letters {
  let letters = '';
  const starts: number[] = [];
  const ends: number[] = [];
  for (let i = 0; i < text.length;) {
    if (text[i] === ']' && text[i + 1] === '(') {
      address.lastIndex = i;
      const length = address.exec(text)?.[0].length ?? 0;
      if (length > 0) {
        i += length;
        continue;
      }
    }
    const ascii = asciiLetters[text.charCodeAt(i)];
    if (ascii !== undefined) {
      if (ascii !== '') {
        starts.push(i);
        ends.push(i + 1);
        letters += ascii;
      }
      i++;
      continue;
    }
    const character = String.fromCodePoint(text.codePointAt(i)!);
    if (letter.test(character)) {
      const folded = character.toLowerCase();
      for (let k = 0; k < folded.length; k++) {
        starts.push(i);
        ends.push(i + character.length);
      }
      letters += folded;
    }
    i += character.length;
  }
  return { letters, starts, ends };
}

/**
 * Finds a quote in the current text: the occurrence whose context is most similar; if its own words were changed, the text between its
 * contexts; else the half of it that is left. Undefined if it is not found.
 */
export function findQuote(text: Letters, quote: TextQuote): Stretch | undefined {
  const exact = lettersOf(quote.exact).letters;
  if (exact === '') return undefined;
  const [before, behind] = [lettersOf(quote.prefix).letters, lettersOf(quote.suffix).letters];
  const { letters } = text;
  const found =
    best(letters, exact, before, behind) ??
    between(letters, exact.length, before, behind) ??
    half(letters, exact, before, behind);
  if (found === undefined) return undefined;
  return { from: text.starts[found.from]!, to: text.ends[found.to - 1]! };
}

function best(letters: string, exact: string, before: string, behind: string): Stretch | undefined {
  let found: (Stretch & { readonly score: number }) | undefined;
  for (let from = letters.indexOf(exact); from >= 0; from = letters.indexOf(exact, from + 1)) {
    const to = from + exact.length;
    const score = commonEnd(letters, from, before) + commonStart(letters, to, behind);
    if (found === undefined || score > found.score) found = { from, to, score };
  }
  return found;
}

function commonEnd(letters: string, end: number, other: string): number {
  let count = 0;
  while (count < other.length && count < end && letters[end - 1 - count] === other[other.length - 1 - count]) count++;
  return count;
}

function commonStart(letters: string, start: number, other: string): number {
  let count = 0;
  while (count < other.length && letters[start + count] === other[count]) count++;
  return count;
}

/** Fewer letters of context than these match anywhere. */
const tellingLetters = 10;

/**
 * The text between the contexts of the quote, if it has about its length. A short prefix means that the quote was at the beginning of the
 * text, a short suffix at the end.
 */
function between(letters: string, length: number, before: string, behind: string): Stretch | undefined {
  const [head, tail] = [before.slice(-24), behind.slice(0, 24)];
  const [atStart, atEnd] = [before.length < tellingLetters, behind.length < tellingLetters];
  if (atStart && atEnd) return undefined;
  const lengthMax = length * 2 + 40;
  for (let at = letters.indexOf(head); at >= 0; at = atStart ? -1 : letters.indexOf(head, at + 1)) {
    if (atStart && at > 0) return undefined;
    const from = at + head.length;
    const to = atEnd ? letters.length - tail.length : letters.indexOf(tail, from);
    if (atEnd && !letters.endsWith(tail)) return undefined;
    if (to > from && to - from <= lengthMax) return { from, to };
  }
  return undefined;
}

function half(letters: string, exact: string, before: string, behind: string): Stretch | undefined {
  const middle = Math.floor(exact.length / 2);
  if (middle < tellingLetters) return undefined;
  return (
    best(letters, exact.slice(0, middle), before, '') ?? best(letters, exact.slice(middle), '', behind) ?? undefined
  );
}
