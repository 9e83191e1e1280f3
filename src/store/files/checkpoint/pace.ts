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
const journalBytesMax = 512 * 1024 * 1024;
const burstEntries = 50;
const burstMsMax = 15_000;
/**
 * Files per batch: few at first and while changes arrive one by one, so that no request is delayed for long; more under
 * a backlog.
 */
const batchWritesMin = 8;
const batchWritesMax = 256;

/** More entries a second than this delay syncs. */
const burstPerSecond = 100;
const syncStepMs = 50;
/** How long one sync waits altogether: until it ends, an opening after a kill has more to replay. */
const syncWaitMsMax = 30_000;

export interface PaceDeps {
  readonly clock: Clock;
  readonly journal: Pick<JournalFiles, 'bytes' | 'position'>;
  /** Returns whether files are being written, or wait for the end of a burst. */
  readonly isWriting: () => boolean;
}

/**
 * When the batches of a checkpoint are sent, and how large they are, by the load of commits during the last one; and when
 * written files are synced: not during a burst of commits, and not while files are written, both of which an fsync
 * delays. Nothing needs the sync but the journal, which is kept until then; once that is large, nothing goes first.
 */
export class Pace {
  readonly #deps: PaceDeps;
  #load: 'none' | 'some' | 'burst' = 'none';
  /** When the burst began; undefined without one. */
  #burstBegan: number | undefined;
  #batchWrites = batchWritesMin;
  /** True if a caller waits for the files: then no batch waits for the end of a burst. */
  #hurriesWrites = false;
  readonly #batchWait: InterruptibleWait;
  #syncWaitedMs = 0;
  /** The journal's position, and the time, when a sync looked last. */
  #position: number;
  #lookedAt: number;
  /** True if a caller waits for the sync in progress, or the next one. */
  #hurriesSync = false;
  /** True once the store closes, which waits for each sync. */
  #isClosing = false;
  readonly #syncWait: InterruptibleWait;

  constructor(deps: PaceDeps) {
    this.#deps = deps;
    this.#batchWait = new InterruptibleWait(deps.clock);
    this.#position = deps.journal.position;
    this.#lookedAt = deps.clock.monotonic();
    this.#syncWait = new InterruptibleWait(deps.clock);
  }

  /** The number of batches that may be unfinished when another one is sent: under load none. */
  get batchesAhead(): number {
    return this.#load === 'none' ? 1 : 0;
  }

  /** A checkpoint begins. */
  beginWrites(): void {
    this.#batchWrites = batchWritesMin;
  }

  /** A caller waits for the files, until `endWrites`. */
  hurryWrites(): void {
    this.#hurriesWrites = true;
    this.#batchWait.end();
  }

  endWrites(): void {
    this.#hurriesWrites = false;
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
    const isBounded = this.#deps.journal.bytes < journalBytesMax;
    this.#load = !isBounded || entries === 0 ? 'none' : entries > burstEntries ? 'burst' : 'some';
    if (this.#load !== 'burst') this.#burstBegan = undefined;
    if (this.#load === 'none') return;
    const began = this.#deps.clock.monotonic();
    if (this.#load === 'burst') this.#burstBegan ??= began;
    const backoffEnds = began + Math.min(backoffFactor * tookMs, backoffMsMax);
    for (;;) {
      const burstEnds = this.#burstBegan === undefined || this.#hurriesWrites ? 0 : this.#burstBegan + burstMsMax;
      const leftMs = Math.max(backoffEnds, burstEnds) - this.#deps.clock.monotonic();
      if (leftMs <= 0) return;
      const { position } = this.#deps.journal;
      await this.#batchWait.begin(Math.min(leftMs, backoffStepMs));
      if (this.#deps.journal.position !== position) continue;
      this.#load = 'none';
      this.#burstBegan = undefined;
      return;
    }
  }

  /** A sync begins. */
  beginSync(): void {
    this.#syncWaitedMs = 0;
    this.#look();
  }

  endSync(): void {
    this.#hurriesSync = false;
  }

  /** A caller waits for the sync in progress, or for the next one if it has not begun: it gives way to nothing. */
  hurrySync(): void {
    this.#hurriesSync = true;
    this.#syncWait.end();
  }

  /** No sync gives way to anything any more. */
  close(): void {
    this.#isClosing = true;
    this.#syncWait.end();
  }

  /** Resolves when more files can be synced. */
  async giveWay(): Promise<void> {
    while (this.#look() && this.#syncWaitedMs < syncWaitMsMax) {
      await this.#syncWait.begin(syncStepMs);
      this.#syncWaitedMs += syncStepMs;
    }
  }

  /** Determines whether something else goes first, by the events since the last look. */
  #look(): boolean {
    const { clock, journal, isWriting } = this.#deps;
    const [entries, ms] = [journal.position - this.#position, clock.monotonic() - this.#lookedAt];
    this.#position = journal.position;
    this.#lookedAt = clock.monotonic();
    if (this.#isClosing || this.#hurriesSync || journal.bytes >= journalBytesMax) return false;
    return isWriting() || entries * 1000 > burstPerSecond * ms;
  }
}
