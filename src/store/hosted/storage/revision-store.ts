import type { Revision } from '../../record/record.ts';

/** Where revisions are that nodes do not keep in memory. They are stored with their entries: see `Append.beside`. */
export interface RevisionStore {
  /**
   * The revisions with these ids, in their order; undefined for one that is not stored. An answer is limited: it has at
   * least the first, and only those after it that fit.
   */
  get(project: string, ids: readonly string[]): Promise<readonly (Revision | undefined)[]>;
}
