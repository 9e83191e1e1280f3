import { openFlags } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import { frame, journalVersion } from './journal-format.ts';
import { privateFileMode } from '../disk/root-files.ts';
import { segmentPath } from './journal-recovery.ts';
import type { Segment } from './journal-recovery.ts';
import type { Head } from '../../record/log.ts';

/** How much is allocated ahead: as much as the segment's size, within these limits. */
const allocateBytesMin = 8 * 1024;
const allocateBytesMax = 4 * 1024 * 1024;

/** The journal's files: appends to the last one and removes the first ones. Independent of the lines' content. */
export class JournalSegments {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #segments: Segment[];
  #current: Segment;
  #fd: number;
  /** The file's blocks are allocated up to this offset: overwriting them needs no commit of the file system. */
  #allocated: number;

  /** Continues the last of the segments found; creates the first if necessary. */
  constructor(disk: Disk, directory: string, found: Segment[]) {
    this.#disk = disk;
    this.#directory = directory;
    this.#segments = found;
    const last = found.at(-1);
    if (last) {
      this.#current = last;
      this.#fd = disk.open(last.path, openFlags.change | openFlags.durable);
      this.#allocated = disk.statOpen(this.#fd).size;
      // Writes of a killed process can be read back and still be lost by a power failure. From here on it counts as
      // durable, so sync it now.
      disk.sync(this.#fd);
      disk.syncDirectory(directory);
    } else {
      [this.#fd, this.#current] = this.#create(1, new Map(), 0);
      this.#allocated = this.#current.size;
    }
  }

  get all(): readonly Segment[] {
    return this.#segments;
  }

  /** The one that is appended to. */
  get current(): Segment {
    return this.#current;
  }

  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.size, 0);
  }

  /** Resolves once the bytes are durable. Throws Node's error; it is then unknown which of them are. */
  async append(data: Uint8Array): Promise<void> {
    const { size } = this.#current;
    if (size + data.length > this.#allocated) await this.#allocate(size + data.length);
    await this.#disk.writeAtAsync(this.#fd, data, size);
    if (openFlags.durable === 0) await this.#disk.dataSyncAsync(this.#fd);
    this.#current.size += data.length;
  }

  /** Starts the next segment. It is complete and durable before it is used. */
  rotate(): void {
    const { number, heads, last } = this.#current;
    const [fd, segment] = this.#create(number + 1, heads, last);
    this.#release(number);
    this.#fd = fd;
    this.#current = segment;
    this.#allocated = this.#current.size;
  }

  /**
   * Truncates the remains of a failed write, so that the next opening does not read it as acknowledged. Best effort.
   */
  truncateTail(): void {
    try {
      this.#disk.truncate(this.#fd, this.#current.size);
      this.#disk.sync(this.#fd);
    } catch {
      // The disk is already failing; the entries concerned resolved to `unknown`.
    }
  }

  /**
   * Removes the first segments whose entries are all before the position. The current one stays. Returns how many were
   * removed; what cannot be removed now is removed by a later call.
   */
  truncateBefore(before: number): number {
    const kept = this.#segments.length;
    try {
      while (this.#segments.length > 1 && this.#segments[0]!.last < before) {
        // Synced one by one: a power failure must not lose a later segment and keep an earlier one.
        this.#disk.remove(this.#segments[0]!.path);
        this.#segments.shift();
        this.#disk.syncDirectory(this.#directory);
      }
    } catch {
      // An additional segment costs space and a longer opening, nothing else.
    }
    return kept - this.#segments.length;
  }

  close(): void {
    this.#release(this.#current.number);
  }

  /**
   * Writes zeros ahead of the data. A write into allocated blocks is durable without a commit of the file system, which
   * would wait for all other writes in progress: measured, five times the rate while files are being written.
   */
  async #allocate(needed: number): Promise<void> {
    const from = this.#allocated;
    const ahead = Math.min(Math.max(from, allocateBytesMin), allocateBytesMax);
    try {
      await this.#disk.writeAtAsync(this.#fd, Buffer.alloc(needed - from + ahead), from);
      this.#allocated = needed + ahead;
    } catch {
      // A disk too full for preallocation may have room for the write itself, which reports the error otherwise.
      this.#allocated = needed;
    }
  }

  /** Truncates unused allocated space, and closes the file. */
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

  #create(number: number, heads: ReadonlyMap<string, Head>, position: number): [fd: number, segment: Segment] {
    const path = segmentPath(this.#directory, number);
    const seqs = Object.fromEntries(Array.from(heads, ([project, { seq }]) => [project, seq]));
    const known = [...heads].flatMap(([project, { id }]) => (id === null ? [] : [[project, id] as const]));
    const header = Buffer.from(frame({ journal: journalVersion, seqs, ids: Object.fromEntries(known) }));
    const fd = this.#disk.open(path, openFlags.create | openFlags.durable, privateFileMode);
    try {
      this.#disk.write(fd, header);
      this.#disk.sync(fd);
      this.#disk.syncDirectory(this.#directory);
    } catch (error) {
      this.#disk.close(fd);
      throw error;
    }
    const size = header.length;
    const segment = { number, path, size, first: position + 1, last: position, heads: new Map(heads) };
    this.#segments.push(segment);
    return [fd, segment];
  }
}
