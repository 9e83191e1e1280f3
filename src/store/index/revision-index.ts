import type { HistoryQuery, Revision } from '../record/record.ts';

/** The revisions of one project, independent of their storage. */
export interface RevisionIndex {
  /** Changes with every revision that is added or removed. */
  readonly version: number;
  /** Newest first, by (at, id). Each revision is read when the iterator reaches it. */
  revisions(query: HistoryQuery): IterableIterator<Revision>;
  revision(id: string): Revision | undefined;
}
