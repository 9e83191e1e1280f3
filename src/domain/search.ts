import { limits } from '../limits.ts';
import type { View } from '../store/view.ts';
import type { PlannerCollections, SearchAnswer, SearchInput, SearchTitleHit } from './collections.ts';
import { excerptOf, patternsOf, textOf, TextScan } from './text-search.ts';
import { searched, type Searched, type TitleIndex, titleOf } from './title-index.ts';
import { wordsOf } from './words.ts';

type V = View<PlannerCollections>;

/** Words of a query that are looked for; what stands behind them says little more. */
const wordsMax = 16;

interface Hit {
  readonly id: string;
  readonly collection: Searched;
  readonly view: V;
  readonly score: number;
}

/** What is found in the titles of several projects: those that hold the most words of the query. */
interface TitleFinds {
  readonly hits: readonly Hit[];
  /** Whether they hold every word. */
  readonly whole: boolean;
  /** Whether there are as many of those as were asked for. */
  readonly enough: boolean;
}

/**
 * Searches titles (and, with `bodies`, texts) of projects, best match first. Typos are looked for where too little holds the words as they
 * are written. Where no title holds them all, those that hold the most are found.
 */
export function search(views: readonly V[], input: SearchInput): SearchAnswer {
  const { query, limit = limits.searchHitsDefault, bodies = false } = input;
  const words = [...wordsOf(query)].slice(0, wordsMax);
  if (words.length === 0) return { documents: [], tasks: [], notes: [] };
  let titles = findTitles(views, words, { typos: false, limit });
  if (!titles.enough) titles = findTitles(views, words, { typos: true, limit });
  if (!bodies) return answerOf(best(titles.hits, limit));
  return withBodies(views, words, titles, limit);
}

function findTitles(
  views: readonly V[],
  words: readonly string[],
  { typos, limit }: { readonly typos: boolean; readonly limit: number },
): TitleFinds {
  const finds = views.map((view) => ({
    view,
    found: view.index<TitleIndex>('titles').find({ words, typos, limit }),
  }));
  const most = Math.max(0, ...finds.map(({ found }) => found.matched));
  const fitting = finds.filter(({ found }) => found.matched === most);
  const total = fitting.reduce((sum, { found }) => sum + found.total, 0);
  return {
    hits: fitting.flatMap(({ view, found }) => found.hits.map((hit) => ({ ...hit, view }))),
    whole: most === words.length,
    enough: most === words.length && total >= limit,
  };
}

/** Titles that hold every word first, then texts, those with more of the words before. */
function withBodies(views: readonly V[], words: readonly string[], titles: TitleFinds, limit: number): SearchAnswer {
  let scan = scanTexts(views, words, false);
  if (scan.hits.length === 0 && !titles.whole && !scan.incomplete) scan = scanTexts(views, words, true);
  const titled = titles.whole || scan.hits.length === 0 ? titles.hits : [];
  const known = new Set(titled.map(({ id }) => id));
  const hits = [...titled, ...scan.hits.filter(({ id }) => !known.has(id))];
  const answer = answerOf(best(hits, limit), (text) => excerptOf(text, scan.patterns));
  return scan.incomplete ? { ...answer, incomplete: true } : answer;
}

function scanTexts(
  views: readonly V[],
  words: readonly string[],
  typos: boolean,
): { readonly hits: readonly Hit[]; readonly incomplete: boolean; readonly patterns: readonly RegExp[] } {
  const patterns = patternsOf(words, typos);
  const scan = new TextScan(patterns);
  const hits: Hit[] = [];
  for (const view of views) {
    for (const { id, collection, matched } of scan.find(view)) {
      // Below every title.
      hits.push({ id, collection, view, score: matched / words.length - 1 });
    }
  }
  return { hits, incomplete: scan.incomplete, patterns };
}

/** The best of each collection, best first over all. Equal ones stay as they came: by project, then in the order of making. */
function best(hits: readonly Hit[], limit: number): Hit[] {
  const left = new Map(searched.map((collection) => [collection, limit]));
  return [...hits]
    .sort((a, b) => b.score - a.score)
    .filter(({ collection }) => {
      const more = left.get(collection)!;
      left.set(collection, more - 1);
      return more > 0;
    });
}

/** The hits as callers see them. */
function answerOf(hits: readonly Hit[], excerpt?: (text: string) => string): SearchAnswer {
  const found: Record<Searched, SearchTitleHit[]> = { document: [], task: [], note: [] };
  for (const { id, collection, view } of hits) {
    const record = view.get(collection, id);
    if (record === undefined) continue;
    const passage = excerpt === undefined ? undefined : { excerpt: excerpt(textOf(record)) };
    found[collection].push({ id, project_id: view.project, title: titleOf(record), ...passage });
  }
  const tasks = found.task.map(({ title: label, ...hit }) => ({ ...hit, label }));
  return { documents: found.document, tasks, notes: found.note };
}
