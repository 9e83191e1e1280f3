import type { HistoryQuery, Revision } from '../record/record.ts';

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
  /** The same as they are now, some at a time, for work after a transaction. */
  streamed(query: HistoryQuery): AsyncIterableIterator<readonly Revision[]>;
  /** Within a rule, throws `Needed` unless the revision is in memory. */
  revision(id: string): Revision | undefined;
}
