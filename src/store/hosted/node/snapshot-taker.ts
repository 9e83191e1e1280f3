import type { CapturedLog } from './log-snapshot.ts';
import { snapshotParts } from './log-snapshot.ts';
import type { SnapshotSize, SnapshotStore } from '../storage/snapshot-store.ts';

/** When snapshots are taken. */
export interface SnapshotSettings {
  /** The number of entries after the last snapshot of a log; more for a large project. */
  readonly entries: number;
  /** The characters of the entries after it, roughly bytes; more for a large project. */
  readonly characters: number;
  /** Entries that are younger stay in the log. */
  readonly keepMs: number;
}

export const snapshotDefaults: SnapshotSettings = {
  entries: 2_000,
  characters: 8 * 1024 * 1024,
  keepMs: 7 * 24 * 3_600_000,
};

/**
 * A snapshot has the whole project, so one is due when the entries after the last one have a quarter of its size: an
 * entry costs four lines of snapshots at most. It is not put off for longer than this, because a load applies the
 * entries after the snapshot.
 */
const sizePart = 4;
const sizeFactorMax = 5;
/** A node that did not append the last entry leaves the snapshot to the one that did for this much longer. */
const othersFactor = 1.25;
/** After a failure, a snapshot is due again after this part of the entries. */
const retryPart = 8;

interface Progress {
  /** The entry of the last known snapshot. */
  seq: number;
  head: number;
  characters: number;
  /** Not before this entry. */
  notBefore: number;
  /** The entry at which a snapshot was wanted, whatever became of it. */
  triedAt: number;
  isWanted: boolean;
}

const begun = { characters: 0, triedAt: 0, isWanted: false };

export interface SnapshotTakerDeps {
  readonly store: SnapshotStore;
  readonly settings: SnapshotSettings;
  /** The size of a log that is in memory; undefined if it is not. */
  readonly sizeOf: (log: string) => SnapshotSize | undefined;
  /** The state of a log without changes in progress; undefined if it is not in memory, or changes all the time. */
  readonly capture: (log: string) => Promise<CapturedLog | undefined>;
  readonly report: (message: string) => void;
}

/** Takes snapshots in the background, one at a time. */
export class SnapshotTaker {
  readonly #deps: SnapshotTakerDeps;
  readonly #progress = new Map<string, Progress>();
  readonly #due = new Set<string>();
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(deps: SnapshotTakerDeps) {
    this.#deps = deps;
  }

  /**
   * A log is being loaded from its snapshot at this entry, 0 without one, or from its summary at `head`. No snapshot is due
   * before it is `loaded`.
   */
  begun(log: string, seq: number, head = seq): void {
    this.#progress.set(log, { ...begun, seq, head, notBefore: Infinity });
  }

  /** An entry was applied. */
  noted(
    log: string,
    seq: number,
    { characters, isOwn }: { readonly characters: number; readonly isOwn: boolean },
  ): void {
    let progress = this.#progress.get(log);
    if (progress === undefined) this.#progress.set(log, (progress = { ...begun, seq: 0, head: 0, notBefore: 0 }));
    progress.head = seq;
    progress.characters += characters;
    if (this.#isDue(log, progress, isOwn ? 1 : othersFactor)) this.#schedule(log);
  }

  loaded(log: string): void {
    const progress = this.#progress.get(log);
    if (progress === undefined) return;
    progress.notBefore = 0;
    if (this.#isDue(log, progress, 1)) this.#schedule(log);
  }

  /** The number of entries of a log after its last snapshot, as far as this node knows. */
  behind(log: string): number {
    const { seq, head } = this.#progress.get(log) ?? { seq: 0, head: 0 };
    return head - seq;
  }

  /** The number of entries after the snapshot, for the log with the most. */
  get behindMost(): number {
    let most = 0;
    for (const { seq, head } of this.#progress.values()) most = Math.max(most, head - seq);
    return most;
  }

  /**
   * Takes a snapshot, so that the log is loaded quickly later, unless one was tried of these entries. Returns whether it
   * still has to be begun.
   */
  want(log: string): boolean {
    const progress = this.#progress.get(log);
    if (progress === undefined || this.#isClosed) return false;
    if (progress.isWanted) return true;
    if (progress.head <= progress.seq || progress.head <= progress.triedAt) return false;
    progress.triedAt = progress.head;
    progress.isWanted = true;
    this.#schedule(log);
    return true;
  }

  forget(log: string): void {
    this.#progress.delete(log);
  }

  /** Resolves when no snapshot is being taken. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Ends the snapshot that is being taken. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  #isDue(log: string, { seq, head, characters, notBefore }: Progress, factor: number): boolean {
    const { settings, sizeOf } = this.#deps;
    if (head < notBefore || head === seq) return false;
    const behind = head - seq;
    // Its size is not asked for with each entry.
    if (behind < factor * settings.entries && characters < factor * settings.characters) return false;
    const size = sizeOf(log);
    return (
      behind >= factor * dueAfter(settings.entries, size?.lines) ||
      characters >= factor * dueAfter(settings.characters, size?.characters)
    );
  }

  #schedule(log: string): void {
    if (this.#isClosed) return;
    this.#due.add(log);
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async #run(): Promise<void> {
    // The requests of this turn come first.
    await new Promise((resolve) => setImmediate(resolve));
    for (const log of this.#due) {
      this.#due.delete(log);
      const progress = this.#progress.get(log);
      if (progress === undefined || this.#isClosed) continue;
      progress.notBefore = progress.head + Math.ceil(this.#deps.settings.entries / retryPart);
      try {
        await this.#take(log, progress);
      } catch (error) {
        if (!this.#isClosed) this.#deps.report(`No snapshot of ${log} was stored: ${(error as Error).message}`);
      } finally {
        progress.isWanted = false;
      }
    }
  }

  async #take(log: string, progress: Progress): Promise<void> {
    const { store, capture } = this.#deps;
    const [newest] = (await store.heads([log])).get(log) ?? [];
    if (newest !== undefined && newest.seq > progress.seq) {
      const { seq, head } = progress;
      progress.characters *= Math.max(0, head - newest.seq) / (head - seq);
      progress.seq = newest.seq;
      const isDue = progress.isWanted ? head > newest.seq : this.#isDue(log, { ...progress, notBefore: 0 }, 1);
      if (!isDue) return;
    }
    const captured = await capture(log);
    progress.isWanted = false;
    if (captured === undefined || captured.head.seq <= progress.seq) return;
    progress.triedAt = Math.max(progress.triedAt, captured.head.seq);
    await store.put(log, captured.head, this.#untilClosed(snapshotParts(captured)));
    progress.seq = captured.head.seq;
    progress.characters = 0;
    progress.notBefore = 0;
  }

  async *#untilClosed(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const part of parts) {
      if (this.#isClosed) throw new Error('The node is closed.');
      yield part;
    }
  }
}

/** The size of the entries at which a snapshot of this size is due. */
function dueAfter(least: number, size = 0): number {
  return Math.min(Math.max(least, size / sizePart), sizeFactorMax * least);
}
