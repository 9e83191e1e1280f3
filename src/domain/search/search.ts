import { limits } from '../../base/limits.ts';
import { readInSteps, type Snapshot } from '../../store/index.ts';
import type {
  CommentRecord,
  MatchTasksAnswer,
  PlannerCollections,
  PlanReadTransaction,
  SearchAnswer,
  SearchInput,
} from '../records/collections.ts';
import { searchFields, type SearchedName, type SearchFields } from '../records/declared.ts';
import { guestMark } from '../records/guest-texts.ts';
import type { BodyIndex } from './body-index.ts';
import { excerptOf, type ShownWords } from './excerpt.ts';
import { isSearched, searched, searchedByDefault, type SearchedRecord, textPiecesOf, titleOf } from './searched.ts';
import { type TitleIndexes, typosIn } from './title-index.ts';
import { foldText, queryWordsOf, termOf } from './words.ts';

interface Hit {
  readonly record: SearchedRecord;
  readonly collection: SearchedName;
  readonly project: Project;
  readonly score: number;
}

/** The records of a project as they were when the search began. */
type Project = Snapshot<PlannerCollections>;

type Types = ReadonlySet<SearchedName>;

/** The titles of several projects that contain the most words of the query. */
interface TitleFinds {
  readonly hits: readonly Hit[];
  /** True if they contain every word. */
  readonly whole: boolean;
  /** True if the limit is reached. */
  readonly enough: boolean;
}

/** The tasks whose labels and descriptions contain every word of a query, or a word that begins with it. No typos, no order, no limit. */
export function matchTasks(view: PlanReadTransaction, query: string): MatchTasksAnswer {
  const words = queryWordsOf(query).map(termOf);
  const bodies = bodiesOf(view);
  const task_ids = words.length === 0 ? [] : bodies.matching(words, 'task');
  return { task_ids, ...(bodies.incomplete ? { incomplete: true as const } : undefined) };
}

/** The steps that build the indexes of projects before they are searched; undefined if they are built. */
export function readyToSearch(
  views: readonly PlanReadTransaction[],
  { bodies = false }: SearchInput,
): Iterator<unknown, void> | undefined {
  const missing = views.flatMap((view) => [titlesOf(view).build(), bodies ? bodiesOf(view).build() : undefined]);
  const steps = missing.filter((one) => one !== undefined);
  return steps.length === 0 ? undefined : each(steps);
}

function* each(parts: readonly Iterator<unknown, void>[]): Generator<unknown, void> {
  for (const steps of parts) for (let next = steps.next(); next.done !== true; next = steps.next()) yield next.value;
}

const titlesOf = (view: PlanReadTransaction): TitleIndexes => view.index<TitleIndexes>('titles');
const bodiesOf = (view: PlanReadTransaction): BodyIndex => view.index<BodyIndex>('bodies');

/**
 * Searches titles (and, with `bodies`, texts) of projects, best match first. Typos are tolerated if too few titles
 * contain the exact words. If no title contains all words, the titles with the most words are returned. The returned
 * steps read the excerpts, as of the call.
 */
export function search(views: readonly PlanReadTransaction[], input: SearchInput): Iterator<unknown, SearchAnswer> {
  const { query, limit = limits.searchHitsDefault, bodies = false } = input;
  const types: Types = new Set(input.types ?? searchedByDefault);
  const words = queryWordsOf(query);
  if (words.length === 0) return done(answerOf(types, []));
  let titles = findTitles(views, words, { typos: false, limit, types });
  if (!titles.enough && words.some((word) => typosIn(word) > 0))
    titles = findTitles(views, words, { typos: true, limit, types });
  // A search of titles is often followed by one of texts.
  for (const view of views) bodiesOf(view).want();
  if (!bodies) return done(answerOf(types, best(titles.hits, limit)));
  return withBodies(views, words, titles, { limit, types, shown: withAt(words, query) });
}

/** The words with the @ that the query has before them: excerpts show mentions of a name, and not the name alone. */
function withAt(words: readonly string[], query: string): readonly string[] {
  const mentioned = new Set(foldText(query).match(/(?<![\p{L}\p{N}])@[\p{L}\p{N}]+/gu));
  return words.map((word) => (mentioned.has(`@${word}`) ? `@${word}` : word));
}

function* done<T>(value: T): Generator<undefined, T> {
  return value;
}

interface Wanted {
  readonly limit: number;
  readonly types: Types;
}

function findTitles(
  views: readonly PlanReadTransaction[],
  words: readonly string[],
  { typos, limit, types }: Wanted & { readonly typos: boolean },
): TitleFinds {
  const finds = views.flatMap((view) =>
    searched
      .filter((collection) => types.has(collection))
      .map((collection) => ({ view, collection, found: titlesOf(view).of(collection).find({ words, typos, limit }) })),
  );
  const most = Math.max(0, ...finds.map(({ found }) => found.matched));
  const fitting = finds.filter(({ found }) => found.matched === most);
  const total = fitting.reduce((sum, { found }) => sum + found.total, 0);
  return {
    hits: fitting.flatMap(({ view, collection, found }) =>
      hitsOf(
        view,
        found.hits.map((hit) => ({ ...hit, collection })),
      ),
    ),
    whole: most === words.length,
    enough: most === words.length && total >= limit,
  };
}

function hitsOf(
  view: PlanReadTransaction,
  hits: readonly { readonly id: string; readonly collection: SearchedName; readonly score: number }[],
): Hit[] {
  const project = view.snapshot();
  return hits.flatMap(({ id, collection, score }) => {
    const record = project.get(collection, id);
    return record === undefined ? [] : [{ record, collection, project, score }];
  });
}

/**
 * Titles with every word first, then texts, with more of the words first. The texts are found immediately, and the
 * excerpts are read in steps.
 */
function withBodies(
  views: readonly PlanReadTransaction[],
  words: readonly string[],
  titles: TitleFinds,
  { limit, types, shown }: Wanted & { readonly shown: readonly string[] },
): Iterator<unknown, SearchAnswer> {
  let texts = findTexts(views, words, { typos: false, limit, types });
  if (texts.hits.length === 0 && !titles.whole) texts = findTexts(views, words, { typos: true, limit, types });
  const titled = titles.whole || texts.hits.length === 0 ? titles.hits : [];
  const known = new Set(titled.map(({ record }) => record.id));
  const hits = best([...titled, ...texts.hits.filter(({ record }) => !known.has(record.id))], limit);
  return withExcerpts(
    types,
    hits,
    { words: shown, similar: texts.similar },
    views.some((view) => bodiesOf(view).incomplete),
  );
}

function* withExcerpts(
  types: Types,
  hits: readonly Hit[],
  shown: ShownWords,
  incomplete: boolean,
): Generator<unknown, SearchAnswer> {
  const excerpts: string[] = [];
  for (const { collection, record } of hits) {
    const whole = yield* readInSteps(record);
    excerpts.push(yield* excerptOf(textPiecesOf(collection, whole), shown));
    yield;
  }
  const answer = answerOf(types, hits, excerpts);
  return incomplete ? { ...answer, incomplete: true } : answer;
}

function findTexts(
  views: readonly PlanReadTransaction[],
  words: readonly string[],
  options: Wanted & { readonly typos: boolean },
): { readonly hits: readonly Hit[]; readonly similar: readonly string[] } {
  const finds = views.map((view) => ({ view, found: bodiesOf(view).find({ ...options, words: words.map(termOf) }) }));
  return {
    // Below every title.
    hits: finds.flatMap(({ view, found }) =>
      hitsOf(
        view,
        found.hits.map((hit) => ({ ...hit, score: hit.score / words.length - 1 })),
      ),
    ),
    similar: finds.flatMap(({ found }) => found.similar),
  };
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

/** The lists of the results: search returns one for each collection that it covers. */
type Lists = { readonly [N in SearchedName as ListName<N>]: SearchAnswer[ListName<N>] };

/** The hits in the form for callers. */
function answerOf(types: Types, hits: readonly Hit[], excerpts?: readonly string[]): SearchAnswer {
  const lists = searched.filter((name) => types.has(name) || searchedByDefault.includes(name));
  const found = new Map(lists.map((collection) => [collection, [] as object[]]));
  for (const [at, hit] of hits.entries()) {
    const { record, collection, project } = hit;
    found.get(collection)!.push({
      id: record.id,
      project_id: project.project,
      ...(excerpts === undefined ? undefined : { excerpt: excerpts[at] }),
      [collection === 'task' ? 'label' : 'title']: shownTitle(hit),
      ...particularsOf(hit),
    });
  }
  const shown = [...found].map(([collection, rows]) => [searchFields[collection].list, rows]);
  return Object.fromEntries(shown) as Lists;
}

/** The title of a record; of a comment, the title of its target; of a run, its label or agent. */
function shownTitle({ record, collection, project }: Hit): string {
  if ('agent_ref' in record) return record.label ?? record.agent_ref ?? record.id;
  if (collection !== 'comment') return titleOf(collection, record);
  const { target_type: type, target_id: id } = record as CommentRecord;
  const target = isSearched(type) ? project.get(type, id) : undefined;
  return target === undefined ? id : titleOf(type, target);
}

function particularsOf({ record, project }: Hit): object | undefined {
  if ('agent_ref' in record) return undefined;
  if ('label' in record) return guestMark(project, record);
  if ('target_id' in record) {
    const { target_type, target_id, author, resolved } = record;
    return { target_type, target_id, author, resolved };
  }
  if ('participant_name' in record) return { status: record.status, untrusted: true };
  if ('prototype_id' in record) return record.prototype_id === null ? undefined : { prototype_id: record.prototype_id };
  if ('archived_at' in record && record.archived_at !== null) return { archived_at: record.archived_at };
  return undefined;
}
