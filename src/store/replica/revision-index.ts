import { lastOf } from '../../base/named.ts';
import type { HistoryQuery, Revision, RevisionId, RevisionSummary } from '../record/record.ts';

/** The revisions of one project, independent of their storage. */
export interface RevisionIndex {
  /**
   * A version that changes with revisions outside of entries, such as the revisions of a pull; empty without such
   * revisions. It differs between two openings.
   */
  readonly version: string;
  /**
   * Newest first, by (at, id). Each revision is read when the iterator reaches it: within a rule, throws `Needed` unless
   * it is in memory.
   */
  revisions(query: HistoryQuery): IterableIterator<Revision>;
  /** The revisions without values, which takes no look-up if memory has their other members. */
  summaries(query: HistoryQuery): IterableIterator<RevisionSummary>;
  /** Only which ones there are, as memory has it. */
  ids(query: HistoryQuery): IterableIterator<RevisionId>;
  /** The present revisions with values, some at a time, for work after a transaction. */
  streamed(query: HistoryQuery): AsyncIterableIterator<readonly Revision[]>;
  /** Within a rule, throws `Needed` unless the revision is in memory. */
  revision(id: string): Revision | undefined;
}

/** The members that order revisions. */
export interface Moment {
  readonly at: string;
  readonly id: string;
}

/** Orders by (at, id), descending. */
export function newestFirst(a: Moment, b: Moment): number {
  if (a.at !== b.at) return a.at < b.at ? 1 : -1;
  return a.id === b.id ? 0 : a.id < b.id ? 1 : -1;
}

/** The members that a query can ask for beside the record. */
interface Kind {
  readonly type: string;
  readonly author: string;
}

/** Returns whether a query asks for revisions of this type by this author. */
export function isOfKind(revision: Kind, { type, author }: HistoryQuery): boolean {
  return (
    (type === undefined || revision.type === type) &&
    (author === undefined || revision.author === author || revision.author.startsWith(`${author}:`))
  );
}

/** Returns whether a query asks for a revision: for its record, or for all records. */
export function isAsked(revision: Moment & Kind, query: HistoryQuery): boolean {
  const { after, newer, end } = query;
  return (
    isOfKind(revision, query) &&
    (end === undefined || lastOf(revision.id) === end) &&
    (after === undefined || newestFirst(revision, after) > 0) &&
    (newer === undefined || newestFirst(revision, newer) < 0)
  );
}
