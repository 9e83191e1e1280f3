import type { Disputed } from '../../base/merge-text.ts';

/** The result of merging one value. */
export interface Merged {
  readonly value: unknown;
  /** The merged value in each side's version, for a conflict. */
  readonly disputed?: Disputed<unknown>;
}
