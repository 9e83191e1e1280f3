/** An edge as it stands in the record that it leaves. `id` is always present in memory: written down, or derived from (from, to, label). */
export interface Link {
  readonly to: string;
  readonly id: string;
  /** The collection of `to` (`task`, `document`, ...). Always present in memory; on disk only where the id does not say it. */
  readonly type: string;
  readonly label?: string;
  readonly style?: string;
  readonly arrow_direction?: string;
  readonly created_at?: string;
}

/** What every stored value has. Records are deeply frozen plain values; a change is a new value. Absent optional fields hold null. */
export interface StoredRecord {
  readonly id: string;
  readonly created_at: string;
  /** Kept by the store: the time of the newest revision (collections with versioned fields), of the last change, or created_at. */
  readonly updated_at: string;
  readonly links?: readonly Link[];
}

/** The collections of a store by name: the type parameter of everything below. */
export type Collections = Record<string, StoredRecord>;
export type Name<C extends Collections> = Extract<keyof C, string>;

/** Who and what made a change. */
export type Source = 'rest' | 'mcp' | 'cli' | 'disk' | 'system';

/** One record's change: added has no `from`, removed no `to`. */
export interface Change {
  readonly collection: string;
  readonly id: string;
  readonly from?: StoredRecord | undefined;
  readonly to?: StoredRecord | undefined;
}

/** What happened to one record, as history keeps it. `before` holds the changed fields as they were, `after` a hash of all versioned fields. */
export interface Revision {
  readonly at: string;
  readonly id: string;
  readonly target: string;
  readonly target_type: string;
  readonly author: string;
  /** The editing session that it belongs to: the revisions that one makes of a record, one after the other, are read as one. */
  readonly session?: string | undefined;
  readonly fields: readonly string[];
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: string;
}

/** A record's members by name, for code that knows its fields from the collection. */
export function membersOf(record: StoredRecord): Readonly<Record<string, unknown>> {
  return record as unknown as Readonly<Record<string, unknown>>;
}

/** Which revisions are asked for. */
export interface HistoryQuery {
  /** Of this record. */
  readonly target?: string | undefined;
  /** Of this collection. */
  readonly type?: string | undefined;
  /** By this author, or by all of a kind: `agent` is every `agent:<name>`. */
  readonly author?: string | undefined;
  /** Older than this one. */
  readonly after?: { readonly at: string; readonly id: string } | undefined;
}
