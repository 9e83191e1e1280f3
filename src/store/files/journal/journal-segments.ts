import { openFlags } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import { frame, journalVersion } from './journal-format.ts';
import { privateFileMode } from '../disk/root-files.ts';
import { segmentPath } from './journal-recovery.ts';
import type { Segment } from './journal-recovery.ts';

/** How much is allocated ahead: as much as the segment has grown to, between these. */
const allocateBytesMin = 256 * 1024;
const allocateBytesMax = 4 * 1024 * 1024;

/** The journal's files: the last one is appended to, the first ones are taken away. Knows nothing of what the lines say. */
export class JournalSegments {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #segments: Segment[];
  #fd: number;
  /** Up to here the file's blocks are written: overwriting them costs the file system no commit of its own. */
  #allocated: number;

  /** Goes on in the last of the segments found; begins one where there is none. */
  constructor(disk: Disk, directory: string, found: Segment[]) {
    this.#disk = disk;
    this.#directory = directory;
    this.#segments = found;
    const last = found.at(-1);
    if (last) {
      this.#fd = disk.open(last.path, openFlags.change | openFlags.durable);
      this.#allocated = disk.statOpen(this.#fd).size;
      // What a killed process wrote can be read back and yet be lost by a power cut: it counts from here on, so it is synced now.
      disk.sync(this.#fd);
      disk.syncDirectory(directory);
    } else {
      this.#fd = this.#create(1, new Map(), 0);
      this.#allocated = this.current.size;
    }
  }

  get all(): readonly Segment[] {
    return this.#segments;
  }

  get current(): Segment {
    return this.#segments.at(-1)!;
  }

  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.size, 0);
  }

  /** Resolves once the bytes are durable. Throws node's error; then nobody knows which of them are. */
  async append(data: Uint8Array): Promise<void> {
    const { size } = this.current;
    if (size + data.length > this.#allocated) await this.#allocate(size + data.length);
    await this.#disk.writeLaterAt(this.#fd, data, size);
    if (openFlags.durable === 0) await this.#disk.dataSyncLater(this.#fd);
    this.current.size += data.length;
  }

  /** Makes the next segment the current one. It is whole and durable before it is used. */
  begin(): void {
    const { number, seqs, last } = this.current;
    const fd = this.#create(number + 1, seqs, last);
    this.#release(number);
    this.#fd = fd;
    this.#allocated = this.current.size;
  }

  /** Cuts off what a failed write left behind, so that it does not come back as if it had been acknowledged. Best effort. */
  cutBack(): void {
    try {
      this.#disk.truncate(this.#fd, this.current.size);
      this.#disk.sync(this.#fd);
    } catch {
      // The disk is failing already; the entries concerned were answered `unknown`.
    }
  }

  /**
   * Removes whole segments at the front whose entries all lie before the position. The current one stays. Answers how many went; what
   * cannot be removed now is taken the next time.
   */
  retire(before: number): number {
    const kept = this.#segments.length;
    try {
      while (this.#segments.length > 1 && this.#segments[0]!.last < before) {
        // Synced one by one: no power cut may take a later segment and leave an earlier one.
        this.#disk.remove(this.#segments[0]!.path);
        this.#segments.shift();
        this.#disk.syncDirectory(this.#directory);
      }
    } catch {
      // A segment too many costs space and a longer opening, nothing else.
    }
    return kept - this.#segments.length;
  }

  close(): void {
    this.#release(this.current.number);
  }

  /**
   * Writes zeros ahead of the data. A write into blocks that are there already is durable without a commit of the file system, which
   * would have to wait for everything else that is going on: measured, five times the rate while files are being written beside it.
   */
  async #allocate(needed: number): Promise<void> {
    const from = this.#allocated;
    const ahead = Math.min(Math.max(from, allocateBytesMin), allocateBytesMax);
    try {
      await this.#disk.writeLaterAt(this.#fd, Buffer.alloc(needed - from + ahead), from);
      this.#allocated = needed + ahead;
    } catch {
      // A disk too full for what is to come may have room for what is there: the write itself will tell.
      this.#allocated = needed;
    }
  }

  /** Gives back what was allocated and not used, and lets go of the file. */
  #release(number: number): void {
    const size = this.#segments.find((segment) => segment.number === number)?.size;
    try {
      if (size !== undefined && this.#allocated > size) this.#disk.truncate(this.#fd, size);
    } catch {
      // Zeros at the end are read as the end.
    } finally {
      this.#disk.close(this.#fd);
    }
  }

  #create(number: number, seqs: ReadonlyMap<string, number>, position: number): number {
    const path = segmentPath(this.#directory, number);
    const header = Buffer.from(frame({ journal: journalVersion, seqs: Object.fromEntries(seqs) }));
    const fd = this.#disk.open(path, openFlags.create | openFlags.durable, privateFileMode);
    try {
      this.#disk.write(fd, header);
      this.#disk.sync(fd);
      this.#disk.syncDirectory(this.#directory);
    } catch (error) {
      this.#disk.close(fd);
      throw error;
    }
    this.#segments.push({
      number,
      path,
      size: header.length,
      first: position + 1,
      last: position,
      seqs: new Map(seqs),
    });
    return fd;
  }
}
