import type { StoredTitle, Titles } from '../../record/title-search.ts';

/** The titles of a project that was made before entries had them beside. */
export interface ProjectTitles {
  readonly project: string;
  readonly project_at: string;
  readonly titles: readonly StoredTitle[];
}

/** Where the titles of all projects are kept: entries change them, see `Append`. */
export interface TitleStore extends Titles {
  /** Nodes of an earlier version may be running, which store no titles with their entries: none are found by them then. */
  readonly hasEarlierNodes: boolean;
  /** The projects whose titles are all here. */
  complete(): Promise<ReadonlySet<string>>;
  /** Adds titles that are missing, of a project that is complete then. */
  add(titles: ProjectTitles): Promise<void>;
}
