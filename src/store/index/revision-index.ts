import type { HistoryQuery, Revision } from '../record/record.ts';

/** The revisions of one project, wherever they are kept. */
export interface RevisionIndex {
  /** Changes with every revision that comes or goes. */
  readonly version: number;
  /** Newest first, by (at, id), each read when it is taken. */
  revisions(query: HistoryQuery): IterableIterator<Revision>;
  revision(id: string): Revision | undefined;
}
