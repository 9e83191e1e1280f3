import { freeze } from './plain.ts';
import { Table, type TableSpec } from './table.ts';
import type { Change, StoredRecord } from './record.ts';
import type { ServiceView } from './view.ts';

/** A service record may say when it is of no more use: it is dropped from the next snapshot after that time. */
export interface Perishable extends StoredRecord {
  readonly drop_at?: string;
}

/** The service's own records in memory (leases, sessions, current goals, idempotency keys...). Durable through the journal and a snapshot in `local/`. */
export class ServiceRecords implements ServiceView {
  readonly #tables: ReadonlyMap<string, Table>;
  /** Grows with every change: tells whether a snapshot is still current. */
  changes = 0;

  constructor(specs: readonly TableSpec[]) {
    this.#tables = new Map(specs.map((spec) => [spec.name, new Table(spec)]));
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

  apply({ collection, id, from, to }: Change): void {
    this.#table(collection).replace(id, from, freeze(to));
    this.changes++;
  }

  /** Every record that is still of use at `now`, as lines of a snapshot. */
  *snapshot(now: string): IterableIterator<{ readonly collection: string; readonly record: StoredRecord }> {
    for (const table of this.#tables.values()) {
      for (const record of table.values()) {
        const dropAt = (record as Perishable).drop_at;
        if (dropAt === undefined || dropAt > now) yield { collection: table.name, record };
      }
    }
  }

  /** Drops what is of no more use; bounded by what has perished since the last call. */
  sweep(now: string): void {
    for (const table of this.#tables.values()) {
      for (const record of [...table.values()]) {
        const dropAt = (record as Perishable).drop_at;
        if (dropAt !== undefined && dropAt <= now) table.replace(record.id, record, undefined);
      }
    }
  }

  knows(collection: string): boolean {
    return this.#tables.has(collection);
  }

  #table(collection: string): Table {
    const table = this.#tables.get(collection);
    if (table === undefined) throw new Error(`There is no service collection ${collection}.`);
    return table;
  }
}
