import type { StoredRecord } from './record.ts';

/** The title of a record, for searches over all projects. */
export interface StoredTitle {
  readonly id: string;
  readonly collection: string;
  /** Its words, each once; none if it has no title any more. */
  readonly words: () => readonly string[];
}

/**
 * The titles that an entry changes; `none`: its project has none any more. `project_at`: when the project was made. `isAll`: the
 * project had no titles before, and every node stores its further ones.
 */
export type ChangedTitles =
  | { readonly changed: readonly StoredTitle[]; readonly project_at: string; readonly isAll?: true }
  | 'none';

/** The titles of records, and their words. */
export interface TitleWords {
  /** The title of a record; undefined if it has none. */
  titleOf(collection: string, record: StoredRecord): string | undefined;
  /** The words of a title, each once. */
  wordsOf(title: string): readonly string[];
}

/** A title that was found. */
export interface FoundTitle {
  readonly project: string;
  /** When the project was made: projects are ordered by it, then by their ids. */
  readonly project_at: string;
  readonly collection: string;
  readonly words: readonly string[];
}

/** A word of a query, and the other words that count as it. */
export interface WantedWord {
  readonly word: string;
  readonly similar: readonly string[];
}

export interface TitleQuery {
  readonly words: readonly WantedWord[];
  /** True for titles that have every word, or one that begins with it; else those that have any of them. */
  readonly every: boolean;
  readonly collections: readonly string[];
}

/** The titles of all projects, as the log has them. */
export interface Titles {
  /** `isWhole`: these are all titles that match, and no more than are examined. */
  find(query: TitleQuery): Promise<{ readonly titles: readonly FoundTitle[]; readonly isWhole: boolean }>;
  /** Words of titles that may differ from `word` by at most so many letters; others may be among them. */
  wordsLike(word: string, edits: number): Promise<readonly string[]>;
}

/** Chooses the projects that a search has to read; `isWhole`: others have nothing to add to its result. */
export type ChooseProjects = (
  titles: Titles,
) => Promise<{ readonly projects: ReadonlySet<string>; readonly isWhole: boolean }>;
