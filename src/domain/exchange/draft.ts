/** Members of a record, unchecked. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * A project that is to be made, as an export holds it: plain values that nobody has checked. Ids are the draft's own, any texts; they are
 * replaced. Members of a record that are left out take their defaults.
 */
export interface Draft {
  readonly project: Fields;
  readonly canvas: Fields | null;
  /** By the names of `sections`, and `revisions`. */
  readonly lists: ReadonlyMap<string, readonly Fields[]>;
}
