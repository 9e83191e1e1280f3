import { freeze } from '../record/plain.ts';
import { ServiceChanges } from './service-changes.ts';
import { Retention, type RetentionSpec } from './retention.ts';
import { Table, type TableSpec } from './table.ts';
import type { Change, StoredRecord } from '../record/record.ts';
import type { ServiceReadTransaction } from '../record/read-transaction.ts';

/** A service record that may expire: snapshots do not include it after that time. */
export interface ExpiringRecord extends StoredRecord {
  readonly drop_at?: string;
}

/**
 * The log that contains the changes of a collection: the log of the project that its records concern, so that they are
 * durable with the project's own changes; the service's; or the log of the transaction that changes them, wherever the
 * call belongs. `answer`: as `call`, for answers to calls, which a shared log stores with the entry, and no node keeps
 * in memory.
 */
export type Placement = 'project' | 'service' | 'call' | 'answer';

/** A collection of the service's own records. */
export interface ServiceCollectionSpec extends TableSpec {
  readonly placement: Placement;
  /** Limits on the records that callers can make the service keep. */
  readonly retention?: RetentionSpec;
  /** Events are derived from its changes, so that a replay keeps them for the feed, and followers of all projects are woken. */
  readonly hasEvents?: true;
}

/** One record in a snapshot; without `record`, `removed` is the id of a removed one. */
export type SnapshotLine =
  | { readonly collection: string; readonly record: StoredRecord }
  | { readonly collection: string; readonly removed: string };

/** Ids of changed records by collection. */
export type Changed = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The service's own records in memory (leases, sessions, current goals, idempotency keys...). The journal and a
 * snapshot in `local/` make them durable.
 */
export class ServiceRecords implements ServiceReadTransaction {
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #placements: ReadonlyMap<string, Placement>;
  readonly #retentions: ReadonlyMap<string, Retention>;
  readonly #withEvents: ReadonlySet<string>;
  /** Since the last snapshot. */
  #changed = new Map<string, Set<string>>();
  /** Listeners for views of the service's records. */
  readonly listeners = new ServiceChanges();
  readonly #listeners = new Map<string, Set<(change: Change) => void>>();
  /** Increases with every change: shows whether a snapshot is current. */
  changes = 0;
  readonly #hasAnswersBeside: boolean;

  /** `answersBeside`: answers are stored with the entries of a shared log. */
  constructor(specs: readonly ServiceCollectionSpec[], { answersBeside = false } = {}) {
    this.#hasAnswersBeside = answersBeside;
    this.#tables = new Map(specs.map((spec) => [spec.name, new Table(spec)]));
    this.#placements = new Map(specs.map(({ name, placement }) => [name, placement]));
    this.#withEvents = new Set(specs.flatMap(({ name, hasEvents }) => (hasEvents === true ? name : [])));
    const bounded = specs.flatMap(({ name, retention }) =>
      retention === undefined ? [] : [[name, new Retention(retention, this.#table(name))] as const],
    );
    this.#retentions = new Map(bounded);
  }

  get<T extends StoredRecord>(collection: string, id: string): T | undefined {
    return this.#table(collection).get(id) as T | undefined;
  }

  list<T extends StoredRecord>(collection: string): IterableIterator<T> {
    return this.#table(collection).list() as IterableIterator<T>;
  }

  by<T extends StoredRecord>(collection: string, index: string, key: string): T[] {
    return this.#table(collection).by(index, key) as T[];
  }

  /** The number of records that were evicted or shed to stay within limits. */
  get evictions(): number {
    let evictions = 0;
    for (const retention of this.#retentions.values()) evictions += retention.evictions;
    return evictions;
  }

  /** Throws unless a transaction on that log may change the collection. */
  requirePlacement(collection: string, log: 'project' | 'service'): void {
    const placement = this.#placements.get(collection);
    if (placement !== log && placement !== 'call' && placement !== 'answer')
      throw new Error(`Changes of ${collection} are not placed in the log of the ${log}.`);
  }

  /** The log that contains the changes of a collection. */
  placementOf(collection: string): Placement | undefined {
    return this.#placements.get(collection);
  }

  /** Returns whether new records of a collection are stored with the entry instead of here. */
  isBeside(collection: string): boolean {
    return this.#hasAnswersBeside && this.#placements.get(collection) === 'answer';
  }

  apply({ collection, id, from, to }: Change): void {
    const retention = this.#retentions.get(collection);
    if (retention === undefined) this.#table(collection).replace(id, from, freeze(to));
    else retention.replace(id, freeze(to));
    this.#markChanged(collection, id);
    this.listeners.note(collection);
    this.changes++;
    const listeners = this.#listeners.get(collection);
    if (listeners !== undefined) for (const listener of listeners) listener({ collection, id, from, to });
  }

  /** Calls the listener with each change of a collection, before it is durable, and with the inverse of one that is undone. */
  onChange(collection: string, listener: (change: Change) => void): () => void {
    let listeners = this.#listeners.get(collection);
    if (listeners === undefined) this.#listeners.set(collection, (listeners = new Set()));
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** Every record that has not expired at `now`, as lines of a snapshot. */
  *snapshot(now: string): IterableIterator<SnapshotLine> {
    for (const table of this.#tables.values()) {
      for (const record of table.values()) if (!isExpired(record, now)) yield { collection: table.name, record };
    }
  }

  /** Records changed since the last call. */
  takeChanged(): Changed {
    const changed = this.#changed;
    this.#changed = new Map();
    return changed;
  }

  /** Marks changes returned by `takeChanged` as unwritten again, after a failed snapshot. */
  putBack(changed: Changed): void {
    for (const [collection, ids] of changed) for (const id of ids) this.#markChanged(collection, id);
  }

  /** The changed records as they are now, as lines of a snapshot. */
  *changedLines(changed: Changed, now: string): IterableIterator<SnapshotLine> {
    for (const [collection, ids] of changed) {
      const table = this.#table(collection);
      for (const id of ids) {
        const record = table.get(id);
        if (record === undefined || isExpired(record, now)) yield { collection, removed: id };
        else yield { collection, record };
      }
    }
  }

  /** Removes expired records. */
  sweep(now: string): void {
    for (const [name, table] of this.#tables) {
      const retention = this.#retentions.get(name);
      for (const record of table.values()) {
        if (!isExpired(record, now)) continue;
        this.listeners.note(name);
        if (retention === undefined) table.replace(record.id, record, undefined);
        else retention.replace(record.id, undefined);
      }
    }
  }

  /** Returns whether events are derived from changes of the collection. */
  hasEvents(collection: string): boolean {
    return this.#withEvents.has(collection);
  }

  knows(collection: string): boolean {
    return this.#tables.has(collection);
  }

  #markChanged(collection: string, id: string): void {
    const ids = this.#changed.get(collection);
    if (ids === undefined) this.#changed.set(collection, new Set([id]));
    else ids.add(id);
  }

  #table(collection: string): Table {
    const table = this.#tables.get(collection);
    if (table === undefined) throw new Error(`There is no service collection ${collection}.`);
    return table;
  }
}

export function isExpired({ drop_at }: ExpiringRecord, now: string): boolean {
  return drop_at !== undefined && drop_at <= now;
}
