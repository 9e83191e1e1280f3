import SearchableMap from 'minisearch/SearchableMap';
import { atOnce } from '../../slices.ts';
import type { DerivedIndex, StoredRecord, View } from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';
import { searchFields, type SearchedName } from '../records/declared.ts';
import { resultMembers } from '../records/shown.ts';
import { wordsOf } from './words.ts';

export type SearchedRecord = PlannerCollections[SearchedName];

const lists: readonly string[] = resultMembers.SearchAnswer;

/** The collections that search finds, in the order of its results. */
export const searched: readonly SearchedName[] = (Object.keys(searchFields) as SearchedName[]).sort(
  (a, b) => lists.indexOf(searchFields[a].list) - lists.indexOf(searchFields[b].list),
);

/** The title of a record. */
export function titleOf(collection: SearchedName, record: SearchedRecord): string {
  return record[searchFields[collection].title as keyof SearchedRecord];
}

/** The titles that contain a word: one slot, or a set of slots. Most words are in one title, and a set uses more memory. */
type Postings = number | Set<number>;

interface Entry {
  readonly id: string;
  readonly collection: SearchedName;
  /** The number of words of the title. */
  readonly words: number;
}

/** A title that matches a query. */
export interface TitleHit {
  readonly id: string;
  readonly collection: SearchedName;
  /** 0 to 1; 1 if the title equals the query. */
  readonly score: number;
}

/** The titles that contain the most words of a query. */
export interface TitleHits {
  /** The number of the query's words in each of them. */
  readonly matched: number;
  readonly hits: readonly TitleHit[];
  /** Their number; `hits` are the best of them. */
  readonly total: number;
}

export interface TitleQuery {
  readonly words: readonly string[];
  /** Whether typos are tolerated. */
  readonly typos: boolean;
  /** The maximum number of hits of each collection. */
  readonly limit: number;
}

/** The maximal number of longer words with the given prefix that are examined. */
const prefixTermsMax = 2000;

/** Titles that one step of building adds. */
const stepTitles = 64;

/**
 * The words of the titles of a project's tasks, documents and notes. Derived index `titles`. Built in steps before the first search of the
 * project and updated with every change from then on, so that it costs nothing without searches. The words are in a radix tree, which finds
 * prefixes and typos.
 */
export class TitleIndex implements DerivedIndex {
  readonly #view: View<PlannerCollections>;
  /** Titles that are not added yet; undefined before the first search. */
  #rest: Iterator<readonly [SearchedRecord, SearchedName]> | undefined;
  #built = false;
  readonly #terms = new SearchableMap<Postings>();
  readonly #entries: (Entry | undefined)[] = [];
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];

  constructor(view: View<PlannerCollections>) {
    this.#view = view;
  }

  changed(collection: string, from: StoredRecord | undefined, to: StoredRecord | undefined): void {
    if (this.#rest === undefined || !isSearched(collection)) return;
    const [former, present] = [from, to] as [SearchedRecord | undefined, SearchedRecord | undefined];
    if (former !== undefined && present !== undefined && titleOf(collection, former) === titleOf(collection, present))
      return;
    // A title that building has not reached yet is added now, and not again later.
    if (former !== undefined) this.#remove(former.id, wordsOf(titleOf(collection, former)));
    if (present !== undefined) this.#add(present, collection);
  }

  /** Builds the index in steps, between which the project may change; undefined once it is built. Several may build at the same time. */
  build(): Iterator<unknown, void> | undefined {
    return this.#built ? undefined : this.#steps();
  }

  /**
   * The titles that contain the most words of the query, best first within each collection. Time proportional to the titles that contain
   * any of the words.
   */
  find({ words, typos, limit }: TitleQuery): TitleHits {
    if (!this.#built) atOnce(this.#steps());
    const weighed = words.map((word) => ({ terms: this.#termsOf(word, typos), worth: worthOf(word) }));
    const total = weighed.reduce((sum, { worth }) => sum + worth, 0);
    const scores = new Float32Array(this.#entries.length);
    const matched = new Uint8Array(this.#entries.length);
    const lastWord = new Uint8Array(this.#entries.length);
    for (const [at, { terms, worth }] of weighed.entries()) {
      const mark = at + 1;
      const count = (slot: number, weight: number): void => {
        // Terms are in descending order: the title's score for this word is already at least this.
        if (lastWord[slot] === mark) return;
        lastWord[slot] = mark;
        matched[slot]!++;
        scores[slot]! += (weight * worth) / total;
      };
      for (const { postings, weight } of terms) {
        if (typeof postings === 'number') count(postings, weight);
        else for (const slot of postings) count(slot, weight);
      }
    }
    return this.#best(scores, matched, limit);
  }

  #best(scores: Float32Array, matched: Uint8Array, limit: number): TitleHits {
    let most = 0;
    for (const count of matched) if (count > most) most = count;
    const best = new Map(searched.map((collection) => [collection, [] as TitleHit[]]));
    let total = 0;
    if (most > 0) {
      for (let slot = 0; slot < matched.length; slot++) {
        const entry = this.#entries[slot];
        if (matched[slot] !== most || entry === undefined) continue;
        total++;
        const { id, collection, words } = entry;
        // If two titles match equally, the one with fewer other words is first.
        const score = scores[slot]! * 0.9 + (0.1 * most) / Math.max(most, words);
        keepBest(best.get(collection)!, { id, collection, score }, limit);
      }
    }
    return { matched: most, hits: [...best.values()].flat(), total };
  }

  /** The indexed terms that match a word of a query, best first. */
  #termsOf(word: string, typos: boolean): { readonly postings: Postings; readonly weight: number }[] {
    const found = new Map<string, { readonly postings: Postings; readonly weight: number }>();
    const take = (term: string, postings: Postings | undefined, weight: number): void => {
      if (postings !== undefined && !found.has(term)) found.set(term, { postings, weight });
    };
    take(word, this.#terms.get(word), 1);
    let left = prefixTermsMax;
    for (const [term, postings] of this.#terms.atPrefix(word)) {
      if (left-- === 0) break;
      take(term, postings, 0.5 + (0.4 * word.length) / term.length);
    }
    const distance = typos ? typosIn(word) : 0;
    if (distance > 0) {
      for (const term of swaps(word)) take(term, this.#terms.get(term), 0.4);
      for (const [term, [postings, edits]] of this.#terms.fuzzyGet(word, distance)) take(term, postings, 0.4 / edits);
    }
    return [...found.values()].sort((a, b) => b.weight - a.weight);
  }

  *#steps(): Generator<undefined, void> {
    this.#rest ??= this.#all();
    while (!this.#built) {
      for (let left = stepTitles; left > 0 && !this.#built; left--) {
        const next = this.#rest.next();
        if (next.done === true) this.#built = true;
        else if (!this.#slots.has(next.value[0].id)) this.#add(...next.value);
      }
      yield;
    }
  }

  *#all(): IterableIterator<readonly [SearchedRecord, SearchedName]> {
    for (const collection of searched) for (const record of this.#view.list(collection)) yield [record, collection];
  }

  #add(record: SearchedRecord, collection: SearchedName): void {
    const words = wordsOf(titleOf(collection, record));
    const slot = this.#free.pop() ?? this.#entries.length;
    this.#entries[slot] = { id: record.id, collection, words: words.size };
    this.#slots.set(record.id, slot);
    for (const word of words) {
      const postings = this.#terms.get(word);
      if (postings === undefined) this.#terms.set(word, slot);
      else if (typeof postings === 'number') this.#terms.set(word, new Set([postings, slot]));
      else postings.add(slot);
    }
  }

  #remove(id: string, words: ReadonlySet<string>): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#slots.delete(id);
    this.#entries[slot] = undefined;
    this.#free.push(slot);
    for (const word of words) {
      const postings = this.#terms.get(word);
      if (typeof postings !== 'object') this.#terms.delete(word);
      else if (postings.delete(slot) && postings.size === 0) this.#terms.delete(word);
    }
  }
}

function isSearched(collection: string): collection is SearchedName {
  return Object.hasOwn(searchFields, collection);
}

/** Keeps the best hits in order; equal hits keep their order. */
function keepBest(hits: TitleHit[], hit: TitleHit, limit: number): void {
  if (hits.length === limit && hits[limit - 1]!.score >= hit.score) return;
  let at = hits.length;
  while (at > 0 && hits[at - 1]!.score < hit.score) at--;
  hits.splice(at, 0, hit);
  if (hits.length > limit) hits.pop();
}

/** The weight of a word in a query: long words count more than short ones. */
function worthOf(word: string): number {
  return Math.min(word.length, 8);
}

/** The number of wrong letters that a word tolerates. Numbers tolerate none, and short words are too similar to each other. */
export function typosIn(word: string): number {
  if (/\p{N}/u.test(word) || word.length < 4) return 0;
  return word.length < 7 ? 1 : 2;
}

/** The word with two neighbouring letters swapped: one typo, but two edits. */
export function* swaps(word: string): IterableIterator<string> {
  for (let at = 1; at < word.length; at++) {
    yield word.slice(0, at - 1) + word.charAt(at) + word.charAt(at - 1) + word.slice(at + 1);
  }
}
