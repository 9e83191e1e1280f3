import { limits } from '../../../base/limits.ts';
import type { FoundTitle, TitleQuery, WantedWord } from '../../record/title-search.ts';
import type { Rows, Statement } from './pg-connection.ts';
import type { PgDeps } from './pg-deps.ts';
import { untilAnswered } from './pg-retry.ts';
import type { PgTables } from './pg-schema.ts';
import type { ProjectTitles, TitleStore } from '../storage/title-store.ts';

/** A word that titles have in the tables is cut here, which is more than people type. */
const wordCharactersMax = 40;
/** Words that may be similar to one, at most. */
const similarMax = 2_000;
/** Titles that one statement adds. */
const addedTogether = 2_000;

/** The titles of all projects in a table, whose words are under an index that finds their beginnings, too. */
export class PgTitles implements TitleStore {
  readonly hasEarlierNodes: boolean;
  readonly #deps: PgDeps;

  constructor(deps: PgDeps, hasEarlierNodes: boolean) {
    this.#deps = deps;
    this.hasEarlierNodes = hasEarlierNodes;
  }

  /** The list of all matches is cut from outside: within it, the planner would expect to find some soon, and scan the table. */
  async find({
    words,
    every,
    collections,
  }: TitleQuery): Promise<{ readonly titles: readonly FoundTitle[]; readonly isWhole: boolean }> {
    const rows = await this.#query({
      name: 'planner_titles',
      text: `WITH found AS MATERIALIZED (SELECT project, project_at, type, words FROM ${this.#deps.tables.of('title')}
          WHERE words @@ $1::tsquery AND type = ANY ($2::text[]))
        SELECT project, project_at, type, array_to_string(tsvector_to_array(words), ' ') FROM found LIMIT ${limits.searchTitlesMax + 1}`,
      values: [words.map(expressionOf).join(every ? ' & ' : ' | '), collections],
    });
    const titles = (rows as readonly (readonly [string, string, string, string])[])
      .slice(0, limits.searchTitlesMax)
      .map(([project, project_at, collection, text]) => ({ project, project_at, collection, words: text.split(' ') }));
    return { titles, isWhole: rows.length <= limits.searchTitlesMax };
  }

  /** Of a word in one part more than letters may differ, one part is unchanged, near its place. */
  async wordsLike(word: string, edits: number): Promise<readonly string[]> {
    const letters = [...word];
    const bounds = Array.from({ length: edits + 2 }, (_, at) => Math.round((at * letters.length) / (edits + 1)));
    const parts = bounds
      .slice(1)
      .map((end, at) => ({ from: bounds[at]!, text: letters.slice(bounds[at], end).join('') }));
    const rows = await this.#query({
      name: 'planner_title_words',
      text: `SELECT word FROM ${this.#deps.tables.of('title_word')} WHERE length(word) BETWEEN $1::int AND $2::int AND EXISTS (
          SELECT FROM unnest($3::text[], $4::int[], $5::int[]) AS x (part, start, length)
          WHERE strpos(substr(word, x.start, x.length), x.part) > 0) LIMIT ${similarMax}`,
      values: [
        letters.length - edits,
        letters.length + edits,
        parts.map(({ text }) => text),
        parts.map(({ from }) => Math.max(1, from + 1 - edits)),
        parts.map(({ from, text }) => [...text].length + edits + Math.min(from, edits)),
      ],
    });
    return rows.map(([found]) => found as string);
  }

  async complete(): Promise<ReadonlySet<string>> {
    const rows = await this.#query({
      name: 'planner_titled',
      text: `SELECT project FROM ${this.#deps.tables.of('titled')}`,
      values: [],
    });
    return new Set(rows.map(([project]) => project as string));
  }

  /** A title that is there is newer: an entry has stored it since. */
  async add({ project, project_at, titles }: ProjectTitles): Promise<void> {
    const { tables } = this.#deps;
    for (let at = 0; at < Math.max(titles.length, 1); at += addedTogether) {
      const some = titles.slice(at, at + addedTogether);
      const words = some.map((title) => joinedWords(title.words()));
      const isLast = at + addedTogether >= titles.length;
      await this.#query({
        name: `planner_add_titles${isLast ? '_last' : ''}`,
        text: `WITH listed AS (${insertWords(tables, '$5')})
          ${isLast ? `, complete AS (INSERT INTO ${tables.of('titled')} (project) VALUES ($1::text) ON CONFLICT DO NOTHING)` : ''}
          INSERT INTO ${tables.of('title')} (project, id, type, project_at, words)
          SELECT $1::text, x.id, x.type, $6::text, ${vectorOf('x.words')}
          FROM unnest($2::text[], $3::text[], $4::text[]) AS x (id, type, words) WHERE x.words <> ''
          ORDER BY x.id ON CONFLICT DO NOTHING`,
        values: [
          project,
          some.map(({ id }) => id),
          some.map(({ collection }) => collection),
          words,
          vocabularyOf(words),
          project_at,
        ],
      });
    }
  }

  /** Each statement may be executed twice. */
  #query(statement: Statement): Promise<Rows> {
    return untilAnswered(this.#deps.retries, () => this.#deps.pool.query(statement));
  }
}

/** The words of a title as one text: words have only letters and digits. */
export function joinedWords(words: readonly string[]): string {
  return [...new Set(words.map(cut))].join(' ');
}

function cut(word: string): string {
  return word.length > wordCharactersMax ? [...word].slice(0, wordCharactersMax).join('') : word;
}

/** SQL: words in a text of them. */
export function vectorOf(words: string): string {
  return `array_to_tsvector(string_to_array(${words}, ' '))`;
}

/** SQL: inserts the words of titles, in the order of all inserts, so that two nodes do not wait for each other. */
export function insertWords(tables: PgTables, parameter: string, condition = 'true'): string {
  return `INSERT INTO ${tables.of('title_word')} (word) SELECT w FROM unnest(${parameter}::text[]) AS x (w)
    WHERE ${condition} ON CONFLICT DO NOTHING`;
}

/**
 * The words to which one with a typo may be similar: a word of a query that tolerates typos has four letters at least, no
 * digit, and tolerates two.
 */
export function vocabularyOf(texts: readonly string[]): readonly string[] {
  const words = new Set(texts.flatMap((text) => text.split(' ')));
  return [...words].filter((word) => word.length >= 3 && (word.match(/\p{N}/gu)?.length ?? 0) <= 2).sort(byBytes);
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function expressionOf({ word, similar }: WantedWord): string {
  return `(${[`${quoted(word)}:*`, ...similar.map(quoted)].join(' | ')})`;
}

function quoted(word: string): string {
  return `'${cut(word).replaceAll(/['\\]/g, (one) => `${one}${one}`)}'`;
}
