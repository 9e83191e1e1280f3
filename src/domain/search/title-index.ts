import SearchableMap from 'minisearch/SearchableMap';
import { atOnce } from '../../base/slices.ts';
import type { DerivedIndex, StoredRecord, ReadTransaction } from '../../store/index.ts';
import type { PlannerCollections } from '../records/collections.ts';
import type { SearchedName } from '../records/declared.ts';
import { searched, type SearchedRecord, titleFields, titleOf } from './searched.ts';
import { wordsOf } from './words.ts';

/** The titles that contain a word: one slot, or several slots in no order. Most words are in one title. */
type Postings = number | number[];

/** A title that matches a query. */
export interface TitleHit {
  readonly id: string;
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
  /** True if typos are tolerated. */
  readonly typos: boolean;
  /** The maximum number of hits. */
  readonly limit: number;
}

/** The maximal number of longer words with the given prefix that are examined. */
const prefixTermsMax = 2000;

/** The number of titles that one step of building adds. */
const stepTitles = 64;

/** Titles that are added in a burst, so many between two looks, wait for its end unless a search needs them or this many wait. */
const burstTitles = 1000;
const waitingMax = 50_000;

/** Reading a title again takes about as long as counting this many postings. */
const readPostings = 8;

/** A word of a query, and the indexed terms that match it. */
interface QueryWord {
  readonly terms: readonly Term[];
  /** Its part of a score. */
  readonly worth: number;
  /** The number of postings of all terms. */
  readonly size: number;
}

interface Term {
  readonly term: string;
  readonly postings: Postings;
  readonly weight: number;
}

/** The counters of each slot. */
interface Counters {
  readonly scores: Float64Array;
  /** How many words of the query match. */
  readonly matched: Uint8Array;
  /** The last word that matched, counted from 1. */
  readonly lastWord: Uint8Array;
}

const fields = Object.fromEntries(searched.map((collection) => [collection, titleFields(collection)]));

/** The titles of a project by collection: a search reads those it is for. Derived index `titles`. */
export class TitleIndexes implements DerivedIndex {
  readonly fields = fields;
  readonly #indexes: ReadonlyMap<string, TitleIndex>;
  readonly #wanted: (index: TitleIndexes) => void;
  #isWanted = false;
  /** The number of waiting titles at the last look. */
  #seen = 0;

  /** `wanted` is called when titles wait to be added; they are added by the next `build`. */
  constructor(view: ReadTransaction<PlannerCollections>, wanted: (index: TitleIndexes) => void = () => undefined) {
    this.#indexes = new Map(searched.map((collection) => [collection, new TitleIndex(view, collection)]));
    this.#wanted = wanted;
  }

  changed(collection: string, from: StoredRecord | undefined, to: StoredRecord | undefined): void {
    const index = this.#indexes.get(collection);
    if (index === undefined) return;
    index.changed(collection, from, to);
    if (this.#isWanted || index.waiting === 0) return;
    this.#isWanted = true;
    this.#wanted(this);
  }

  /**
   * Returns whether building should wait: many titles were added since the last call, and not so many that they have to
   * be indexed now.
   */
  mayWait(): boolean {
    let waiting = 0;
    for (const index of this.#indexes.values()) waiting += index.waiting;
    const added = waiting - this.#seen;
    this.#seen = waiting;
    return added >= burstTitles && waiting < waitingMax;
  }

  of(collection: SearchedName): TitleIndex {
    return this.#indexes.get(collection)!;
  }

  /** Builds the indexes in steps; undefined once they are built. */
  build(): Iterator<unknown, void> | undefined {
    this.#isWanted = false;
    this.#seen = 0;
    const missing = [...this.#indexes.values()].map((index) => index.build()).filter((steps) => steps !== undefined);
    return missing.length === 0 ? undefined : each(missing);
  }
}

function* each(parts: readonly Iterator<unknown, void>[]): Generator<undefined, void> {
  for (const steps of parts) while (steps.next().done !== true) yield;
}

/**
 * The words of the titles of a project's records of one collection. Built in steps, by a service in the background,
 * else before the first search of the project. From then on new titles wait until the next search, or until the service
 * adds them, so that many changes in a row do not wait for them. The words are in a radix tree, which finds prefixes
 * and typos.
 *
 * MiniSearch as a whole was measured in its place with the queries of `test/bench/figures/search.ts` over 50,000 titles (`node -e 0` took
 * 42 ms): it scores every title that contains any word of a query, so a search takes 205 ms at the 95th percentile and this one takes
 * 1.9 ms; its index takes 42 MB and this one takes 15 MB.
 */
export class TitleIndex {
  readonly #view: ReadTransaction<PlannerCollections>;
  readonly #collection: SearchedName;
  /** Titles that are not added yet; undefined before the first search. */
  #rest: Iterator<SearchedRecord> | undefined;
  /** Ids of records whose titles are to be added, from `#added` on. */
  #waiting: string[] = [];
  #added = 0;
  #built = false;
  readonly #terms = new SearchableMap<Postings>();
  /** The postings of terms that several titles contain: a look into the tree takes ten times as long. */
  readonly #shared = new Map<string, number[]>();
  /** The id of the record of each slot; undefined if the slot is free. */
  readonly #ids: (string | undefined)[] = [];
  /** The number of words in the title of each slot. */
  readonly #lengths: number[] = [];
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  #counts: Counters | undefined;

  constructor(view: ReadTransaction<PlannerCollections>, collection: SearchedName) {
    this.#view = view;
    this.#collection = collection;
  }

  changed(collection: string, from: StoredRecord | undefined, to: StoredRecord | undefined): void {
    if (this.#rest === undefined || collection !== this.#collection) return;
    const [former, present] = [from, to] as [SearchedRecord | undefined, SearchedRecord | undefined];
    if (former !== undefined && present !== undefined && this.#titleOf(former) === this.#titleOf(present)) return;
    // A title that is not added yet is read when it is.
    if (former !== undefined && this.#slots.has(former.id)) this.#remove(former.id, wordsOf(this.#titleOf(former)));
    if (present !== undefined) this.#waiting.push(present.id);
  }

  /** The number of titles that are to be added by the next search. */
  get waiting(): number {
    return this.#waiting.length - this.#added;
  }

  /** Builds the index in steps, between which the project may change; undefined once it is built. Several may build at the same time. */
  build(): Iterator<unknown, void> | undefined {
    return this.#isCurrent() ? undefined : this.#steps();
  }

  /**
   * The titles that contain the most words of the query, best first. Time proportional to the titles that contain any
   * of the words, or to the titles with the rarest word if some titles contain all words.
   */
  find({ words, typos, limit }: TitleQuery): TitleHits {
    if (!this.#isCurrent()) atOnce(this.#steps());
    const total = words.reduce((sum, word) => sum + worthOf(word), 0);
    const query = words.map((word): QueryWord => {
      const terms = this.#termsOf(word, typos);
      const size = terms.reduce((sum, { postings }) => sum + (typeof postings === 'number' ? 1 : postings.length), 0);
      return { terms, worth: worthOf(word) / total, size };
    });
    const whole = this.#withAll(query);
    if (whole.length === 0) return this.#withMost(query, limit);
    const best = new BestHits(words.length, limit);
    for (const [slot, score] of whole) best.add(this.#ids[slot]!, this.#lengths[slot]!, score);
    return best;
  }

  /**
   * The slots and scores of the titles with every word, if reading the titles with the rarest word is faster than
   * counting all postings; else empty.
   */
  #withAll(query: readonly QueryWord[]): (readonly [slot: number, score: number])[] {
    const rarest = query.reduce((least, one) => (one.size < least.size ? one : least));
    const counted = query.reduce((sum, { size }) => sum + size, this.#ids.length / readPostings);
    if (rarest.size * readPostings > counted) return [];
    const weights = query.map(({ terms, worth }) => ({
      worth,
      of: new Map(terms.map(({ term, weight }) => [term, weight])),
    }));
    const slots = new Set(rarest.terms.flatMap(({ postings }) => postings));
    return [...slots]
      .sort((a, b) => a - b)
      .flatMap((slot) => {
        const title = [...wordsOf(this.#titleOf(this.#view.get(this.#collection, this.#ids[slot]!)!))];
        let score = 0;
        for (const { of, worth } of weights) {
          const weight = title.reduce((most, word) => Math.max(most, of.get(word) ?? 0), 0);
          if (weight === 0) return [];
          score += weight * worth;
        }
        return [[slot, score] as const];
      });
  }

  #withMost(query: readonly QueryWord[], limit: number): TitleHits {
    const { scores, matched, lastWord } = this.#counters();
    for (const [at, { terms, worth }] of query.entries()) {
      const mark = at + 1;
      for (const { postings, weight } of terms) {
        const score = weight * worth;
        for (const slot of typeof postings === 'number' ? [postings] : postings) {
          // Terms are in descending order: the title's score for this word is already at least this.
          if (lastWord[slot] === mark) continue;
          lastWord[slot] = mark;
          matched[slot]!++;
          scores[slot]! += score;
        }
      }
    }
    let most = 0;
    const slots = this.#ids.length;
    for (let slot = 0; slot < slots; slot++) if (matched[slot]! > most) most = matched[slot]!;
    const best = new BestHits(most, limit);
    if (most === 0) return best;
    for (let slot = 0; slot < slots; slot++) {
      if (matched[slot] === most) best.add(this.#ids[slot]!, this.#lengths[slot]!, scores[slot]!);
    }
    return best;
  }

  /** Zero for each slot. Allocated again only as the index grows: half a megabyte for 50,000 titles, in each search. */
  #counters(): Counters {
    const slots = this.#ids.length;
    if (this.#counts === undefined || this.#counts.matched.length < slots) {
      const length = Math.ceil(slots * 1.25);
      const bytes = (): Uint8Array => new Uint8Array(length);
      return (this.#counts = { scores: new Float64Array(length), matched: bytes(), lastWord: bytes() });
    }
    const { scores, matched, lastWord } = this.#counts;
    for (const counts of [scores, matched, lastWord]) counts.fill(0);
    return this.#counts;
  }

  /** The indexed terms that match a word of a query, best first. */
  #termsOf(word: string, typos: boolean): Term[] {
    const found = new Map<string, Term>();
    const take = (term: string, postings: Postings | undefined, weight: number): void => {
      if (postings !== undefined && !found.has(term)) found.set(term, { term, postings, weight });
    };
    take(word, this.#terms.get(word), 1);
    let left = prefixTermsMax;
    for (const [term, postings] of this.#terms.atPrefix(word)) {
      if (left-- === 0) break;
      take(term, postings, prefixWeightOf(word, term));
    }
    const distance = typos ? typosIn(word) : 0;
    if (distance > 0) {
      for (const term of swaps(word)) take(term, this.#terms.get(term), typoWeightOf(1));
      for (const [term, [postings, edits]] of this.#terms.fuzzyGet(word, distance))
        take(term, postings, typoWeightOf(edits));
    }
    return [...found.values()].sort((a, b) => b.weight - a.weight);
  }

  #isCurrent(): boolean {
    return this.#built && this.waiting === 0;
  }

  *#steps(): Generator<undefined, void> {
    this.#rest ??= this.#view.list(this.#collection);
    while (!this.#built) {
      for (let left = stepTitles; left > 0 && !this.#built; left--) {
        const next = this.#rest.next();
        if (next.done === true) this.#built = true;
        else this.#addOnce(next.value);
      }
      yield;
    }
    // Titles that are added between two steps are left to the next build, since otherwise this build might not end.
    for (let left = this.waiting; left > 0; left -= stepTitles) {
      this.#addWaiting(Math.min(left, stepTitles));
      yield;
    }
  }

  #addWaiting(most: number): void {
    for (const id of this.#waiting.slice(this.#added, this.#added + most)) {
      this.#added++;
      const record = this.#view.get(this.#collection, id);
      if (record !== undefined) this.#addOnce(record);
    }
    if (this.waiting === 0) [this.#waiting, this.#added] = [[], 0];
  }

  #addOnce(record: SearchedRecord): void {
    if (!this.#slots.has(record.id)) this.#add(record);
  }

  #titleOf(record: SearchedRecord): string {
    return titleOf(this.#collection, record);
  }

  #add(record: SearchedRecord): void {
    const words = wordsOf(this.#titleOf(record));
    const slot = this.#free.pop() ?? this.#ids.length;
    this.#ids[slot] = record.id;
    this.#lengths[slot] = words.size;
    this.#slots.set(record.id, slot);
    for (const word of words) {
      const shared = this.#shared.get(word);
      if (shared !== undefined) {
        shared.push(slot);
        continue;
      }
      const first = this.#terms.get(word) as number | undefined;
      const postings = first === undefined ? slot : [first, slot];
      this.#terms.set(word, postings);
      if (typeof postings === 'object') this.#shared.set(word, postings);
    }
  }

  #remove(id: string, words: ReadonlySet<string>): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#slots.delete(id);
    this.#ids[slot] = undefined;
    this.#free.push(slot);
    for (const word of words) {
      const shared = this.#shared.get(word);
      const last = shared?.pop();
      if (shared === undefined || last === undefined) {
        this.#terms.delete(word);
        continue;
      }
      if (last !== slot) shared[shared.indexOf(slot)] = last;
      if (shared.length > 1) continue;
      this.#terms.set(word, shared[0]!);
      this.#shared.delete(word);
    }
  }
}

/** The best titles, best first; equal ones keep their order. */
class BestHits implements TitleHits {
  readonly matched: number;
  total = 0;
  readonly hits: TitleHit[] = [];
  readonly #limit: number;
  /** A score that is too low. */
  #tooLow = -1;

  constructor(matched: number, limit: number) {
    this.matched = matched;
    this.#limit = limit;
  }

  /**
   * `length`: the number of the title's words. `matching`: how well the query's words match, 0 to 1. If two titles match equally, the one
   * with fewer other words is first.
   */
  add(id: string, length: number, matching: number): void {
    this.total++;
    const score = scoreOf({ matching, matched: this.matched, length });
    if (score > this.#tooLow) this.#keep(id, score);
  }

  #keep(id: string, score: number): void {
    const { hits } = this;
    let at = hits.length;
    while (at > 0 && hits[at - 1]!.score < score) at--;
    hits.splice(at, 0, { id, score });
    if (hits.length > this.#limit) hits.pop();
    if (hits.length === this.#limit) this.#tooLow = hits[this.#limit - 1]!.score;
  }
}

/**
 * The score of a title of `length` words. `matched`: how many words of the query it has; `matching`: how well they match, 0
 * to 1. If two titles match equally, the one with fewer other words is first.
 */
export function scoreOf({
  matching,
  matched,
  length,
}: {
  readonly matching: number;
  readonly matched: number;
  readonly length: number;
}): number {
  return matching * 0.9 + (0.1 * matched) / Math.max(matched, length);
}

/** How well a term matches that is a word, or begins with it. */
export function prefixWeightOf(word: string, term: string): number {
  return term === word ? 1 : 0.5 + (0.4 * word.length) / term.length;
}

/** How well a term matches that differs in so many letters. */
export function typoWeightOf(edits: number): number {
  return 0.4 / edits;
}

/** The weight of a word in a query: long words count more than short ones. */
export function worthOf(word: string): number {
  return Math.min(word.length, 8);
}

/**
 * The number of wrong letters that a word tolerates. Numbers tolerate no wrong letter, and short words are too similar
 * to each other.
 */
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
