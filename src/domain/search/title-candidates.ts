import SearchableMap from 'minisearch/SearchableMap';
import { limits } from '../../base/limits.ts';
import type { ChooseProjects, FoundTitle, TitleQuery, Titles, TitleWords, WantedWord } from '../../store/index.ts';
import type { SearchInput } from '../records/collections.ts';
import type { SearchedName } from '../records/declared.ts';
import { isSearched, searchedByDefault, type SearchedRecord, titleOf } from './searched.ts';
import { prefixWeightOf, scoreOf, swaps, typoWeightOf, typosIn, worthOf } from './title-index.ts';
import { queryWordsOf, wordsOf } from './words.ts';

/** The titles by which a search over all projects finds the ones that it reads. */
export const titleWords: TitleWords = {
  titleOf: (collection, record) =>
    isSearched(collection) ? titleOf(collection, record as SearchedRecord) || undefined : undefined,
  wordsOf: (title) => [...wordsOf(title)],
};

/** Words of titles that count as a word of the query, with their weights. */
interface Asked extends WantedWord {
  readonly worth: number;
  readonly weights: ReadonlyMap<string, number>;
}

interface Wanted {
  readonly collections: readonly SearchedName[];
  readonly limit: number;
}

interface Candidates {
  readonly projects: ReadonlySet<string>;
  readonly isWhole: boolean;
  /** The limit is reached by titles that have every word. */
  readonly isEnough: boolean;
}

/**
 * Chooses the projects with the best titles of each collection, as `search` ranks them: read alone, they give the result of
 * a search that reads all. It mirrors the order of `search`: typos are tolerated if too few titles have the exact words,
 * and if none has all words, the titles with the most count.
 */
export function choosingByTitles({ query, types, limit = limits.searchHitsDefault }: SearchInput): ChooseProjects {
  const words = queryWordsOf(query);
  const wanted = { collections: types ?? searchedByDefault, limit };
  return async (titles) => {
    if (words.length === 0) return { projects: new Set(), isWhole: true };
    const exact = await candidates(titles, askedOf(words), wanted);
    if (exact.isEnough || !words.some((word) => typosIn(word) > 0)) return exact;
    return candidates(titles, await withSimilar(titles, words), wanted);
  };
}

function askedOf(words: readonly string[], similar?: readonly ReadonlyMap<string, number>[]): readonly Asked[] {
  const total = words.reduce((sum, word) => sum + worthOf(word), 0);
  return words.map((word, at) => {
    const weights = similar?.[at] ?? new Map<string, number>();
    return { word, worth: worthOf(word) / total, weights, similar: [...weights.keys()] };
  });
}

async function withSimilar(titles: Titles, words: readonly string[]): Promise<readonly Asked[]> {
  return askedOf(
    words,
    await Promise.all(
      words.map(async (word) => {
        const edits = typosIn(word);
        const weights = new Map<string, number>();
        if (edits === 0) return weights;
        for (const one of swaps(word)) weights.set(one, typoWeightOf(1));
        const known = new SearchableMap<true>();
        for (const one of await titles.wordsLike(word, edits)) known.set(one, true);
        for (const [one, [, distance]] of known.fuzzyGet(word, edits))
          if (!weights.has(one)) weights.set(one, typoWeightOf(distance));
        return weights;
      }),
    ),
  );
}

async function candidates(
  titles: Titles,
  asked: readonly Asked[],
  { collections, limit }: Wanted,
): Promise<Candidates> {
  const find = (every: boolean): ReturnType<Titles['find']> => {
    const query: TitleQuery = { words: asked, every, collections };
    return titles.find(query);
  };
  let found = await find(true);
  const hasAll = found.titles.length > 0;
  if (!hasAll && asked.length > 1) found = await find(false);
  const ranked = found.titles.map((title) => ranking(title, asked));
  const most = ranked.reduce((max, { matched }) => Math.max(max, matched), 0);
  const best = new Set<string>();
  for (const collection of collections) {
    const rows = ranked.filter(({ title, matched }) => title.collection === collection && matched === most);
    for (const { title } of rows.sort(byRank).slice(0, limit)) best.add(title.project);
  }
  return { projects: best, isWhole: found.isWhole, isEnough: hasAll && found.titles.length >= limit };
}

interface Ranked {
  readonly title: FoundTitle;
  readonly matched: number;
  readonly score: number;
}

function ranking(title: FoundTitle, asked: readonly Asked[]): Ranked {
  let [matched, matching] = [0, 0];
  for (const { word, worth, weights } of asked) {
    let most = 0;
    for (const one of title.words) {
      const weight = one.startsWith(word) ? prefixWeightOf(word, one) : (weights.get(one) ?? 0);
      if (weight > most) most = weight;
    }
    if (most === 0) continue;
    matched++;
    matching += most * worth;
  }
  return { title, matched, score: scoreOf({ matching, matched, length: title.words.length }) };
}

/** The best first; of equal ones those of the project that was made first, as `search` has them. */
function byRank(a: Ranked, b: Ranked): number {
  if (a.score !== b.score) return b.score - a.score;
  return compare(a.title.project_at, b.title.project_at) || compare(a.title.project, b.title.project);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
