import type { Disputed } from '../../merge-text.ts';

/** What merging one value gives. */
export interface Merged {
  readonly value: unknown;
  /** For a conflict: the merged value in each side's version. */
  readonly disputed?: Disputed<unknown>;
}
