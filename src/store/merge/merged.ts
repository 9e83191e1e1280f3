/** A value that both sides changed differently, in each version. */
export interface Disputed<T> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}

/** What merging one value gives. */
export interface Merged {
  readonly value: unknown;
  /** For a conflict: the merged value in each side's version. */
  readonly disputed?: Disputed<unknown>;
}
