import type { IdKind } from '../../base/ids.ts';
import type { Steps } from '../../base/slices.ts';
import type { EntryEvents, FeedPage, FeedQuery } from './feed.ts';
import type { ChooseProjects } from './title-search.ts';
import type {
  Change,
  Collections,
  HistoryQuery,
  Link,
  Name,
  Revision,
  RevisionId,
  RevisionSummary,
  Source,
  StoredRecord,
} from './record.ts';

/** A link as seen from its target. */
export interface Incoming {
  /** The id and collection of the record that contains the link. */
  readonly from: string;
  readonly fromType: string;
  readonly link: Link;
}

/** A record that is removed together with another record, such as a comment. */
export interface Belonging {
  readonly collection: string;
  readonly record: StoredRecord;
}

/**
 * An index that the domain maintains in addition to the store's own, one object a project. Called with every change to
 * a record, undo included, in order.
 */
export interface DerivedIndex {
  /**
   * The fields that it is derived from, by collection: it gets the additions and removals in these collections, and updates of
   * these fields. An update whose fields were not compared is passed on as well.
   */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  changed(collection: string, from: StoredRecord | undefined, to: StoredRecord | undefined): void;
  /**
   * Called before `changed` with the edges that a change took away and brought, and with edges that now mean another
   * record.
   */
  linked?(removed: readonly Incoming[], added: readonly Incoming[]): void;
  /** Problems of records that are readable individually; listed with the problems of files, at the record's file. */
  problems?(): Iterable<RecordProblem>;
}

/** The changes of a list since a version. */
export interface Delta {
  /** Ids whose record (or a part that is shown with it) changed and that may still exist; the caller looks each up. */
  readonly ids: ReadonlySet<string>;
  readonly version: string;
}

/** Bytes that are durable in staging: a record may reference them. */
export interface StagedBytes {
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  readonly size: number;
}

/** The attachment of a record. Reading is lazy: a file is opened when the first piece is read. */
export interface RecordBytes extends StagedBytes {
  /**
   * The bytes from `start` to before `end` in pieces, to be read after the transaction. Throws if the file changed since
   * it was inspected.
   */
  pieces(start?: number, end?: number): AsyncIterableIterator<Uint8Array>;
  /** All bytes, within the transaction. Throws as `pieces` does. */
  whole(): Uint8Array;
}

/** A problem with a file, as `GET /projects/:id/problems` lists it. `path` is relative to the directory that holds `.planner`, with `/`. */
export interface Problem {
  readonly path: string;
  readonly kind: string;
  /** A note needs no action: the file is served. Default: a problem. */
  readonly severity?: 'note';
  readonly reason: string;
  readonly line?: number;
  readonly id?: string;
  /** The remedy for a person: a sentence about files, or a code if a command or a request does it. */
  readonly remedy?: string | Remedy;
}

/** A remedy by a command or a request. The store knows neither: the layers above say which one it is. */
export type Remedy =
  | { readonly code: RemedyCode }
  | {
      readonly code: 'restore_revision';
      /** The id of the revision with the overridden value. */
      readonly revision: string;
    }
  | {
      readonly code: 'restore_project';
      /** The id of the deleted project. */
      readonly project: string;
    };

type RemedyCode =
  | 'restore_project_file'
  | 'rebuild_project_file'
  | 'set_project'
  | 'bind_project'
  | 'add_lines'
  | 'replace_token'
  | 'close_token'
  | 'separate_project'
  | 'separate_copy'
  | 'renew_token'
  | 'resolve_merge';

/** A record's file as a person wrote or named it. */
export interface WrittenFile {
  /** Relative to the project's directory. */
  readonly path: string;
  /** Its text; null if only its name is a person's. */
  readonly text: string | null;
  /** The fields whose value is not the file's. */
  readonly unstated: readonly string[];
}

/** A problem found by the domain: the store adds the path of the record's file. */
export interface RecordProblem extends Omit<Problem, 'path' | 'line'> {
  readonly id: string;
  /** The name in its links that has the problem: the file has its line. */
  readonly name?: string;
}

/**
 * A consistent view of one project. Everything is in memory and synchronous, except texts above `residentTextBytesMax`,
 * history and attachments: looking up one of these throws `Needed`, so that the store fetches it and runs the function
 * again. Inside a transaction it includes the transaction's own changes.
 */
export interface ReadTransaction<C extends Collections = Collections> {
  readonly project: string;
  /** The project's six-character code. */
  readonly code: string;
  /** ISO time of this transaction: constant throughout it. */
  readonly now: string;
  get<N extends Name<C>>(collection: N, id: string): C[N] | undefined;
  /** The record of any collection with this id. */
  find(id: string): { readonly collection: Name<C>; readonly record: StoredRecord } | undefined;
  /**
   * Every record of a collection by created_at, then id. `after` starts after that position (the record need not exist
   * any more).
   */
  list<N extends Name<C>>(
    collection: N,
    after?: { readonly created_at: string; readonly id: string },
  ): IterableIterator<C[N]>;
  count(collection: Name<C>): number;
  /** Records of a collection with `key` in its declared index `index`, unordered. Proportional to the result. */
  by<N extends Name<C>>(collection: N, index: string, key: string): C[N][];
  countBy(collection: Name<C>, index: string, key: string): number;
  /** The distinct keys of a declared index. */
  keys(collection: Name<C>, index: string): IterableIterator<string>;
  /** Links from a record, each as `meant`. */
  outgoing(id: string): readonly Incoming[];
  /**
   * The meaning of a link in a record. A file may name the record at its end: by its file's name, with or without the
   * id in it, else by its title, else by a former title. The returned link has the id; it equals the link in the record
   * if its end is an id, and if no record or several ones have the name.
   */
  meant(from: string, link: Link): Link;
  /** The records that the name at the end of a link can mean. */
  candidates(from: string, link: Link): readonly string[];
  /** Links whose target is missing, each as `meant`. */
  dangling(): IterableIterator<Incoming>;
  /** Links to an id, from existing records. Links with a missing target are included: call `find` for the target. */
  incoming(id: string): readonly Incoming[];
  /** The present records, to be read after this transaction, while the project changes. */
  snapshot(): Snapshot<C>;
  /** An edge by its id, from an existing record. */
  edge(id: string): Incoming | undefined;
  /** Every edge of the project, unordered. */
  edges(): IterableIterator<Incoming>;
  /** The project's derived index registered under this name. */
  index<T extends DerivedIndex>(name: string): T;
  /**
   * Changes with every change to one of the collections, or to a record passed to `touch`. An opaque text of
   * `[0-9a-z-]` that identifies the state: it names the change set that was the last to touch them, and survives a
   * restart unless something was changed in between.
   */
  version(...collections: readonly Name<C>[]): string;
  /** Ids touched since a version of one collection; undefined if that is too long ago (return the full list). */
  since(collection: Name<C>, version: string): Delta | undefined;
  /** Revisions of one record (or of the whole project), newest first. Read from files. */
  revisions(target?: string): Revision[];
  /** The history as an iterator; each revision is read when it is reached. */
  history(query: HistoryQuery): IterableIterator<Revision>;
  /** The history without values. It may be continued after the transaction. */
  historySummaries(query: HistoryQuery): IterableIterator<RevisionSummary>;
  /** Only which ones there are: no file is read. It may be continued after the transaction. */
  historyIds(query: HistoryQuery): IterableIterator<RevisionId>;
  /** The present revisions with values, some at a time, to be read after the transaction. */
  streamHistory(query: HistoryQuery): AsyncIterableIterator<readonly Revision[]>;
  /**
   * The cursor of the feed after everything that this transaction reads: following from it misses nothing. Undefined if
   * the store has no feeds.
   */
  readonly cursor: string | undefined;
  /** The events after a cursor, the oldest kept ones without, or those before it. Undefined if the cursor is too old or foreign. */
  events(cursor: string | undefined, query: FeedQuery): FeedPage | undefined;
  /** The change set that a cursor of the feed names. Undefined if the cursor is too old or foreign, or names none. */
  changeAt(cursor: string): EntryEvents | undefined;
  /** Changes with every revision, and with each opening of the store. Of `[0-9a-z-]`. */
  readonly historyVersion: string;
  revision(id: string): Revision | undefined;
  /** The service's own records (leases, sessions, current goals), read-only. */
  readonly service: ServiceReadTransaction;
  /**
   * The attachment of a record (an uploaded file), readable as soon as the record is acknowledged; undefined if the
   * collection's records have no attachments. Throws `conflict` with the path if the bytes are missing or differ from
   * the record's hash.
   */
  bytes(collection: Name<C>, id: string): RecordBytes | undefined;
  /**
   * The size of the project: its record files, its history and its attachments. An attachment counts from the change
   * that adds it, other changes once they are in files. Maintained incrementally: reading it costs nothing.
   */
  readonly storedBytes: number;
  /** The first part of a path below the directory of `.planner` that is a symbolic link. */
  linkedPart(path: string): string | undefined;
  readonly problems: readonly Problem[];
  /** The problem that makes a record unreadable or parked, if any: changes to it are rejected. */
  problemOf(id: string): Problem | undefined;
  /** A record's file, relative to the directory that contains `.planner`; undefined while it has no file. */
  pathOf(id: string): string | undefined;
  /**
   * The parts of a record's file that a person gave: its name, comments, further keys. Undefined if the service would
   * write the same file.
   */
  fileByPerson(id: string): WrittenFile | undefined;
}

/** A project's records at the time of the snapshot, for work in slices. */
export type Snapshot<C extends Collections = Collections> = Pick<
  ReadTransaction<C>,
  'project' | 'code' | 'get' | 'by' | 'incoming' | 'outgoing'
>;

/**
 * A read-write transaction. It runs synchronously from beginning to end; a throw rolls it back. The store maintains
 * `updated_at`, revisions, derived link ids and the removal of links to removed records.
 */
export interface Tx<C extends Collections = Collections> extends ReadTransaction<C> {
  readonly author: string;
  readonly source: Source;
  /** The service's own collections (leases, sessions, current goals...), changed in the same journal entry. */
  readonly service: ServiceTx;
  newId(kind: IdKind): string;
  /** How often this transaction has changed a record so far. */
  readonly changeCount: number;
  /** Its changes so far, or those after so many, one for each record. */
  changes(after?: number): readonly Change[];
  /** The cursor of its change set in the feed; undefined while it has changed no record, and if the store has no feeds. */
  readonly ownCursor: string | undefined;
  /**
   * Adds a record or replaces the one with its id, and returns it frozen, with `updated_at` set by the store. An equal
   * record changes nothing. Throws `conflict` with path and line if the record's file is unreadable or parked.
   */
  put<N extends Name<C>>(collection: N, record: Omit<C[N], 'updated_at'> & { readonly updated_at?: string }): C[N];
  /** Adds a record from elsewhere, or replaces the one with its id, with the `updated_at` that it has there. */
  importRecord<N extends Name<C>>(collection: N, record: C[N]): C[N];
  /**
   * Adds a revision that a record has elsewhere. Its id is new, its `after` the fingerprint of the record after it. A
   * change of the record in this transaction makes no further one.
   */
  importRevision(revision: Revision): void;
  /**
   * Removes a record with the links to it and its `belongings` (comments), which the deletion's revision keeps for
   * restoring.
   */
  remove(collection: Name<C>, id: string, belongings?: readonly Belonging[]): void;
  /** Removes a record in steps, since many records may link to it. */
  removeInSteps(collection: Name<C>, id: string, belongings?: readonly Belonging[]): Steps<void>;
  /**
   * Marks a record changed if its shown form changed although its own fields did not (a prerequisite was done). Derived
   * indexes call it too.
   */
  touch(collection: Name<C>, id: string): void;
}

/** The service's own records, which belong to no project and are stored in `local/`. */
export interface ServiceReadTransaction {
  get<T extends StoredRecord>(collection: string, id: string): T | undefined;
  list<T extends StoredRecord>(collection: string): IterableIterator<T>;
  by<T extends StoredRecord>(collection: string, index: string, key: string): T[];
}

/** The own records of all projects, and where their feeds are, in the order in which they were made. */
export interface ProjectList<R extends StoredRecord = StoredRecord> {
  /** Another one once any of them is another; the same in each process. */
  readonly version: string;
  list(after?: { readonly created_at: string; readonly id: string }): IterableIterator<R>;
  /** The cursors of the present in the feeds, by the codes of projects: another object once one of them is another. */
  readonly cursors: ReadonlyMap<string, string>;
}

/** Which projects a read of all wants, if not all of them can be loaded. */
export interface RecordsWanted {
  /** Projects whose code is in this text come first. */
  readonly near?: string;
  /** Chooses them by titles, where these are kept. */
  readonly choose?: ChooseProjects;
  /** False if the chosen ones suffice. */
  readonly others?: boolean;
}

/** The service's own records outside the projects. */
export interface ServiceReader {
  readonly records: ServiceReadTransaction;
  /** Returns whether a record is durable as it is now. */
  readonly isDurable: (collection: string, id: string) => boolean;
}

export interface ServiceTx extends ServiceReadTransaction {
  put<T extends StoredRecord>(collection: string, record: T): T;
  remove(collection: string, id: string): void;
}
