import type { IdKind } from '../../ids.ts';
import type { Collections, HistoryQuery, Link, Name, Revision, Source, StoredRecord } from './record.ts';

/** A link seen from its far end. */
export interface Incoming {
  /** The id and collection of the record that bears the link. */
  readonly from: string;
  readonly fromType: string;
  readonly link: Link;
}

/** What goes with a record that is removed: a comment on it, say. */
export interface Belonging {
  readonly collection: string;
  readonly record: StoredRecord;
}

/** An index that the domain keeps beside the store's own, one object a project. Told of every change to a record, undo included, in order. */
export interface DerivedIndex {
  changed(collection: string, from: StoredRecord | undefined, to: StoredRecord | undefined): void;
  /** What it finds wrong with records that are each readable; listed with the problems of files, at the record's file. */
  problems?(): Iterable<RecordProblem>;
}

/** What changed in a list since a version. */
export interface Delta {
  /** Ids whose record (or what is shown with it) changed and that may still exist; the caller looks each up. */
  readonly ids: ReadonlySet<string>;
  readonly version: number;
}

/** Bytes that the store has taken in, durable: what a record may name. */
export interface StagedBytes {
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  readonly size: number;
}

/** The bytes that belong to a record. Reading is lazy: a file is opened when the first piece is taken. */
export interface RecordBytes extends StagedBytes {
  /** The bytes from `start` to before `end` in pieces, by synchronous reads. Throws where the file was changed since it was looked at. */
  pieces(start?: number, end?: number): IterableIterator<Uint8Array>;
}

/** A problem with a file, as `GET /projects/:id/problems` lists it. `path` is relative to the directory that holds `.planner`, with `/`. */
export interface Problem {
  readonly path: string;
  readonly kind: string;
  readonly reason: string;
  readonly line?: number;
  readonly id?: string;
  readonly remedy?: string;
}

/** A problem that the domain finds: the store says where the record lies. */
export interface RecordProblem extends Omit<Problem, 'path' | 'line'> {
  readonly id: string;
}

/**
 * A project as it is now. Everything is in memory and synchronous; only texts above `residentTextBytesMax` and history are read from
 * their files, when their property is read. Inside a transaction a view shows the transaction's own changes.
 */
export interface ReadTransaction<C extends Collections = Collections> {
  readonly project: string;
  /** The project's six-character code. */
  readonly code: string;
  /** ISO time of this view or transaction: the same however often it is read. */
  readonly now: string;
  get<N extends Name<C>>(collection: N, id: string): C[N] | undefined;
  /** The record of any collection with this id. */
  find(id: string): { readonly collection: Name<C>; readonly record: StoredRecord } | undefined;
  /** Every record of a collection by created_at, then id. `after` starts behind that position (the record need not exist any more). */
  list<N extends Name<C>>(
    collection: N,
    after?: { readonly created_at: string; readonly id: string },
  ): IterableIterator<C[N]>;
  count(collection: Name<C>): number;
  /** Records of a collection whose declared index `index` has `key`, unordered. Proportional to the answer. */
  by<N extends Name<C>>(collection: N, index: string, key: string): C[N][];
  countBy(collection: Name<C>, index: string, key: string): number;
  /** The distinct keys of a declared index that at least one record bears. */
  keys(collection: Name<C>, index: string): IterableIterator<string>;
  /** Links that point at an id, from live records. Links whose target is not there are answered too: ask `find` for the target. */
  incoming(id: string): readonly Incoming[];
  /** The records as they are now, to be read after the view, while the project changes. */
  snapshot(): Snapshot<C>;
  /** An edge by its id, from a live record. */
  edge(id: string): Incoming | undefined;
  /** Every edge of the project, unordered. */
  edges(): IterableIterator<Incoming>;
  /** The project's derived index registered under this name. */
  index<T extends DerivedIndex>(name: string): T;
  /** Grows with every change to the collection, or to what `touch` named. Starts anew with each opening of the store: combine with `epoch`. */
  version(collection: Name<C>): number;
  /** Unlike after each opening of the store. */
  readonly epoch: string;
  /** Ids touched since a version of this epoch; undefined when that is too long ago (answer in full). */
  since(collection: Name<C>, version: number): Delta | undefined;
  /** Revisions of one record (or of the whole project), newest first. Read from files. */
  revisions(target?: string): Revision[];
  /** The same one by one, read as they are taken. */
  history(query: HistoryQuery): IterableIterator<Revision>;
  /** Grows with every revision; combine with `epoch`. */
  readonly historyVersion: number;
  revision(id: string): Revision | undefined;
  /** The service's own records (leases, sessions, current goals), to read. */
  readonly service: ServiceReadTransaction;
  /**
   * The bytes that belong to a record (an uploaded file's), readable from the moment the record is acknowledged; undefined where the
   * collection's records have none. Throws `conflict` with the path where they are missing or are not those that the record names.
   */
  bytes(collection: Name<C>, id: string): RecordBytes | undefined;
  /**
   * Bytes that the project takes: its record files, its history and its attachments. An attachment counts from the change on that adds it,
   * other changes once they are in their files. Counted as changes come: reading it costs nothing.
   */
  readonly storedBytes: number;
  /** The first part of a path below the directory of `.planner` that is a symbolic link. */
  linkedPart(path: string): string | undefined;
  readonly problems: readonly Problem[];
  /** The problem that makes a record unreadable or parked, if any: a change to it is refused. */
  problemOf(id: string): Problem | undefined;
  /** Where a record's file lies, from the directory that holds `.planner`; undefined while it has none. */
  pathOf(id: string): string | undefined;
}

/** A project's records as they were when the snapshot was taken, for work in slices. */
export type Snapshot<C extends Collections = Collections> = Pick<
  ReadTransaction<C>,
  'project' | 'code' | 'get' | 'by' | 'incoming'
>;

/**
 * A transaction: a view that can write. It runs synchronously from beginning to end; a throw takes everything back.
 * The store keeps `updated_at`, revisions, links' derived ids and the removal of links to removed records.
 */
export interface Tx<C extends Collections = Collections> extends ReadTransaction<C> {
  readonly author: string;
  readonly source: Source;
  /** The service's own collections (leases, sessions, current goals...), changed in the same journal entry. */
  readonly service: ServiceTx;
  newId(kind: IdKind): string;
  /**
   * Adds a record or replaces the one with its id, and returns it frozen, with `updated_at` kept by the store.
   * An equal record changes nothing. A record whose file is unreadable or parked throws `conflict` naming path and line.
   */
  put<N extends Name<C>>(collection: N, record: Omit<C[N], 'updated_at'> & { readonly updated_at?: string }): C[N];
  /** Adds a record that lived elsewhere before, with the `updated_at` that it had there. */
  importRecord<N extends Name<C>>(collection: N, record: C[N]): C[N];
  /** Adds a revision that a record had elsewhere. Its id is new, its `after` the fingerprint of the record after it. */
  importRevision(revision: Revision): void;
  /** Removes a record with the links to it and with its `belongings` (comments), which the deletion's revision keeps for restoring. */
  remove(collection: Name<C>, id: string, belongings?: readonly Belonging[]): void;
  /** Says that what is shown of a record changed although its own fields did not (a prerequisite was done). Derived indexes call it too. */
  touch(collection: Name<C>, id: string): void;
}

/** The service's own records: not part of any project's files, kept in `local/`. */
export interface ServiceReadTransaction {
  get<T extends StoredRecord>(collection: string, id: string): T | undefined;
  list<T extends StoredRecord>(collection: string): IterableIterator<T>;
  by<T extends StoredRecord>(collection: string, index: string, key: string): T[];
}

export interface ServiceTx extends ServiceReadTransaction {
  put<T extends StoredRecord>(collection: string, record: T): T;
  remove(collection: string, id: string): void;
}
