import { limits } from '../../limits.ts';
import { atOnce } from '../../slices.ts';
import type { DerivedIndex, StoredRecord, View } from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';
import type { SearchedName } from '../records/declared.ts';
import { eachPosting, type Postings, withPosting } from './postings.ts';
import { isSameText, isSearched, searched, type SearchedRecord, textPiecesOf, titleOf } from './searched.ts';
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
  /** Of each collection, best first; of equal ones, the older first. */
  readonly hits: readonly BodyHit[];
  /** The terms that match with typos. */
  readonly similar: readonly string[];
}

/** Characters that one step of building reads, and what a record costs beside its text. */
const stepCharacters = 48 * 1024;
const recordCharacters = 200;

/** The maximal number of longer words with the given prefix that are examined. */
const prefixTermsMax = 5000;

/** Slots of former states that are tolerated beside those of present ones. */
const formerSlotsMin = 1024;

interface Match {
  readonly postings: Postings;
  readonly weight: number;
}

/** A record that is being read. */
interface Reading {
  readonly record: SearchedRecord;
  readonly collection: SearchedName;
  readonly pieces: Iterator<string, void>;
  /** Whether each word is in a text; otherwise it is in the title only. */
  readonly words: Map<string, boolean>;
  characters: number;
}

/** Of each slot, while a query is evaluated. */
class Counters {
  readonly length: number;
  readonly #bytes: Uint8Array;
  /** How many words match, in the title or a text. */
  readonly words: Uint8Array;
  /** The last word that matched anywhere, and in a text; counted from 1. */
  readonly lastWord: Uint8Array;
  readonly lastInText: Uint8Array;
  readonly scores: Float32Array;

  constructor(length: number) {
    this.length = length;
    this.#bytes = new Uint8Array(length * 3);
    this.words = this.#bytes.subarray(0, length);
    this.lastWord = this.#bytes.subarray(length, length * 2);
    this.lastInText = this.#bytes.subarray(length * 2);
    this.scores = new Float32Array(length);
  }

  clear(): void {
    this.#bytes.fill(0);
    this.scores.fill(0);
  }
}

/**
 * The words of a project's titles and texts. Derived index `bodies`. Built in steps after the first search of the project: a service that is
 * never searched needs neither the time nor the memory. From then on changed records are marked, and read by the next search. It holds words,
 * no text: a text that is not in memory is read once for each change.
 *
 * Each state of a record has a slot of its own, so numbers only grow and are stored as differences. Former states stay until they are as
 * many as the present ones; then the index is built again.
 */
export class BodyIndex implements DerivedIndex {
  readonly #view: View<PlannerCollections>;
  readonly #wanted: (index: BodyIndex) => void;
  /** Records that are not reached yet; undefined before the first search. */
  #rest: Iterator<readonly [SearchedRecord, SearchedName]> | undefined;
  #isAtEnd = false;
  /** Changed records that are to be read. */
  #changed = new Map<string, SearchedName>();
  #reading: Reading | undefined;
  #terms = new Map<string, Postings>();
  #list = new TermList();
  #slots = new Map<string, number>();
  /** Of each slot; undefined for a former state. */
  #ids: (string | undefined)[] = [];
  #collections: number[] = [];
  #created: number[] = [];
  #characters: number[] = [];
  #total = 0;
  /** Records beyond the bound of all texts. */
  #left = new Set<string>();
  #counters = new Counters(0);

  /** `wanted` is called once, when the index is to be built in the background. */
  constructor(view: View<PlannerCollections>, wanted: (index: BodyIndex) => void = () => undefined) {
    this.#view = view;
    this.#wanted = wanted;
  }

  /** Whether some texts are not in the index, because all of them are longer than its bound. */
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

  /** Builds the index, or reads what changed, in steps between which the project may change; undefined if there is nothing to do. */
  build(): Iterator<unknown, void> | undefined {
    if (this.#rest === undefined) this.#begin();
    else if (this.#ids.length - this.#slots.size > this.#slots.size + formerSlotsMin) this.#begin();
    return this.#isCurrent() ? undefined : this.#steps();
  }

  /** The records that contain every word. Time proportional to the records that contain any of them. */
  find(query: BodyQuery): BodyHits {
    const steps = this.build();
    if (steps !== undefined) atOnce(steps);
    const counters = this.#cleared();
    const similar = new Set<string>();
    for (const [at, word] of query.words.entries()) {
      for (const match of this.#matches(word, query.typos, similar)) count(counters, match, at + 1);
    }
    return { hits: this.#best(query), similar: [...similar] };
  }

  /** The ids of all records of a collection whose title and texts contain every word, or a word that begins with it. */
  matching(words: readonly string[], collection: SearchedName): string[] {
    const steps = this.build();
    if (steps !== undefined) atOnce(steps);
    const counters = this.#cleared();
    for (const [at, word] of words.entries()) {
      const whole = this.#terms.get(word);
      if (whole !== undefined) count(counters, { postings: whole, weight: 1 }, at + 1);
      for (const one of this.#list.withPrefix(word))
        count(counters, { postings: this.#terms.get(one)!, weight: 1 }, at + 1);
    }
    const wanted = searched.indexOf(collection);
    return this.#ids.filter(
      (id, slot) => id !== undefined && counters.words[slot] === words.length && this.#collections[slot] === wanted,
    ) as string[];
  }

  #best({ words, types, limit }: BodyQuery): BodyHit[] {
    const { words: matched, scores } = this.#counters;
    const best = searched.map((collection) =>
      types.has(collection) ? new Best(limit, this.#created, scores) : undefined,
    );
    for (let slot = 0; slot < this.#ids.length; slot++) {
      if (matched[slot] === words.length && scores[slot]! > 0 && this.#ids[slot] !== undefined)
        best[this.#collections[slot]!]?.add(slot);
    }
    return best.flatMap((of, at) =>
      (of?.slots ?? []).map((slot) => ({ id: this.#ids[slot]!, collection: searched[at]!, score: scores[slot]! })),
    );
  }

  /** What matches a word of a query, best first. */
  #matches(word: string, typos: boolean, similar: Set<string>): Match[] {
    const term = termOf(word);
    const found = new Map<string, Match>();
    const take = (one: string, weight: number): boolean => {
      const postings = this.#terms.get(one);
      if (postings === undefined || found.has(one)) return false;
      found.set(one, { postings, weight });
      return true;
    };
    take(term, 1);
    let left = prefixTermsMax;
    for (const one of this.#list.withPrefix(term)) {
      if (left-- === 0) break;
      take(one, 0.5 + (0.4 * term.length) / one.length);
    }
    const distance = typos ? typosIn(term) : 0;
    if (distance > 0) {
      for (const one of swaps(term)) if (take(one, 0.4)) similar.add(one);
      for (const [one, edits] of this.#list.within(term, distance)) if (take(one, 0.4 / edits)) similar.add(one);
    }
    return [...found.values()].sort((a, b) => b.weight - a.weight);
  }

  #cleared(): Counters {
    const slots = this.#ids.length;
    if (this.#counters.length < slots) this.#counters = new Counters(Math.ceil(slots * 1.25));
    else this.#counters.clear();
    return this.#counters;
  }

  #begin(): void {
    this.#rest = this.#all();
    this.#isAtEnd = false;
    this.#reading = undefined;
    this.#changed = new Map();
    this.#terms = new Map();
    this.#list = new TermList();
    this.#slots = new Map();
    this.#left = new Set();
    [this.#ids, this.#collections, this.#created, this.#characters, this.#total] = [[], [], [], [], 0];
  }

  *#all(): IterableIterator<readonly [SearchedRecord, SearchedName]> {
    for (const collection of searched) for (const record of this.#view.list(collection)) yield [record, collection];
  }

  #isCurrent(): boolean {
    return this.#isAtEnd && this.#changed.size === 0 && this.#reading === undefined;
  }

  /** Several may run at the same time: what is being read belongs to the index, and each continues it. */
  *#steps(): Generator<undefined, void> {
    let left = stepCharacters;
    while (!this.#isCurrent()) {
      left -= this.#step();
      if (left > 0) continue;
      left = stepCharacters;
      yield;
    }
  }

  /** Reads one piece of a text, or begins with the next record. Returns the work in characters. */
  #step(): number {
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

  #next(): Reading | undefined {
    const [changed] = this.#changed;
    if (changed !== undefined) {
      const [id, collection] = changed;
      this.#changed.delete(id);
      const record = this.#view.get(collection, id);
      return record === undefined ? undefined : readingOf(record, collection);
    }
    const next = this.#rest!.next();
    if (next.done === true) {
      this.#isAtEnd = true;
      return undefined;
    }
    const [{ id }] = next.value;
    return this.#slots.has(id) || this.#left.has(id) ? undefined : readingOf(...next.value);
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
      const postings = this.#terms.get(word);
      if (postings === undefined) {
        const term = ownCopyOf(word);
        this.#list.add(term);
        this.#terms.set(term, value);
        continue;
      }
      const more = withPosting(postings, value);
      if (more !== postings) this.#terms.set(word, more);
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

function readingOf(record: SearchedRecord, collection: SearchedName): Reading {
  const words = new Map<string, boolean>();
  for (const word of indexedWordsOf(titleOf(collection, record))) words.set(word, false);
  return { record, collection, pieces: textPiecesOf(collection, record), words, characters: 0 };
}

function count({ words, lastWord, lastInText, scores }: Counters, { postings, weight }: Match, mark: number): void {
  // Matches are in descending order: the weight that counts is the first one.
  eachPosting(postings, (value) => {
    const slot = value >>> 1;
    if (lastWord[slot] !== mark) {
      lastWord[slot] = mark;
      words[slot]!++;
    }
    if ((value & 1) === 1 && lastInText[slot] !== mark) {
      lastInText[slot] = mark;
      scores[slot]! += weight;
    }
  });
}

/** The slots with the highest scores; of equal ones, those of older records. */
class Best {
  readonly slots: number[] = [];
  readonly #limit: number;
  readonly #created: readonly number[];
  readonly #scores: Float32Array;

  constructor(limit: number, created: readonly number[], scores: Float32Array) {
    this.#limit = limit;
    this.#created = created;
    this.#scores = scores;
  }

  add(slot: number): void {
    const { slots } = this;
    let at = slots.length;
    while (at > 0 && this.#isBefore(slot, slots[at - 1]!)) at--;
    if (at >= this.#limit) return;
    slots.splice(at, 0, slot);
    if (slots.length > this.#limit) slots.pop();
  }

  #isBefore(slot: number, other: number): boolean {
    const difference = this.#scores[slot]! - this.#scores[other]!;
    return difference > 0 || (difference === 0 && this.#created[slot]! < this.#created[other]!);
  }
}
