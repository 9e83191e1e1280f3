import type { Disk } from '../disk/disk.ts';

/** The kernel's default of `queueLimitPath`. */
const queueLimitDefault = 16_384;
const queueLimitPath = '/proc/sys/fs/inotify/max_queued_events';
/** A burst this close to the limit counts: some events are of watches that are gone and are never emitted. */
const suspectedShare = 0.75;

/**
 * Detects bursts of watch events that may have overflowed the kernel's queue (inotify). The kernel drops events that do
 * not fit and libuv does not report it, but a queue that was full is read in one turn of the event loop: that many
 * events in one turn are the only sign.
 */
export class EventBursts {
  readonly #limit: number;
  readonly #onOverflow: () => void;
  #inTurn = 0;

  constructor(disk: Disk, onOverflow: () => void) {
    this.#limit = Math.floor(queueLimit(disk) * suspectedShare);
    this.#onOverflow = onOverflow;
  }

  /**
   * Counts an event, and reports an overflow once for as many events as fill the queue. On a busy machine a turn may
   * last over several bursts: after the place where events are dropped, a full queue is still to be read, so that
   * another report follows.
   */
  count(): void {
    if (this.#inTurn === 0) setImmediate(() => (this.#inTurn = 0));
    if (++this.#inTurn % this.#limit === 0) this.#onOverflow();
  }
}

function queueLimit(disk: Disk): number {
  try {
    // It takes one read, because after its first byte the kernel returns nothing.
    const limit = Number(disk.readRange(queueLimitPath, 0, 32)?.toString());
    return limit > 0 ? limit : queueLimitDefault;
  } catch {
    return queueLimitDefault;
  }
}
