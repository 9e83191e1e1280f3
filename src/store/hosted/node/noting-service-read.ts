import type { ServiceRecords } from '../../replica/service-records.ts';
import type { ServiceReadTransaction } from '../../record/read-transaction.ts';
import type { StoredRecord } from '../../record/record.ts';

/** Notes whether a read of the service's own records depends on the logs of projects. */
export class NotingServiceRead implements ServiceReadTransaction {
  hasReadOfProjects = false;
  readonly #records: ServiceRecords;

  constructor(records: ServiceRecords) {
    this.#records = records;
  }

  get<T extends StoredRecord>(collection: string, id: string): T | undefined {
    return this.#of(collection).get<T>(collection, id);
  }

  list<T extends StoredRecord>(collection: string): IterableIterator<T> {
    return this.#of(collection).list<T>(collection);
  }

  by<T extends StoredRecord>(collection: string, index: string, key: string): T[] {
    return this.#of(collection).by<T>(collection, index, key);
  }

  #of(collection: string): ServiceRecords {
    if (this.#records.placementOf(collection) !== 'service') this.hasReadOfProjects = true;
    return this.#records;
  }
}
