import { limits } from '../../limits.ts';
import { type SearchedRecord, swaps, titleOf, typosIn } from './title-index.ts';
import { foldText } from './words.ts';

/** The text of a record: a task's description, the body of a document or note. */
export function textOf(record: SearchedRecord): string {
  return 'label' in record ? record.description : record.body;
}

/** A record whose title and text hold every word of a query. */
export interface TextHit {
  readonly record: SearchedRecord;
  /** How many of the words stand in the text itself. */
  readonly matched: number;
}

/** How each word of a query is found in a text. */
export type Patterns = readonly RegExp[];

/** Patterns for words as they stand, or nearly so. A word is found where it begins one, whatever its case. */
export function patternsOf(words: readonly string[], typos: boolean): Patterns {
  return words.map((word) => {
    const forms = new Set([word, foldText(word), ...(typos ? slips(word) : [])]);
    // eslint-disable-next-line no-control-regex
    const ascii = /^[\u0000-\u007f]*$/.test([...forms].join(''));
    // \b knows ASCII letters alone; looking back is slower and only for the others.
    return ascii
      ? new RegExp(`\\b(?:${[...forms].join('|')})`, 'i')
      : new RegExp(`(?<![\\p{L}\\p{N}])(?:${[...forms].join('|')})`, 'iu');
  });
}

/** Expressions for a word with one letter wrong, missing or too many, or two the other way round. */
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

  /** Those records whose title and text together hold every word, one of them in the text at least; in the order given. */
  *find(records: Iterable<SearchedRecord>): Generator<undefined, TextHit[]> {
    const hits: TextHit[] = [];
    let step = stepCharacters;
    for (const record of records) {
      const text = textOf(record);
      this.#left -= text.length;
      if (this.#left < 0) break;
      const matched = this.#matches(record, text);
      if (matched > 0) hits.push({ record, matched });
      // A title of a record without a text takes its time too.
      step -= text.length + titleOf(record).length + 1;
      if (step > 0) continue;
      step = stepCharacters;
      yield;
    }
    return hits;
  }

  #matches(record: SearchedRecord, text: string): number {
    let matched = 0;
    for (const pattern of this.#patterns) {
      if (pattern.test(text)) matched++;
      else if (!pattern.test(titleOf(record))) return 0;
    }
    return matched;
  }
}

const excerptCharacters = 200;
/** How much of it stands before what was found. */
const leadCharacters = 60;

/** The passage of a text where a query's first word that is in it stands, on one line; the text's beginning where none is. */
export function excerptOf(text: string, patterns: Patterns): string {
  const found = patterns.map((pattern) => text.search(pattern)).filter((at) => at >= 0);
  const at = found.length === 0 ? 0 : Math.min(...found);
  const from = at <= leadCharacters ? 0 : wordStart(text, at - leadCharacters);
  // Half a pair of surrogates is no character.
  const passage = text.slice(from, from + excerptCharacters).toWellFormed();
  const line = passage.replace(/\s+/g, ' ').trim();
  return `${from > 0 ? '… ' : ''}${line}${from + excerptCharacters < text.length ? ' …' : ''}`;
}

function wordStart(text: string, from: number): number {
  const space = text.slice(from, from + leadCharacters).search(/\s/);
  return space === -1 ? from : from + space + 1;
}
