import type { HistoryQuery, Revision, RevisionId, RevisionSummary } from '../record/record.ts';

/** The revisions of one project, independent of their storage. */
export interface RevisionIndex {
  /**
   * Changes with revisions that are not in an entry, such as those of a pull; empty if there are none. Not equal in
   * two openings.
   */
  readonly version: string;
  /**
   * Newest first, by (at, id). Each revision is read when the iterator reaches it: within a rule, throws `Needed` unless
   * it is in memory.
   */
  revisions(query: HistoryQuery): IterableIterator<Revision>;
  /** The same without values, which takes no look-up if memory has what else is in them. */
  summaries(query: HistoryQuery): IterableIterator<RevisionSummary>;
  /** Only which ones there are, as memory has it. */
  ids(query: HistoryQuery): IterableIterator<RevisionId>;
  /** The same as they are now, with values, some at a time, for work after a transaction. */
  streamed(query: HistoryQuery): AsyncIterableIterator<readonly Revision[]>;
  /** Within a rule, throws `Needed` unless the revision is in memory. */
  revision(id: string): Revision | undefined;
}

/** What orders revisions. */
interface Moment {
  readonly at: string;
  readonly id: string;
}

/** By (at, id), descending. */
export function newestFirst(a: Moment, b: Moment): number {
  if (a.at !== b.at) return a.at < b.at ? 1 : -1;
  return a.id === b.id ? 0 : a.id < b.id ? 1 : -1;
}

/** Whether a query for a record asks for its revision, or one for all of them. */
export function isAsked(
  revision: Moment & { readonly type: string; readonly author: string },
  { type, author, after }: HistoryQuery,
): boolean {
  return (
    (type === undefined || revision.type === type) &&
    (author === undefined || revision.author === author || revision.author.startsWith(`${author}:`)) &&
    (after === undefined || newestFirst(revision, after) > 0)
  );
}
