import { limits } from '../../limits.ts';
import { searchFields, type SearchedName } from '../records/declared.ts';
import { type SearchedRecord, swaps, titleOf, typosIn } from './title-index.ts';
import { foldText } from './words.ts';

/** The text of a record: a task's description, the body of a document or note. */
export function textOf(collection: SearchedName, record: SearchedRecord): string {
  return record[searchFields[collection].text as keyof SearchedRecord];
}

/** A record whose title and text contain every word of a query. */
export interface TextHit {
  readonly record: SearchedRecord;
  /** The number of the words in the text itself. */
  readonly matched: number;
}

/** One pattern for each word of a query. */
export type Patterns = readonly RegExp[];

/** Patterns for words, optionally with typos. A word matches as a prefix of a word, ignoring case. */
export function patternsOf(words: readonly string[], typos: boolean): Patterns {
  return words.map((word) => {
    const forms = new Set([word, foldText(word), ...(typos ? slips(word) : [])]);
    // eslint-disable-next-line no-control-regex
    const ascii = /^[\u0000-\u007f]*$/.test([...forms].join(''));
    // \b supports ASCII letters only; lookbehind is slower and used for other letters.
    return ascii
      ? new RegExp(`\\b(?:${[...forms].join('|')})`, 'i')
      : new RegExp(`(?<![\\p{L}\\p{N}])(?:${[...forms].join('|')})`, 'iu');
  });
}

/** Patterns for a word with one wrong, missing or extra letter, or two swapped ones. */
function slips(word: string): string[] {
  if (typosIn(word) === 0) return [];
  const wrong = Array.from(word, (_, at) => `${word.slice(0, at)}\\w{0,2}${word.slice(at + 1)}(?!\\w)`);
  return [...wrong, ...swaps(word)];
}

/** Characters that are read between two yields. */
const stepCharacters = 64 * 1024;

/** A reading of texts in steps that ends when it has read enough. */
export class TextScan {
  readonly #patterns: Patterns;
  #left = limits.searchTextCharactersMax;

  constructor(patterns: Patterns) {
    this.#patterns = patterns;
  }

  /** True once there was more to read than one search reads. */
  get incomplete(): boolean {
    return this.#left < 0;
  }

  /** The records whose title and text together contain every word, at least one of them in the text; in the given order. */
  *find(collection: SearchedName, records: Iterable<SearchedRecord>): Generator<undefined, TextHit[]> {
    const hits: TextHit[] = [];
    let step = stepCharacters;
    for (const record of records) {
      const text = textOf(collection, record);
      this.#left -= text.length;
      if (this.#left < 0) break;
      const title = titleOf(collection, record);
      const matched = this.#matches(title, text);
      if (matched > 0) hits.push({ record, matched });
      // A title of a record without a text takes its time too.
      step -= text.length + title.length + 1;
      if (step > 0) continue;
      step = stepCharacters;
      yield;
    }
    return hits;
  }

  #matches(title: string, text: string): number {
    let matched = 0;
    for (const pattern of this.#patterns) {
      if (pattern.test(text)) matched++;
      else if (!pattern.test(title)) return 0;
    }
    return matched;
  }
}

const excerptCharacters = 200;
/** The number of characters before the match. */
const leadCharacters = 60;

/** The passage around the first word of a query that is in the text, on one line; the beginning of the text if none is. */
export function excerptOf(text: string, patterns: Patterns): string {
  const found = patterns.map((pattern) => text.search(pattern)).filter((at) => at >= 0);
  const at = found.length === 0 ? 0 : Math.min(...found);
  const from = at <= leadCharacters ? 0 : wordStart(text, at - leadCharacters);
  // A lone surrogate is not a character.
  const passage = text.slice(from, from + excerptCharacters).toWellFormed();
  const line = passage.replace(/\s+/g, ' ').trim();
  return `${from > 0 ? '… ' : ''}${line}${from + excerptCharacters < text.length ? ' …' : ''}`;
}

function wordStart(text: string, from: number): number {
  const space = text.slice(from, from + leadCharacters).search(/\s/);
  return space === -1 ? from : from + space + 1;
}
