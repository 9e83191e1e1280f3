import type { Disk } from '../disk/disk.ts';
import { systemClock } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';

/**
 * Delay before the old file is read again: a save through a descriptor opened before the rename is complete by then.
 */
const verifyAfterMs = 20;
/** Maximum number of old files held open. */
const heldMax = 256;
/** How often a save that is still in progress is read again. */
const settleReadsMax = 10;

interface Held {
  readonly fd: number;
  /** The file's content before the change. */
  readonly bytes: Buffer;
  readonly since: number;
  readonly raced: (bytes: Buffer) => void;
}

/**
 * Verifies after a rename that no save slipped in: keeps replaced and removed files open for a short time and reads
 * them again. Bytes that differ are a save that raced with the rename and would be lost otherwise. One wait serves all
 * files held at that time.
 */
export class RenameVerifier {
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #held: Held[] = [];

  constructor(disk: Disk, clock: Clock = systemClock) {
    this.#disk = disk;
    this.#clock = clock;
  }

  /** Takes over the descriptor. Calls `raced`, by the next `drain` at the latest, if the content changes. */
  hold(fd: number, bytes: Buffer, raced: (bytes: Buffer) => void): void {
    this.#held.push({ fd, bytes, since: this.#clock.monotonic(), raced });
    while (this.#held.length > heldMax) this.#release(this.#held.shift()!);
  }

  /** Verifies all files held. Takes at most one delay. */
  drain(): void {
    for (const held of this.#held.splice(0)) this.#release(held);
  }

  #release({ fd, bytes, since, raced }: Held): void {
    // A failure here does not affect the change, which is done: a file that cannot be read any more cannot be merged.
    try {
      this.#clock.sleep(since + verifyAfterMs - this.#clock.monotonic());
      const now = this.#disk.readAll(fd);
      if (!now.equals(bytes)) raced(this.#settled(fd, now));
    } catch {
      // See above.
    }
    try {
      this.#disk.close(fd);
    } catch {
      // See above.
    }
  }

  /**
   * An editor truncates before it writes: two equal reads in a row of a file that is not empty mark the end of the
   * save.
   */
  #settled(fd: number, first: Buffer): Buffer {
    let last = first;
    for (let beats = 0; beats < settleReadsMax; beats++) {
      this.#clock.sleep(verifyAfterMs);
      const now = this.#disk.readAll(fd);
      if (now.length > 0 && now.equals(last)) return now;
      last = now;
    }
    return last;
  }
}
