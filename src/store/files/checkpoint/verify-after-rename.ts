import type { Disk } from '../disk/disk.ts';
import { systemClock } from '../../../clock.ts';
import type { Clock } from '../../../clock.ts';

/** A save in place through a descriptor opened before the rename has arrived by then. */
const beatMilliseconds = 20;
/** Old files held open at a time. */
const heldMax = 256;
/** A save that is still growing is waited for this often. */
const settleBeatsMax = 10;

interface Held {
  readonly fd: number;
  /** What the file held when it was looked at. */
  readonly bytes: Buffer;
  readonly since: number;
  readonly raced: (bytes: Buffer) => void;
}

/**
 * Keeps the files that were replaced or removed open for a beat and reads them again: bytes that differ are a save that raced with the
 * rename and would be lost otherwise. One wait serves all that were held meanwhile.
 */
export class LookBack {
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #held: Held[] = [];
  readonly #pause = new Int32Array(new SharedArrayBuffer(4));

  constructor(disk: Disk, clock: Clock = systemClock) {
    this.#disk = disk;
    this.#clock = clock;
  }

  /** Takes over the descriptor. `raced` is called, by the next `drain` at the latest, if the content changes. */
  hold(fd: number, bytes: Buffer, raced: (bytes: Buffer) => void): void {
    this.#held.push({ fd, bytes, since: this.#clock.monotonic(), raced });
    while (this.#held.length > heldMax) this.#release(this.#held.shift()!);
  }

  /** Looks back on all that is held. Takes a beat at most. */
  drain(): void {
    for (const held of this.#held.splice(0)) this.#release(held);
  }

  #release({ fd, bytes, since, raced }: Held): void {
    // Whatever fails here, the change itself is done: what cannot be read any more cannot be merged.
    try {
      this.#wait(since + beatMilliseconds - this.#clock.monotonic());
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

  /** A save truncates first and writes then: two equal looks in a row, the file not empty, are taken for its end. */
  #settled(fd: number, first: Buffer): Buffer {
    let last = first;
    for (let beats = 0; beats < settleBeatsMax; beats++) {
      this.#wait(beatMilliseconds);
      const now = this.#disk.readAll(fd);
      if (now.length > 0 && now.equals(last)) return now;
      last = now;
    }
    return last;
  }

  #wait(milliseconds: number): void {
    if (milliseconds > 0) Atomics.wait(this.#pause, 0, 0, milliseconds);
  }
}
