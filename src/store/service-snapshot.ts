import { isoTime, type Clock } from '../clock.ts';
import type { Disk } from './disk.ts';
import { DurableLines } from './durable-lines.ts';
import type { RootLayout } from './root-layout.ts';
import type { StoredRecord } from './record.ts';
import type { ServiceRecords } from './service-records.ts';

interface SnapshotLine {
  readonly collection: string;
  readonly record: StoredRecord;
}

/** The service's own records as one file in `local/`: what the journal need not keep any more. */
export class ServiceSnapshot {
  readonly #lines: DurableLines<SnapshotLine>;
  readonly #records: ServiceRecords;
  readonly #clock: Clock;
  /** `records.changes` at the last snapshot. */
  #taken = 0;

  constructor(disk: Disk, layout: RootLayout, records: ServiceRecords, clock: Clock) {
    this.#lines = new DurableLines<SnapshotLine>(disk, layout.serviceSnapshot, '1', { mode: 0o600 });
    this.#records = records;
    this.#clock = clock;
  }

  read(): void {
    for (const { collection, record } of this.#lines.values() ?? []) {
      if (this.#records.knows(collection))
        this.#records.apply({ collection, id: record.id, from: undefined, to: record });
    }
    this.#taken = this.#records.changes;
  }

  /** The file went: the next snapshot is due whatever changed. */
  invalidate(): void {
    this.#taken = -1;
  }

  get stale(): boolean {
    return this.#records.changes !== this.#taken;
  }

  /**
   * Writes the records as they are now. `durable` tells when all changes up to now are in the journal for good: a snapshot must never be
   * ahead of it, or a key could outlive the change that it belongs to. False when that failed.
   */
  async write(durable: () => Promise<boolean>): Promise<boolean> {
    const changes = this.#records.changes;
    const lines = [...this.#records.snapshot(isoTime(this.#clock.now()))];
    if (!(await durable())) return false;
    await this.#lines.write(lines);
    this.#taken = changes;
    return true;
  }
}
