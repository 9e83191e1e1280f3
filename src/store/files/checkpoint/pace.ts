import type { Clock } from '../../../base/clock.ts';
import type { JournalFiles } from '../journal/journal-files.ts';
import { InterruptibleWait } from './interruptible-wait.ts';

/**
 * Backoff under load: if entries were appended while a batch was written, the next batch waits for several times as
 * long as the batch took, so that disk and processor are free for commits; not at all once the journal has grown to
 * this many bytes. After this many entries a burst of commits goes to the journal alone: nothing is written back during
 * it, unless it lasts for longer than this, or a caller waits for the files.
 */
const backoffFactor = 3;
const backoffMsMax = 1000;
const backoffStepMs = 50;
export const journalBytesMax = 512 * 1024 * 1024;
const burstEntries = 50;
const burstMsMax = 15_000;
/**
 * Files per batch: few at first and while changes arrive one by one, so that no request is delayed for long; more under
 * a backlog.
 */
const batchWritesMin = 8;
const batchWritesMax = 256;

/** When the batches of a checkpoint are sent, and how large they are, by the load of commits during the last one. */
export class Pace {
  readonly #clock: Clock;
  readonly #journal: JournalFiles;
  #load: 'none' | 'some' | 'burst' = 'none';
  /** When the burst began; undefined without one. */
  #burstBegan: number | undefined;
  #batchWrites = batchWritesMin;
  /** Whether a caller waits for the files: then no batch waits for the end of a burst. */
  #hurries = false;
  readonly #waiting: InterruptibleWait;

  constructor(clock: Clock, journal: JournalFiles) {
    this.#clock = clock;
    this.#waiting = new InterruptibleWait(clock);
    this.#journal = journal;
  }

  /** The number of batches that may be unfinished when another one is sent: under load none. */
  get batchesAhead(): number {
    return this.#load === 'none' ? 1 : 0;
  }

  /** A checkpoint begins. */
  begin(): void {
    this.#batchWrites = batchWritesMin;
  }

  /** A caller waits for the files, until `end`. */
  hurry(): void {
    this.#hurries = true;
    this.#waiting.end();
  }

  end(): void {
    this.#hurries = false;
  }

  /** The maximum of writes in the next batch. */
  get batchWrites(): number {
    return this.#batchWrites;
  }

  /** A batch was sent. */
  grow(): void {
    this.#batchWrites = this.#load === 'some' ? batchWritesMin : Math.min(2 * this.#batchWrites, batchWritesMax);
  }

  /** Waits under load after a batch that took `tookMs` while `entries` were appended, but no longer than entries arrive. */
  async afterBatch(entries: number, tookMs: number): Promise<void> {
    const isBounded = this.#journal.bytes < journalBytesMax;
    this.#load = !isBounded || entries === 0 ? 'none' : entries > burstEntries ? 'burst' : 'some';
    if (this.#load !== 'burst') this.#burstBegan = undefined;
    if (this.#load === 'none') return;
    const began = this.#clock.monotonic();
    if (this.#load === 'burst') this.#burstBegan ??= began;
    const backoffEnds = began + Math.min(backoffFactor * tookMs, backoffMsMax);
    for (;;) {
      const burstEnds = this.#burstBegan === undefined || this.#hurries ? 0 : this.#burstBegan + burstMsMax;
      const leftMs = Math.max(backoffEnds, burstEnds) - this.#clock.monotonic();
      if (leftMs <= 0) return;
      const { position } = this.#journal;
      await this.#waiting.begin(Math.min(leftMs, backoffStepMs));
      if (this.#journal.position !== position) continue;
      this.#load = 'none';
      this.#burstBegan = undefined;
      return;
    }
  }
}
