import { limits } from '../../base/limits.ts';
import { atOnce } from '../../base/slices.ts';
import { type DerivedIndex, hasLazyText, Needed, type StoredRecord, type ReadTransaction } from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';
import type { SearchedName } from '../records/declared.ts';
import { Arena, costOf, type Postings, stored, withPosting } from './postings.ts';
import {
  isSameText,
  isSearched,
  searched,
  type SearchedRecord,
  textFields,
  textPiecesOf,
  titleOf,
} from './searched.ts';
import { Best, Tally } from './tally.ts';
import { TermList } from './term-list.ts';
import { swaps, typosIn } from './title-index.ts';
import { indexedWordsOf, ownCopyOf, termOf } from './words.ts';

/** A record whose title and texts contain every word of a query, at least one of them in a text. */
export interface BodyHit {
  readonly id: string;
  readonly collection: SearchedName;
  /** How many words of the query are in the texts, and how well they match: above 0, at most their number. */
  readonly score: number;
}

export interface BodyQuery {
  readonly words: readonly string[];
  readonly typos: boolean;
  /** The collections to find. */
  readonly types: ReadonlySet<SearchedName>;
  /** The maximum number of hits of each collection. */
  readonly limit: number;
}

export interface BodyHits {
  /** The hits of each collection, best first; the older first among equal ones. */
  readonly hits: readonly BodyHit[];
  /** The terms that match with typos. */
  readonly similar: readonly string[];
}

/** The characters that one step of building reads, and the additional cost of a record. */
const stepCharacters = 48 * 1024;
const recordCharacters = 200;

/** The number of terms whose postings are stored in one step, and the cost in characters. */
const storedTerms = 500;
const storedCharacters = 12 * 1024;

/** The maximal number of longer words with the given prefix that are examined. */
const prefixTermsMax = 5000;

/** Slots of former states that are tolerated in addition to the present ones. */
const formerSlotsMin = 1024;

/** The terms that match a word of a query, by descending weight. */
interface Matches {
  readonly groups: readonly { readonly weight: number; readonly numbers: readonly number[] }[];
  /** The work of counting them. */
  readonly cost: number;
}

interface MatchOptions {
  readonly typos: boolean;
  /** Gets the terms that match with typos. */
  readonly similar: Set<string>;
  /** The maximal number of words that begin with one of the query. */
  readonly most: number;
}

/** A record that is being read. */
interface Reading {
  readonly record: SearchedRecord;
  readonly collection: SearchedName;
  readonly pieces: Iterator<string, void>;
  /** True for a word in a text; false for a word in the title only. */
  readonly words: Map<string, boolean>;
  characters: number;
}

const fields = Object.fromEntries(searched.map((collection) => [collection, textFields(collection)]));

/**
 * The words of a project's titles and texts. Derived index `bodies`. Built in steps after the first search of the project: a service that is
 * never searched needs neither the time nor the memory. From then on changed records are marked, and read by the next search. It holds words,
 * no text: a text that is not in memory is read once for each change.
 *
 * Each state of a record has a slot of its own, so numbers only grow and are stored as differences. Former states stay until they are as
 * many as the present ones; then the index is built again.
 *
 * MiniSearch was measured in its place with the queries of `test/bench/figures/search-bodies.ts` over 50,000 texts of 400 bytes (`node -e 0`
 * took 27 ms): a search takes 1,270 ms at the 95th percentile and this one takes 3.9 ms; its index takes 143 MB and this one takes 21 MB.
 */
export class BodyIndex implements DerivedIndex {
  readonly fields = fields;
  readonly #view: ReadTransaction<PlannerCollections>;
  readonly #wanted: (index: BodyIndex) => void;
  /** Records that are not reached yet; undefined before the first search. */
  #rest: Iterator<readonly [SearchedRecord, SearchedName]> | undefined;
  #isAtEnd = false;
  /** Changed records that are to be read. */
  #changed = new Map<string, SearchedName>();
  #reading: Reading | undefined;
  /** After the build: stores the postings in the order of their terms. */
  #storing: Iterator<unknown, void> | undefined;
  #terms = new Map<string, number>();
  /** The postings by the number of the term. */
  #postings: Postings[] = [];
  #list = new TermList();
  #slots = new Map<string, number>();
  /** The id of each slot; undefined for a former state. */
  #ids: (string | undefined)[] = [];
  #collections: number[] = [];
  #created: number[] = [];
  #characters: number[] = [];
  #total = 0;
  /** Records beyond the bound of all texts. */
  #left = new Set<string>();
  #tally = new Tally(0);

  /** `wanted` is called once, when the index is to be built in the background. */
  constructor(view: ReadTransaction<PlannerCollections>, wanted: (index: BodyIndex) => void = () => undefined) {
    this.#view = view;
    this.#wanted = wanted;
  }

  /** True if some texts are not in the index, because all of them are longer than its bound. */
  get incomplete(): boolean {
    return this.#left.size > 0;
  }

  changed(collection: string, from: StoredRecord | undefined, to: StoredRecord | undefined): void {
    if (this.#rest === undefined || !isSearched(collection)) return;
    const [former, present] = [from, to] as [SearchedRecord | undefined, SearchedRecord | undefined];
    if (former !== undefined && present !== undefined && isSameText(collection, former, present)) {
      // A reading of the former state goes on: its text is the present one.
      if (this.#reading?.record === former) this.#reading = { ...this.#reading, record: present };
      return;
    }
    if (former !== undefined) this.#remove(former.id);
    if (present !== undefined) this.#changed.set(present.id, collection);
  }

  /** Starts building in the background, on the first call. */
  want(): void {
    if (this.#rest !== undefined) return;
    this.#begin();
    this.#wanted(this);
  }

  /**
   * Builds the index, or reads the changes, in steps between which the project may change; undefined if there is
   * nothing to do.
   */
  build(): Iterator<unknown, void> | undefined {
    if (this.#rest === undefined) this.#begin();
    else if (this.#ids.length - this.#slots.size > this.#slots.size + formerSlotsMin) this.#begin();
    return this.#isCurrent() ? undefined : this.#steps();
  }

  /** The records that contain every word. Time proportional to the records that contain any of them. */
  find({ words, typos, types, limit }: BodyQuery): BodyHits {
    const similar = new Set<string>();
    const slots = this.#evaluate(words, { typos, similar, most: prefixTermsMax });
    const { scores } = this.#tally;
    const best = searched.map((collection) =>
      types.has(collection) ? new Best(limit, this.#created, scores) : undefined,
    );
    for (const slot of slots) {
      if (scores[slot]! > 0 && this.#ids[slot] !== undefined) best[this.#collections[slot]!]?.add(slot);
    }
    const hits = best.flatMap((of, at) =>
      (of?.slots ?? []).map((slot) => ({ id: this.#ids[slot]!, collection: searched[at]!, score: scores[slot]! })),
    );
    return { hits, similar: [...similar] };
  }

  /** The ids of all records of a collection whose title and texts contain every word, or a word that begins with it. */
  matching(words: readonly string[], collection: SearchedName): string[] {
    const slots = this.#evaluate(words, { typos: false, similar: new Set(), most: Infinity });
    const wanted = searched.indexOf(collection);
    const ids: string[] = [];
    for (const slot of slots) {
      const id = this.#ids[slot];
      if (id !== undefined && this.#collections[slot] === wanted) ids.push(id);
    }
    return ids;
  }

  /** The slots that match every word; the tally has their scores. */
  #evaluate(words: readonly string[], options: MatchOptions): Uint32Array {
    const steps = this.build();
    if (steps !== undefined) atOnce(steps);
    const tally = this.#cleared();
    const matches = words.map((word) => this.#matches(word, options)).sort((a, b) => a.cost - b.cost);
    for (const { groups } of matches) {
      tally.next();
      for (const { weight, numbers } of groups)
        for (const number of numbers) tally.add(this.#postings[number]!, weight);
      if (tally.reached.length === 0) break;
    }
    return tally.reached;
  }

  #matches(word: string, { typos, similar, most }: MatchOptions): Matches {
    const term = termOf(word);
    let cost = 0;
    // The shorter the word that begins with it, the better it matches.
    const byLength: number[][] = [];
    this.#list.eachWithPrefix(term, most, (length, number) => {
      cost += costOf(this.#postings[number]!);
      (byLength[length] ??= []).push(number);
    });
    const groups: { weight: number; numbers: readonly number[] }[] = [];
    for (const [length, numbers = []] of byLength.entries())
      groups.push({ weight: length === term.length ? 1 : 0.5 + (0.4 * term.length) / length, numbers });
    const distance = typos ? typosIn(term) : 0;
    if (distance > 0) {
      const [near, farther] = this.#similarTo(term, distance, similar);
      groups.push({ weight: 0.4, numbers: near }, { weight: 0.2, numbers: farther });
    }
    return { groups, cost };
  }

  /** The terms with one typo, and the terms with two. */
  #similarTo(term: string, distance: number, similar: Set<string>): readonly [readonly number[], readonly number[]] {
    const [near, farther]: [number[], number[]] = [[], []];
    for (const one of swaps(term)) {
      const number = this.#terms.get(one);
      if (number === undefined) continue;
      similar.add(one);
      near.push(number);
    }
    for (const [one, edits, number] of this.#list.within(term, distance)) {
      if (one.startsWith(term)) continue;
      similar.add(one);
      (edits === 1 ? near : farther).push(number);
    }
    return [near, farther];
  }

  #cleared(): Tally {
    const slots = this.#ids.length;
    if (this.#tally.length < slots) this.#tally = new Tally(Math.ceil(slots * 1.25));
    else this.#tally.clear();
    return this.#tally;
  }

  #begin(): void {
    this.#rest = this.#all();
    this.#isAtEnd = false;
    this.#reading = undefined;
    this.#storing = undefined;
    this.#changed = new Map();
    this.#terms = new Map();
    this.#postings = [];
    this.#list = new TermList();
    this.#slots = new Map();
    this.#left = new Set();
    [this.#ids, this.#collections, this.#created, this.#characters, this.#total] = [[], [], [], [], 0];
  }

  *#all(): IterableIterator<readonly [SearchedRecord, SearchedName]> {
    for (const collection of searched) for (const record of this.#view.list(collection)) yield [record, collection];
  }

  #isCurrent(): boolean {
    const isReading = this.#reading !== undefined || this.#storing !== undefined;
    return this.#isAtEnd && this.#changed.size === 0 && !isReading;
  }

  /** Several may run at the same time: the reading state belongs to the index, and each run continues it. */
  *#steps(): Generator<unknown, void> {
    let left = stepCharacters;
    while (!this.#isCurrent()) {
      try {
        left -= this.#step();
      } catch (error) {
        if (!(error instanceof Needed)) throw error;
        yield error;
      }
      if (left > 0) continue;
      left = stepCharacters;
      yield;
    }
  }

  /** Reads one piece of a text, or begins with the next record. Returns the work in characters. */
  #step(): number {
    if (this.#storing !== undefined) {
      if (this.#storing.next().done === true) this.#storing = undefined;
      return storedCharacters;
    }
    const reading = (this.#reading ??= this.#next());
    if (reading === undefined) return recordCharacters;
    const piece = reading.pieces.next();
    if (piece.done === true) {
      this.#reading = undefined;
      this.#add(reading);
      return recordCharacters;
    }
    reading.characters += piece.value.length;
    if (this.#total + reading.characters > limits.searchTextCharactersMax) {
      this.#reading = undefined;
      this.#left.add(reading.record.id);
    } else for (const word of indexedWordsOf(piece.value)) reading.words.set(word, true);
    return piece.value.length;
  }

  *#store(): Generator<undefined, void> {
    const arena = new Arena();
    let left = storedTerms;
    for (const number of this.#list.numbers) {
      this.#postings[number] = stored(this.#postings[number]!, arena);
      if (--left > 0) continue;
      left = storedTerms;
      yield;
    }
  }

  #next(): Reading | undefined {
    const [changed] = this.#changed;
    if (changed !== undefined) {
      const [id, collection] = changed;
      const record = this.#view.get(collection, id);
      const reading = record && readingOf(record, collection);
      this.#changed.delete(id);
      return reading;
    }
    const next = this.#rest!.next();
    if (next.done === true) {
      this.#isAtEnd = true;
      this.#storing = this.#store();
      return undefined;
    }
    const [record, collection] = next.value;
    const { id } = record;
    if (this.#slots.has(id) || this.#left.has(id)) return undefined;
    if (!hasLazyText(record)) return readingOf(record, collection);
    // Its text may have to be fetched first: the iterator is past it then.
    this.#changed.set(id, collection);
    return undefined;
  }

  #add({ record, collection, words, characters }: Reading): void {
    const slot = this.#ids.length;
    this.#ids.push(record.id);
    this.#collections.push(searched.indexOf(collection));
    this.#created.push(Date.parse(record.created_at));
    this.#characters.push(characters);
    this.#total += characters;
    this.#slots.set(record.id, slot);
    for (const [word, inText] of words) {
      const value = slot * 2 + Number(inText);
      const number = this.#terms.get(word);
      if (number === undefined) {
        const term = ownCopyOf(word);
        this.#list.add(term, this.#postings.length);
        this.#terms.set(term, this.#postings.length);
        this.#postings.push(value);
        continue;
      }
      const postings = this.#postings[number]!;
      const more = withPosting(postings, value);
      if (more !== postings) this.#postings[number] = more;
    }
  }

  #remove(id: string): void {
    this.#changed.delete(id);
    this.#left.delete(id);
    if (this.#reading?.record.id === id) this.#reading = undefined;
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#slots.delete(id);
    this.#ids[slot] = undefined;
    this.#total -= this.#characters[slot]!;
  }
}

/** Throws `Needed` if the text has to be fetched first. */
function readingOf(record: SearchedRecord, collection: SearchedName): Reading {
  // The record is read in several steps, between which its text may leave memory.
  const whole = hasLazyText(record) ? { ...record } : record;
  const words = new Map<string, boolean>();
  for (const word of indexedWordsOf(titleOf(collection, whole))) words.set(word, false);
  return { record, collection, pieces: textPiecesOf(collection, whole), words, characters: 0 };
}
