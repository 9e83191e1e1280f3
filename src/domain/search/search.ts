import { limits } from '../../limits.ts';
import type { Snapshot, View } from '../../store/index.ts';
import type { PlannerCollections, SearchAnswer, SearchInput } from '../records/collections.ts';
import { searchFields, type SearchedName, type SearchFields } from '../records/declared.ts';
import { guestMark } from '../records/guest-texts.ts';
import { excerptOf, patternsOf, textOf, TextScan } from './text-search.ts';
import { searched, type SearchedRecord, titleOf, type TitleHit, type TitleIndex, typosIn } from './title-index.ts';
import { wordsOf } from './words.ts';

type V = View<PlannerCollections>;

/** The maximal number of words of a query that are searched; further ones add little. */
const wordsMax = 16;

interface Hit {
  readonly record: SearchedRecord;
  readonly collection: SearchedName;
  readonly project: Project;
  readonly score: number;
}

/** The records of a project as they were when the search began. */
type Project = Snapshot<PlannerCollections>;

/** The titles of several projects that contain the most words of the query. */
interface TitleFinds {
  readonly hits: readonly Hit[];
  /** Whether they contain every word. */
  readonly whole: boolean;
  /** Whether the limit is reached. */
  readonly enough: boolean;
}

/** The steps that build the indexes of projects before they are searched; undefined if they are built. */
export function readyToSearch(views: readonly V[]): Iterator<unknown, void> | undefined {
  const missing = views.map((view) => view.index<TitleIndex>('titles').build()).filter((steps) => steps !== undefined);
  return missing.length === 0 ? undefined : each(missing);
}

function* each(parts: readonly Iterator<unknown, void>[]): Generator<undefined, void> {
  for (const steps of parts) while (steps.next().done !== true) yield;
}

/**
 * Searches titles (and, with `bodies`, texts) of projects, best match first. Typos are tolerated if too few titles contain the exact words.
 * If no title contains all words, those with the most are returned. The returned steps read the texts, as of the call.
 */
export function search(views: readonly V[], input: SearchInput): Iterator<unknown, SearchAnswer> {
  const { query, limit = limits.searchHitsDefault, bodies = false } = input;
  const words = [...wordsOf(query)].slice(0, wordsMax);
  if (words.length === 0) return done(answerOf([]));
  let titles = findTitles(views, words, { typos: false, limit });
  if (!titles.enough && words.some((word) => typosIn(word) > 0))
    titles = findTitles(views, words, { typos: true, limit });
  if (!bodies) return done(answerOf(best(titles.hits, limit)));
  return withBodies(views.flatMap(textsOf), words, titles, limit);
}

function* done<T>(value: T): Generator<undefined, T> {
  return value;
}

/** The current records of one collection of a project. */
interface Texts {
  readonly project: Project;
  readonly collection: SearchedName;
  readonly records: readonly SearchedRecord[];
}

function textsOf(view: V): Texts[] {
  const project = view.snapshot();
  return searched.map((collection) => ({
    project,
    collection,
    records: [...view.list(collection)],
  }));
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
    hits: fitting.flatMap(({ view, found }) => {
      const project = view.snapshot();
      return found.hits.flatMap((hit) => hitOf(project, hit));
    }),
    whole: most === words.length,
    enough: most === words.length && total >= limit,
  };
}

function hitOf(project: Project, { id, collection, score }: TitleHit): Hit[] {
  const record = project.get(collection, id);
  return record === undefined ? [] : [{ record, collection, project, score }];
}

/** Titles with every word first, then texts, those with more of the words first. */
function* withBodies(
  texts: readonly Texts[],
  words: readonly string[],
  titles: TitleFinds,
  limit: number,
): Generator<undefined, SearchAnswer> {
  let scan = yield* scanTexts(texts, words, false);
  if (scan.hits.length === 0 && !titles.whole && !scan.incomplete) scan = yield* scanTexts(texts, words, true);
  const { hits: found, patterns } = scan;
  const titled = titles.whole || found.length === 0 ? titles.hits : [];
  const known = new Set(titled.map(({ record }) => record.id));
  const hits = [...titled, ...found.filter(({ record }) => !known.has(record.id))];
  const answer = answerOf(best(hits, limit), (text) => excerptOf(text, patterns));
  return scan.incomplete ? { ...answer, incomplete: true } : answer;
}

interface Scan {
  readonly hits: readonly Hit[];
  readonly incomplete: boolean;
  readonly patterns: readonly RegExp[];
}

function* scanTexts(texts: readonly Texts[], words: readonly string[], typos: boolean): Generator<undefined, Scan> {
  const patterns = patternsOf(words, typos);
  const scan = new TextScan(patterns);
  const hits: Hit[] = [];
  for (const { project, collection, records } of texts) {
    for (const { record, matched } of yield* scan.find(collection, records)) {
      // Below every title.
      hits.push({ record, collection, project, score: matched / words.length - 1 });
    }
  }
  return { hits, incomplete: scan.incomplete, patterns };
}

/** The best hits of each collection, best first. Equal hits keep their order: by project, then by creation. */
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

type ListName<N extends SearchedName> = SearchFields<N>['list'];

/** The lists of the results: search returns one for each collection that declares a title. */
type Lists = { readonly [N in SearchedName as ListName<N>]: SearchAnswer[ListName<N>] };

/** The hits in the form for callers. */
function answerOf(hits: readonly Hit[], excerpt?: (text: string) => string): SearchAnswer {
  const found = new Map(searched.map((collection) => [collection, [] as object[]]));
  for (const { record, collection, project } of hits) {
    found.get(collection)!.push({
      id: record.id,
      project_id: project.project,
      ...(excerpt === undefined ? undefined : { excerpt: excerpt(textOf(collection, record)) }),
      [searchFields[collection].title]: titleOf(collection, record),
      ...('label' in record ? guestMark(project, record) : undefined),
    });
  }
  const lists = [...found].map(([collection, shown]) => [searchFields[collection].list, shown]);
  return Object.fromEntries(lists) as Lists;
}
