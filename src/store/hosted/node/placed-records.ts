import type { Steps } from '../../../base/slices.ts';
import { eachInSteps } from '../../../base/slices.ts';
import { isExpired, type ServiceRecords } from '../../replica/service-records.ts';
import type { EntryBody } from '../../record/entry.ts';
import { equal, freeze } from '../../record/plain.ts';
import type { StoredRecord } from '../../record/record.ts';

/** A record of the service with its collection. */
export interface PlacedRecord {
  readonly collection: string;
  readonly record: StoredRecord;
}

/**
 * The service's own records that one log has: the records that its entries put and did not remove, in the order of
 * their last change, so that retention drops the same ones when they are loaded again. Records of collections that only
 * another release has are kept here, so that a snapshot of this release does not lose them.
 */
export class PlacedRecords {
  /** The records by collection and id; with the record itself if the collection is not known. */
  readonly #placed = new Map<string, Map<string, StoredRecord | undefined>>();
  readonly #service: ServiceRecords;

  constructor(service: ServiceRecords) {
    this.#service = service;
  }

  /** An entry of the log is durable. */
  note({ service = [] }: Pick<EntryBody, 'service'>): void {
    for (const { c, id, to } of service) {
      this.#of(c).delete(id);
      if (to !== undefined) this.add({ collection: c, record: to });
    }
  }

  add({ collection, record }: PlacedRecord): void {
    this.#of(collection).set(record.id, this.#service.knows(collection) ? undefined : freeze(record));
  }

  has(collection: string, id: string): boolean {
    return this.#placed.get(collection)?.has(id) === true;
  }

  /** The records as they are now, without expired ones. No change of the log may be in progress. */
  present(now: string): readonly PlacedRecord[] {
    const found: PlacedRecord[] = [];
    for (const [collection, ids] of this.#placed)
      for (const [id, unknown] of ids) {
        const record = unknown ?? this.#service.get(collection, id);
        // The record was dropped by retention.
        if (record === undefined) ids.delete(id);
        else if (!isExpired(record, now)) found.push({ collection, record });
      }
    return found;
  }

  /** The records that have expired. */
  expired(now: string): readonly { readonly collection: string; readonly id: string }[] {
    const found: { readonly collection: string; readonly id: string }[] = [];
    for (const [collection, ids] of this.#placed) {
      if (!this.#service.knows(collection)) continue;
      for (const id of ids.keys()) {
        const record = this.#service.get(collection, id);
        if (record !== undefined && isExpired(record, now)) found.push({ collection, id });
      }
    }
    return found;
  }

  /** Makes the service's records of the log equal to the records in another replica of it. */
  *become(other: PlacedRecords, records: readonly PlacedRecord[]): Steps<void> {
    const service = this.#service;
    const apply = (collection: string, id: string, to: StoredRecord | undefined): void => {
      if (!service.knows(collection)) return;
      const from = service.get(collection, id);
      if (!equal(from, to)) service.apply({ collection, id, from, to });
    };
    for (const [collection, ids] of this.#placed)
      for (const id of ids.keys()) if (!other.has(collection, id)) apply(collection, id, undefined);
    yield* eachInSteps(records, ({ collection, record }) => apply(collection, record.id, record));
    this.#placed.clear();
    for (const [collection, ids] of other.#placed)
      this.#placed.set(collection, new Map<string, StoredRecord | undefined>(ids));
  }

  /** Removes the service's records of the log, which is not loaded any more. */
  *remove(): Steps<void> {
    yield* this.become(new PlacedRecords(this.#service), []);
  }

  #of(collection: string): Map<string, StoredRecord | undefined> {
    let ids = this.#placed.get(collection);
    if (ids === undefined) this.#placed.set(collection, (ids = new Map<string, StoredRecord | undefined>()));
    return ids;
  }
}
