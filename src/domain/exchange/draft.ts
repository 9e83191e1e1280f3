/** Members of a record, unchecked. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * A project to be imported, in the form of an export: plain, unchecked values. Ids are the draft's own and are replaced. Missing members of
 * a record get their defaults.
 */
export interface Draft {
  readonly project: Fields;
  readonly canvas: Fields | null;
  /** The lists by the names of `sections`, and `revisions`. */
  readonly lists: ReadonlyMap<string, readonly Fields[]>;
}
