/** Something that both sides changed in different ways, as each has it. */
export interface Disputed<T> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}

/** What merging one value gives. */
export interface Merged {
  readonly value: unknown;
  /** Where both changed the same: the merged value as each side would have it. */
  readonly disputed?: Disputed<unknown>;
}
