import type { ChangedRecord, Changes } from './side.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A record of the last common state. */
export interface CommonRecord {
  readonly collection: string;
  readonly fields: Fields;
}

export type CommonRecords = ReadonlyMap<string, CommonRecord>;

/** One side as it was read last: whole collections, or their changes since the common state. */
export class Listing {
  readonly #records = new Map<string, ChangedRecord>();
  readonly #complete = new Set<string>();
  #token: string | undefined;
  #withheld: ReadonlySet<string> = new Set();
  #isUncertain = false;

  static of(changes: Changes): Listing {
    const listing = new Listing();
    listing.add(changes);
    return listing;
  }

  /** Adds the changes since the last listing. */
  add({ head, records }: Changes): void {
    const complete = new Set(head.complete);
    for (const [id, { collection }] of this.#records) if (complete.has(collection)) this.#records.delete(id);
    for (const collection of complete) this.#complete.add(collection);
    for (const record of records) this.#records.set(record.id, record);
    this.#token = head.token;
    this.#withheld = new Set(head.withheld);
    this.#isUncertain = head.is_uncertain;
  }

  get token(): string | undefined {
    return this.#token;
  }

  /** The ids of the records whose present state is unknown. */
  get withheld(): ReadonlySet<string> {
    return this.#withheld;
  }

  /** No record that is not listed counts as gone. */
  get isUncertain(): boolean {
    return this.#isUncertain;
  }

  get records(): IterableIterator<ChangedRecord> {
    return this.#records.values();
  }

  /** Returns whether all records of a collection are listed. */
  isComplete(collection: string): boolean {
    return this.#complete.has(collection);
  }

  listed(id: string): ChangedRecord | undefined {
    return this.#records.get(id);
  }

  /** The record at this side, or undefined. */
  record(id: string, base: CommonRecords): Fields | undefined {
    const listed = this.#records.get(id);
    if (listed !== undefined) return listed.record ?? undefined;
    const common = base.get(id);
    return common !== undefined && this.#isGone(id, common) ? undefined : common?.fields;
  }

  /** The ids whose records may differ from the common state. */
  *candidates(base: CommonRecords): IterableIterator<string> {
    yield* this.#records.keys();
    if (this.#complete.size === 0) return;
    for (const [id, common] of base) if (!this.#records.has(id) && this.#isGone(id, common)) yield id;
  }

  /** A record that is not listed though its collection is complete. */
  #isGone(id: string, { collection }: CommonRecord): boolean {
    return !this.#isUncertain && !this.#withheld.has(id) && this.#complete.has(collection);
  }
}
