import type { Disputed } from '../../base/merge-text.ts';

/** The result of merging one value. */
export interface Merged {
  readonly value: unknown;
  /** For a conflict: the merged value in each side's version. */
  readonly disputed?: Disputed<unknown>;
}
