import { isoTime, type Clock } from '../../../base/clock.ts';
import { randomName } from '../../../base/ids.ts';
import type { Disk } from '../disk/disk.ts';
import { DurableLines } from '../disk/durable-lines.ts';
import { makeDirectoryDurably } from '../disk/root-files.ts';
import type { RootLayout } from '../disk/root-layout.ts';
import type { ServiceRecords, SnapshotLine } from '../../replica/service-records.ts';

const format = '1';
const mode = 0o600;
/** Below this size the whole snapshot is rewritten each time: that costs no more than a delta file. */
const wholeBytesMax = 1024 * 1024;
/** More delta files than this would slow the opening. */
const deltasMax = 100;
/** The collection of the line that names a snapshot's generation; earlier versions skip unknown collections. */
const generationCollection = '$snapshot';

/**
 * A snapshot of the service's own records in `local/`, which allows the journal to drop them. One file has all records,
 * and delta files have the changes since. Deltas with half its size are merged into it, so that the cost of writing is
 * proportional to the changes.
 */
export class ServiceSnapshot {
  readonly #disk: Disk;
  readonly #layout: RootLayout;
  readonly #records: ServiceRecords;
  readonly #clock: Clock;
  readonly #whole: DurableLines<SnapshotLine>;
  /** `records.changes` at the last snapshot. */
  #taken: number | undefined = 0;
  /** A random name of the whole snapshot, which its delta files refer to. Empty if an earlier version wrote it. */
  #generation = '';
  /** The number of delta files of this generation, and their size. */
  #deltas = 0;
  #deltaBytes = 0;
  #wholeBytes = 0;

  constructor(disk: Disk, layout: RootLayout, records: ServiceRecords, clock: Clock) {
    this.#disk = disk;
    this.#layout = layout;
    this.#whole = new DurableLines<SnapshotLine>(disk, layout.serviceSnapshot, format, { mode });
    this.#records = records;
    this.#clock = clock;
  }

  /** Reads line by line and applies the bounds at once, so that a file of any size fits into memory. */
  read(): void {
    for (const line of this.#whole.values() ?? []) {
      if (line.collection === generationCollection && 'record' in line) this.#generation = line.record.id;
      else this.#apply(line);
    }
    this.#wholeBytes = this.#sizeOf(this.#layout.serviceSnapshot);
    for (let n = 1; this.#sizeOf(this.#deltaPath(n)) > 0; n++) {
      const lines = this.#delta(n).values();
      if (lines === null) break;
      for (const line of lines) this.#apply(line);
      this.#deltas = n;
      this.#deltaBytes += this.#sizeOf(this.#deltaPath(n));
    }
    this.#records.takeChanged();
    this.#taken = this.#records.changes;
    // A version without bounds wrote it: rewrite it within them.
    if (this.#records.evictions > 0) this.invalidate();
  }

  /** The file was removed: the next snapshot is due even without changes. */
  invalidate(): void {
    this.#taken = undefined;
    this.#wholeBytes = 0;
  }

  get stale(): boolean {
    return this.#records.changes !== this.#taken;
  }

  /**
   * Writes the records as they are now. `durable` resolves when all changes up to now are durable in the journal: a
   * snapshot must never be ahead of it, or an idempotency key could outlive the change that it belongs to. Returns
   * false if the journal failed.
   */
  async write(durable: () => Promise<boolean>): Promise<boolean> {
    const changes = this.#records.changes;
    const now = isoTime(this.#clock.now());
    const whole = this.#isWholeDue();
    const changed = this.#records.takeChanged();
    const lines = [...(whole ? this.#records.snapshot(now) : this.#records.changedLines(changed, now))];
    try {
      if (!(await durable())) {
        this.#records.putBack(changed);
        return false;
      }
      await (whole ? this.#writeWhole(lines) : this.#writeDelta(lines));
    } catch (error) {
      this.#records.putBack(changed);
      throw error;
    }
    this.#taken = changes;
    return true;
  }

  #isWholeDue(): boolean {
    if (this.#wholeBytes < wholeBytesMax || this.#deltas >= deltasMax) return true;
    return this.#deltaBytes >= this.#wholeBytes / 2;
  }

  async #writeWhole(lines: readonly SnapshotLine[]): Promise<void> {
    const generation = randomName();
    const first = { id: generation, created_at: '', updated_at: '' };
    // Deltas must not be added until the write is known to be complete.
    this.#wholeBytes = 0;
    await this.#whole.write([{ collection: generationCollection, record: first }, ...lines]);
    this.#wholeBytes = this.#sizeOf(this.#layout.serviceSnapshot);
    this.#generation = generation;
    this.#deltas = 0;
    this.#deltaBytes = 0;
    this.#removeFormerDeltas();
  }

  async #writeDelta(lines: readonly SnapshotLine[]): Promise<void> {
    const n = this.#deltas + 1;
    makeDirectoryDurably(this.#disk, this.#layout.serviceChanges);
    await this.#delta(n).write(lines);
    this.#deltas = n;
    this.#deltaBytes += this.#sizeOf(this.#deltaPath(n));
  }

  /** Deltas of an earlier generation are included in the whole snapshot, and ignored if they remain. */
  #removeFormerDeltas(): void {
    const directory = this.#layout.serviceChanges;
    for (const { name } of this.#disk.list(directory))
      if (!name.startsWith(`${this.#generation}-`)) this.#disk.remove(`${directory}/${name}`);
  }

  #apply(line: SnapshotLine): void {
    const { collection } = line;
    if (!this.#records.knows(collection)) return;
    const to = 'record' in line ? line.record : undefined;
    const id = 'record' in line ? line.record.id : line.removed;
    this.#records.apply({ collection, id, from: this.#records.get(collection, id), to });
  }

  #delta(n: number): DurableLines<SnapshotLine> {
    const temporaryDirectory = this.#layout.temporary;
    return new DurableLines<SnapshotLine>(this.#disk, this.#deltaPath(n), format, { mode, temporaryDirectory });
  }

  #deltaPath(n: number): string {
    return `${this.#layout.serviceChanges}/${this.#generation}-${n}`;
  }

  #sizeOf(path: string): number {
    const stat = this.#disk.stat(path);
    return stat?.kind === 'file' ? stat.size : 0;
  }
}
