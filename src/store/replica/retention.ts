import { Fifo } from './fifo.ts';
import type { StoredRecord } from '../record/record.ts';
import type { Table } from './table.ts';

/**
 * Limits of a service collection whose records belong to owners (credentials). They limit memory and the snapshot.
 * Evictions are not journaled: replaying the same records in the same order evicts the same ones.
 */
export interface RetentionSpec {
  /** The owner of a record. */
  readonly owner: (record: StoredRecord) => string;
  /** The bytes that `shed` removes from a record; 0 for a light record. */
  readonly weight: (record: StoredRecord) => number;
  /** The record without its weight. */
  readonly shed: (record: StoredRecord) => StoredRecord;
  readonly recordsPerOwnerMax: number;
  readonly recordsMax: number;
  readonly recordBytesMax: number;
  readonly bytesPerOwnerMax: number;
  readonly bytesMax: number;
}

/** The records of one owner, oldest first. */
interface Holding {
  readonly ids: Fifo;
  /** Records with weight. */
  readonly heavy: Fifo;
  records: number;
  bytes: number;
}

/**
 * Keeps one table within its limits: first sheds the weight of the oldest records, then evicts whole records. Amortised
 * O(1) per change.
 */
export class Retention {
  readonly #spec: RetentionSpec;
  readonly #table: Table;
  readonly #holdings = new Map<string, Holding>();
  readonly #total = { records: 0, bytes: 0 };
  /** Counts the records that were shed or evicted. */
  evictions = 0;

  constructor(spec: RetentionSpec, table: Table) {
    this.#spec = spec;
    this.#table = table;
  }

  /** Puts a record into the table, or removes it; then evicts records above a limit. */
  replace(id: string, to: StoredRecord | undefined): void {
    const present = this.#table.get(id);
    if (present !== undefined) this.#remove(present);
    if (to === undefined) return;
    const record = this.#fitting(to);
    this.#table.replace(id, undefined, record);
    this.#enforce(this.#add(record));
  }

  #fitting(record: StoredRecord): StoredRecord {
    if (this.#spec.weight(record) <= this.#spec.recordBytesMax) return record;
    this.evictions++;
    return this.#spec.shed(record);
  }

  #enforce(own: Holding): void {
    const { recordsPerOwnerMax, recordsMax, bytesPerOwnerMax, bytesMax } = this.#spec;
    while (own.bytes > bytesPerOwnerMax) this.#shedOldest(own);
    while (own.records > recordsPerOwnerMax) this.#evictOldest(own);
    // If the total exceeds a limit, the owner with the most loses records, so that no owner can evict others' records.
    while (this.#total.bytes > bytesMax) this.#shedOldest(this.#largest('bytes'));
    while (this.#total.records > recordsMax) this.#evictOldest(this.#largest('records'));
  }

  #shedOldest(holding: Holding): void {
    const record = this.#table.get(holding.heavy.first()!)!;
    const light = this.#spec.shed(record);
    this.evictions++;
    this.#weigh(holding, -this.#spec.weight(record));
    this.#table.replace(record.id, record, light);
  }

  #evictOldest(holding: Holding): void {
    this.evictions++;
    this.#remove(this.#table.get(holding.ids.first()!)!);
  }

  #largest(by: 'bytes' | 'records'): Holding {
    return [...this.#holdings.values()].reduce((a, b) => (b[by] > a[by] ? b : a));
  }

  #add(record: StoredRecord): Holding {
    const holding = this.#holdingOf(this.#spec.owner(record));
    const bytes = this.#spec.weight(record);
    holding.records++;
    this.#total.records++;
    this.#weigh(holding, bytes);
    holding.ids.add(record.id, holding.records);
    if (bytes > 0) holding.heavy.add(record.id, holding.records);
    return holding;
  }

  #remove(record: StoredRecord): void {
    const owner = this.#spec.owner(record);
    const holding = this.#holdingOf(owner);
    this.#table.replace(record.id, record, undefined);
    holding.records--;
    this.#total.records--;
    this.#weigh(holding, -this.#spec.weight(record));
    if (holding.records === 0) this.#holdings.delete(owner);
  }

  #weigh(holding: Holding, bytes: number): void {
    holding.bytes += bytes;
    this.#total.bytes += bytes;
  }

  #holdingOf(owner: string): Holding {
    let holding = this.#holdings.get(owner);
    if (holding === undefined) {
      const own = (id: string): StoredRecord | undefined => {
        const record = this.#table.get(id);
        return record !== undefined && this.#spec.owner(record) === owner ? record : undefined;
      };
      const heavy = (id: string): boolean => {
        const record = own(id);
        return record !== undefined && this.#spec.weight(record) > 0;
      };
      holding = { ids: new Fifo((id) => own(id) !== undefined), heavy: new Fifo(heavy), records: 0, bytes: 0 };
      this.#holdings.set(owner, holding);
    }
    return holding;
  }
}
