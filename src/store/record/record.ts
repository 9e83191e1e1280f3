/**
 * An edge, stored in the record at its start. `id` is always present in memory: explicit, or derived from (from, to,
 * label).
 */
export interface Link {
  /** The id of the record at its end; in a file of a person also its name, see `ReadTransaction.meant`. */
  readonly to: string;
  readonly id: string;
  /**
   * The collection of `to` (`task`, `document`, ...). Always present in memory; on disk only if the id does not imply
   * it.
   */
  readonly type: string;
  readonly label?: string;
  readonly style?: string;
  readonly arrow_direction?: string;
  readonly created_at?: string;
  /** The list of the file that it is written in, if that is not `links`: see `Field.lists`. */
  readonly in?: string;
}

/**
 * The common fields of stored records. Records are deeply frozen plain values; a change is a new value. Absent optional
 * fields are null.
 */
export interface StoredRecord {
  readonly id: string;
  readonly created_at: string;
  /**
   * Maintained by the store: the time of the newest revision (collections with versioned fields), of the last change,
   * or created_at.
   */
  readonly updated_at: string;
  readonly links?: readonly Link[];
}

/** The collections of a store by name, as a type parameter. */
export type Collections = Record<string, StoredRecord>;
export type Name<C extends Collections> = Extract<keyof C, string>;

/** The origin of a change. */
export type Source = 'rest' | 'mcp' | 'cli' | 'disk' | 'system';

/** One record's change: an addition has no `from`, a removal no `to`. */
export interface Change {
  readonly collection: string;
  readonly id: string;
  readonly from?: StoredRecord | undefined;
  readonly to?: StoredRecord | undefined;
  /** The fields in which the two values of an update differ, if its maker compared them. */
  readonly fields?: readonly string[] | undefined;
}

/**
 * One change of a record in its history. `before` has the former values of the changed fields, `after` a hash of all
 * versioned fields.
 */
export interface Revision {
  readonly at: string;
  readonly id: string;
  readonly target: string;
  readonly target_type: string;
  readonly author: string;
  /** The editing session of the change: consecutive revisions of one session are shown as one. */
  readonly session?: string | undefined;
  readonly fields: readonly string[];
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: string;
}

/** A revision without the values: the changed fields, the time and the author. */
export type RevisionSummary = Omit<Revision, 'before' | 'after'>;

/** Which revision it is, and of which record. */
export type RevisionId = Pick<Revision, 'id' | 'target' | 'target_type'>;

/** A record's members by name, for code that gets its fields from the collection. */
export function membersOf(record: StoredRecord): Readonly<Record<string, unknown>> {
  return record as unknown as Readonly<Record<string, unknown>>;
}

/** A filter for revisions. */
export interface HistoryQuery {
  /** The record of the revisions. */
  readonly target?: string | undefined;
  /** The collection of their records. */
  readonly type?: string | undefined;
  /** An author, or a kind of authors: `agent` means every `agent:<name>`. */
  readonly author?: string | undefined;
  /** The position after which older revisions follow. */
  readonly after?: { readonly at: string; readonly id: string } | undefined;
  /** The last characters of their ids: as many as `lastOf` takes. */
  readonly end?: string | undefined;
  /** The position after which newer revisions of one record follow: oldest first. */
  readonly newer?: { readonly at: string; readonly id: string } | undefined;
}
