import { conflict } from '../../base/errors.ts';
import type { IdKind, IdSource } from '../../base/ids.ts';
import { atOnce, eachInSteps, type Steps } from '../../base/slices.ts';
import type { Collection } from '../record/collection.ts';
import { withLaterFields } from '../record/assemble.ts';
import { normaliseLinks } from '../record/links.ts';
import { requireTexts } from '../record/lazy-text.ts';
import { equal, freeze } from '../record/plain.ts';
import { differing, weightOfChange } from '../record/entry.ts';
import type { EntryEvents, FeedPage, FeedQuery } from '../record/feed.ts';
import type { Head, KeptAnswer } from '../record/log.ts';
import type { Feed } from './feed.ts';
import type { ProjectIndex } from './project-index.ts';
import type {
  Change,
  Collections,
  HistoryQuery,
  Link,
  Revision,
  RevisionId,
  RevisionSummary,
  Source,
  StoredRecord,
} from '../record/record.ts';
import type { RevisionIndex } from './revision-index.ts';
import type { ServiceRecords } from './service-records.ts';
import type { ChangeMeta } from '../record/status.ts';
import { unwritable } from '../record/unreadable.ts';
import type {
  Belonging,
  DerivedIndex,
  Delta,
  Incoming,
  Problem,
  RecordBytes,
  ServiceTx,
  ServiceReadTransaction,
  Snapshot,
  Tx,
  ReadTransaction,
  WrittenFile,
} from '../record/read-transaction.ts';

/** The dependencies of a transaction. */
export interface TransactionContext {
  readonly project: string;
  readonly code: string;
  /** The following changes belong to the entry with this id; returns the order of its version. */
  readonly begin: (id: string) => number;
  readonly index: ProjectIndex;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly history: RevisionIndex;
  readonly service: ServiceRecords;
  readonly ids: IdSource;
  readonly linkedPart: (path: string) => string | undefined;
  readonly bytes: (collection: string, id: string) => RecordBytes | undefined;
  readonly storedBytes: () => number;
  readonly problems: () => readonly Problem[];
  readonly problemOf: (id: string) => Problem | undefined;
  readonly pathOf: (id: string) => string | undefined;
  readonly fileByPerson: (id: string) => WrittenFile | undefined;
  readonly feed: () => { readonly feed: Feed; readonly head: Head } | undefined;
}

/** The present state of a project; see `ReadTransaction`. One object per project serves all reads. */
export class ProjectReadTransaction implements ReadTransaction {
  readonly project: string;
  readonly code: string;
  readonly service: ServiceReadTransaction;
  protected readonly context: TransactionContext;
  readonly #now: () => string;

  constructor(ground: TransactionContext, now: () => string, service: ServiceReadTransaction = ground.service) {
    this.project = ground.project;
    this.code = ground.code;
    this.service = service;
    this.context = ground;
    this.#now = now;
  }

  get now(): string {
    return this.#now();
  }
  get problems(): readonly Problem[] {
    return this.context.problems();
  }
  get(collection: string, id: string): StoredRecord | undefined {
    return this.context.index.table(collection).get(id);
  }
  find(id: string): { readonly collection: string; readonly record: StoredRecord } | undefined {
    const collection = this.context.index.collectionOf(id);
    const record = collection === undefined ? undefined : this.context.index.table(collection).get(id);
    return collection === undefined || record === undefined ? undefined : { collection, record };
  }
  list(
    collection: string,
    after?: { readonly created_at: string; readonly id: string },
  ): IterableIterator<StoredRecord> {
    return this.context.index.table(collection).list(after);
  }
  count(collection: string): number {
    return this.context.index.table(collection).size;
  }
  by(collection: string, index: string, key: string): StoredRecord[] {
    return this.context.index.table(collection).by(index, key);
  }
  countBy(collection: string, index: string, key: string): number {
    return this.context.index.table(collection).countBy(index, key);
  }
  keys(collection: string, index: string): IterableIterator<string> {
    return this.context.index.table(collection).keys(index);
  }
  outgoing(id: string): readonly Incoming[] {
    return this.context.index.outgoing(id);
  }
  meant(from: string, link: Link): Link {
    return this.context.index.meant(from, link);
  }
  candidates(from: string, link: Link): readonly string[] {
    return this.context.index.names.meant(from, link);
  }
  dangling(): IterableIterator<Incoming> {
    return this.context.index.dangling();
  }
  incoming(id: string): readonly Incoming[] {
    return this.context.index.incoming(id);
  }
  snapshot(): Snapshot {
    const { project, code, index } = this.context;
    const records = index.snapshot();
    return {
      project,
      code,
      get: (collection: string, id: string) => records.get(collection, id),
      by: (collection: string, name: string, key: string) => records.by(collection, name, key),
      incoming: (id) => records.incoming(id),
      outgoing: (id) => records.outgoing(id),
    };
  }
  edge(id: string): Incoming | undefined {
    return this.context.index.edge(id);
  }
  edges(): IterableIterator<Incoming> {
    return this.context.index.edges();
  }
  index<T extends DerivedIndex>(name: string): T {
    return this.context.index.derived(name) as T;
  }
  version(...collections: readonly string[]): string {
    return this.context.index.versions.of(...collections);
  }
  since(collection: string, version: string): Delta | undefined {
    return this.context.index.versions.since(collection, version);
  }
  revisions(target?: string): Revision[] {
    return [...this.context.history.revisions({ target })];
  }
  history(query: HistoryQuery): IterableIterator<Revision> {
    return this.context.history.revisions(query);
  }
  historySummaries(query: HistoryQuery): IterableIterator<RevisionSummary> {
    return this.context.history.summaries(query);
  }
  historyIds(query: HistoryQuery): IterableIterator<RevisionId> {
    return this.context.history.ids(query);
  }
  streamHistory(query: HistoryQuery): AsyncIterableIterator<readonly Revision[]> {
    return this.context.history.streamed(query);
  }
  get cursor(): string | undefined {
    const found = this.context.feed();
    return found?.feed.cursorAt(found.head);
  }
  events(cursor: string | undefined, query: FeedQuery): FeedPage | undefined {
    return this.context.feed()?.feed.read(cursor, query);
  }
  changeAt(cursor: string): EntryEvents | undefined {
    return this.context.feed()?.feed.entry(cursor);
  }
  get historyVersion(): string {
    const { index, history } = this.context;
    return history.version === '' ? index.versions.ofHistory : `${index.versions.ofHistory}-${history.version}`;
  }
  bytes(collection: string, id: string): RecordBytes | undefined {
    return this.context.bytes(collection, id);
  }
  get storedBytes(): number {
    return this.context.storedBytes();
  }
  linkedPart(path: string): string | undefined {
    return this.context.linkedPart(path);
  }
  revision(id: string): Revision | undefined {
    return this.context.history.revision(id);
  }
  problemOf(id: string): Problem | undefined {
    return this.context.problemOf(id);
  }
  pathOf(id: string): string | undefined {
    return this.context.pathOf(id);
  }
  fileByPerson(id: string): WrittenFile | undefined {
    return this.context.fileByPerson(id);
  }
}

const noFields: readonly string[] = [];

/** Records and links whose changes are undone in one step. */
const undoneAtOnce = 32;

/** The result of a transaction: one change per record, in the order of first access. */
export interface ChangeSet {
  readonly changes: readonly Change[];
  readonly service: readonly Change[];
  /** The answers that are stored with the entry for repeats of the call. */
  readonly answers: readonly KeptAnswer[];
}

/** Changes the index immediately and records how to roll back; see `Tx`. */
export class Transaction extends ProjectReadTransaction implements Tx {
  readonly author: string;
  readonly source: Source;
  readonly session: string | undefined;
  declare readonly service: ServiceTx;
  readonly ids: IdSource;
  /** The id of the entry that will contain the changes; undefined without changes. */
  entry: string | undefined;
  /** The order of its version. */
  order = 0;
  /** True if the rule itself called `touch`. */
  hasTouched = false;
  readonly #at: string;
  readonly #done: Change[] = [];
  readonly #serviceWork: ServiceWork;
  /** The links to each removed record: its revision keeps them for restoring. */
  readonly removedLinks = new Map<string, readonly Incoming[]>();
  /** The records removed with each removed record. */
  readonly belongings = new Map<string, readonly Belonging[]>();
  /** History of imported records. */
  readonly importedRevisions: Revision[] = [];
  readonly #importedTargets = new Set<string>();

  constructor(ground: TransactionContext, at: string, meta: ChangeMeta) {
    const work: ServiceWork = { done: [], answers: [], log: 'project' };
    super(ground, () => at, new ServiceTransaction(ground.service, work));
    this.#serviceWork = work;
    this.ids = ground.ids;
    this.#at = at;
    this.author = meta.author;
    this.source = meta.source;
    this.session = meta.session;
  }

  newId(kind: IdKind): string {
    // Ids get the transaction's time and ascend, so that sorting by created_at, then id gives the order of creation.
    return this.ids.next(kind, this.code, Date.parse(this.#at));
  }

  get changeCount(): number {
    return this.#done.length;
  }

  changes(after = 0): readonly Change[] {
    return atOnce(composed(after === 0 ? this.#done : this.#done.slice(after)));
  }

  get ownCursor(): string | undefined {
    const found = this.#done.length === 0 ? undefined : this.context.feed();
    return found?.feed.cursorAt({ seq: found.head.seq + 1, id: this.entry! });
  }

  importRecord(collection: string, value: StoredRecord): never {
    return this.put(collection, value, value.updated_at);
  }

  importRevision(revision: Revision): void {
    this.importedRevisions.push(freeze(revision));
    this.#importedTargets.add(revision.target);
  }

  /** Returns whether the history of a record's change is imported with it. */
  importsHistoryOf(id: string): boolean {
    return this.#importedTargets.has(id);
  }

  put(
    collection: string,
    value: Omit<StoredRecord, 'updated_at'> & { readonly updated_at?: string },
    updatedAt?: string,
  ): never {
    const { context, code } = this;
    const { index } = context;
    const from = this.#replaced(collection, value.id);
    const declared = context.collections.get(collection);
    const given = declared === undefined ? value : withLaterFields(declared, value);
    const to = { ...given, updated_at: from?.updated_at ?? value.created_at };
    // The links of the record itself are in their form.
    if (value.links !== undefined && value.links !== from?.links)
      to.links = normaliseLinks(code, value.id, index.asWritten(value.id, value.links));
    if (from !== undefined) index.keepNames(collection, from, to);
    const fields = from && differing(from, to);
    if (fields?.length === 0) return from as never;
    const { versioned = noFields } = declared ?? {};
    if (updatedAt !== undefined) to.updated_at = updatedAt;
    // Each change sets the time of a record without versioned fields.
    else if (fields !== undefined && (versioned.length === 0 || versioned.some((field) => fields.includes(field))))
      to.updated_at = this.#at;
    if (to.updated_at !== from?.updated_at) fields?.push('updated_at');
    this.#apply({ collection, id: value.id, from, to: freeze(to), fields });
    return to as never;
  }

  /** The record that a put replaces. Throws `conflict` if it may not. */
  #replaced(collection: string, id: string): StoredRecord | undefined {
    const { index, problemOf } = this.context;
    const problem = problemOf(id);
    if (problem !== undefined) throw unwritable(id, problem);
    const from = index.table(collection).get(id);
    const holder = from === undefined ? index.collectionOf(id) : undefined;
    if (holder !== undefined) throw conflict(`The id ${id} is already that of a ${holder}.`, { id });
    return from;
  }

  remove(collection: string, id: string, belongings: readonly Belonging[] = []): void {
    atOnce(this.removeInSteps(collection, id, belongings));
  }

  *removeInSteps(collection: string, id: string, belongings: readonly Belonging[] = []): Steps<void> {
    const from = this.context.index.table(collection).get(id);
    if (from === undefined) return;
    const problem = this.context.problemOf(id);
    if (problem !== undefined) throw unwritable(id, problem);
    yield* eachInSteps(belongings, ({ collection: kind, record }) => this.remove(kind, record.id));
    this.belongings.set(id, belongings);
    const incoming = this.context.index.incoming(id);
    this.removedLinks.set(id, incoming);
    // Remove the links to the record first: a rollback in reverse order then restores the record before the links to
    // it.
    yield* eachInSteps(incoming, ({ from: source, fromType }) => {
      if (source === id || this.context.problemOf(source) !== undefined) return;
      const bearer = this.context.index.table(fromType).get(source);
      if (bearer !== undefined)
        this.put(fromType, {
          ...bearer,
          links: (bearer.links ?? []).filter((one) => this.meant(source, one).to !== id),
        });
    });
    this.#apply({ collection, id, from, to: undefined });
  }

  touch(collection: string, id: string): void {
    this.#begin();
    this.hasTouched = true;
    this.context.index.touch(collection, id);
  }

  /** Undoes all changes, newest first. */
  rollback(): void {
    atOnce(this.rollbackInSteps());
  }

  /** Rolls back in steps. The rest may be undone in one turn in between. */
  *rollbackInSteps(): Steps<void> {
    const { index, service } = this.context;
    while (this.entry !== undefined) {
      index.versions.undo(this.order, () => {
        for (let left = undoneAtOnce, change; left > 0 && (change = this.#done.pop()) !== undefined;) {
          index.apply(inverse(change));
          left -= weightOfChange(change);
        }
      });
      if (this.#done.length === 0) break;
      yield;
    }
    for (let change; (change = this.#serviceWork.done.pop()) !== undefined;) service.apply(inverse(change));
  }

  changeSet(): ChangeSet {
    // Most change sets have one change: no generators.
    const { done, answers } = this.#serviceWork;
    if (this.#done.length <= 1 && done.length === 0) return { changes: [...this.#done], service: [], answers };
    return atOnce(this.changeSetInSteps());
  }

  *changeSetInSteps(): Steps<ChangeSet> {
    const { done, answers } = this.#serviceWork;
    const [changes, service] = [yield* composed(this.#done), yield* composed(done)];
    return { changes, service, answers };
  }

  #apply(change: Change): void {
    // Derived indexes compare the texts: one that is not in memory has to be fetched before anything is changed.
    if (change.from !== undefined) requireTexts(change.from);
    this.#begin();
    this.context.index.apply(change);
    this.#done.push(change);
  }

  /** Before the first change: the entry's id is a part of the versions that the changes get. */
  #begin(): void {
    if (this.entry !== undefined) return;
    this.entry = entryId(this.ids, this.#at);
    this.order = this.context.begin(this.entry);
  }
}

/**
 * A new id for an entry. It has the transaction's time, as its records' ids do: an id of a later moment would start a
 * new sequence below ids that were given before.
 */
export function entryId(ids: IdSource, at: string): string {
  return ids.next('event', '000000', Date.parse(at));
}

/** The changes of a transaction on the service's records so far, and the log that its entry belongs to. */
interface ServiceWork {
  readonly done: Change[];
  readonly answers: KeptAnswer[];
  readonly log: 'project' | 'service';
}

class ServiceTransaction implements ServiceTx {
  readonly #records: ServiceRecords;
  readonly #work: ServiceWork;

  constructor(records: ServiceRecords, work: ServiceWork) {
    this.#records = records;
    this.#work = work;
  }

  get<T extends StoredRecord>(collection: string, id: string): T | undefined {
    return this.#records.get(collection, id);
  }
  list<T extends StoredRecord>(collection: string): IterableIterator<T> {
    return this.#records.list(collection);
  }
  by<T extends StoredRecord>(collection: string, index: string, key: string): T[] {
    return this.#records.by(collection, index, key);
  }
  put<T extends StoredRecord>(collection: string, record: T): T {
    if (this.#records.isBeside(collection)) {
      this.#work.answers.push({ id: record.id, kept: JSON.stringify(record) });
      return record;
    }
    const from = this.#records.get(collection, record.id);
    if (from !== undefined && equal(from, record)) return record;
    this.#apply({ collection, id: record.id, from, to: freeze({ ...record }) });
    return record;
  }
  remove(collection: string, id: string): void {
    const from = this.#records.get(collection, id);
    if (from !== undefined) this.#apply({ collection, id, from, to: undefined });
  }
  #apply(change: Change): void {
    this.#records.requirePlacement(change.collection, this.#work.log);
    this.#records.apply(change);
    this.#work.done.push(change);
  }
}

/**
 * A transaction on the service's records alone: of the service's log, for example when a session begins, or of a
 * project's when it is deleted.
 */
export function serviceTransaction(
  records: ServiceRecords,
  log: 'project' | 'service',
): {
  readonly tx: ServiceTx;
  readonly done: readonly Change[];
  readonly answers: readonly KeptAnswer[];
  rollback(): void;
} {
  const [done, answers]: [Change[], KeptAnswer[]] = [[], []];
  return {
    tx: new ServiceTransaction(records, { done, answers, log }),
    done,
    answers,
    rollback: () => {
      for (const change of done.toReversed()) records.apply(inverse(change));
    },
  };
}

export function inverse({ collection, id, from, to, fields }: Change): Change {
  return { collection, id, from: to, to: from, fields };
}

/** One change per record: the first `from` with the last `to`; records that end as they began are omitted. */
function* composed(changes: readonly Change[]): Steps<Change[]> {
  if (changes.length === 1) return [...changes];
  const byId = new Map<string, Change>();
  yield* eachInSteps(changes, (change) => {
    const key = `${change.collection}\0${change.id}`;
    const former = byId.get(key);
    byId.set(key, former === undefined ? change : { ...change, from: former.from, fields: undefined });
  });
  const found: Change[] = [];
  yield* eachInSteps(byId.values(), (change) => {
    if (change.from !== change.to) found.push(change);
  });
  return found;
}

/** Adds types to the untyped engine: the collections' types are declared in the domain. */
export function typedReadTransaction<C extends Collections>(view: ProjectReadTransaction): ReadTransaction<C> {
  return view as unknown as ReadTransaction<C>;
}

export function typedTx<C extends Collections>(tx: Transaction): Tx<C> {
  return tx as unknown as Tx<C>;
}
