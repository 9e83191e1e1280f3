import type { Clock } from '../../../base/clock.ts';
import type { FeedPoint } from '../../replica/feed-cursor.ts';
import type { FeedStorage } from '../../replica/feed.ts';
import type { EncodedEntry, EntryEvents } from '../../record/feed.ts';
import { type Disk, openFlags } from '../disk/disk.ts';
import { framedLines, unframed } from '../disk/framed-lines.ts';
import { makeDirectoryDurably, privateDirectoryMode, privateFileMode } from '../disk/root-files.ts';

/** The bounds of one project's kept events. */
export interface FeedBounds {
  /** Older events are removed once this many later ones are kept. */
  readonly eventsMin: number;
  /** The age at which they are removed. */
  readonly ageMs: number;
  /** The size of all files of a project. */
  readonly bytesMax: number;
  /** A file that has reached this size is followed by another. A read parses one file. */
  readonly segmentBytes: number;
}

export const feedBounds: FeedBounds = {
  eventsMin: 100_000,
  ageMs: 30 * 86_400_000,
  bytesMax: 256 * 1024 * 1024,
  segmentBytes: 512 * 1024,
};

/** The version of the lines: files of any other version are removed. */
const version = 1;

/** The first line of a file. */
interface Header {
  readonly feed: number;
  /** The place before its first entry. */
  readonly from: FeedPoint;
  /** The number of events in all files before it. */
  readonly counted: number;
  /** The time of the last entry before it. */
  readonly at: string | null;
}

interface Segment {
  readonly path: string;
  readonly first: number;
  size: number;
  header: Header | undefined;
}

export interface FeedFilesOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  /** The directory of one project. */
  readonly directory: string;
  readonly bounds: FeedBounds;
}

const segmentName = /^(\d{14})\.jsonl$/;

/**
 * The events of a project in files of lines, one entry a line, each with its checksum. They are written after the
 * journal, which keeps an entry until its line is synced: so a torn line at the end is dropped, and written again.
 */
export class FeedFiles implements FeedStorage {
  /** The last kept entry, with the number of events up to it, or undefined. */
  last: { readonly seq: number; readonly id: string } | undefined;
  readonly #options: FeedFilesOptions;
  #segments: Segment[] = [];
  #counted = 0;
  #at: string | null = null;
  #isUnsynced = false;
  /** The file that was read last: followers read the same one again and again. */
  #parsed: { readonly path: string; readonly size: number; readonly entries: readonly EntryEvents[] } | undefined;

  constructor(options: FeedFilesOptions) {
    this.#options = options;
    this.#open();
  }

  get from(): FeedPoint | undefined {
    const [first] = this.#segments;
    return first && this.#headerOf(first).from;
  }

  read(seq: number): readonly EntryEvents[] | undefined {
    if (this.last === undefined || seq > this.last.seq) return undefined;
    const segment = this.#segments.findLast(({ first }) => first <= seq);
    const entries = segment && this.#entriesOf(segment);
    const at = seq - (entries?.[0]?.seq ?? Infinity);
    return entries?.[at]?.seq === seq ? entries.slice(at) : undefined;
  }

  async append(entries: readonly EncodedEntry[], after: FeedPoint): Promise<void> {
    const { segmentBytes } = this.#options.bounds;
    let segment = this.#segments.at(-1);
    if (segment === undefined || segment.size >= segmentBytes) segment = await this.#begin(after);
    const data = framedLines(entries.map(({ json }) => json));
    const { disk } = this.#options;
    this.#isUnsynced = true;
    const fd = disk.open(segment.path, openFlags.change);
    try {
      // At the position known to be good: the remains of a failed write are overwritten.
      await disk.writeAtAsync(fd, data, segment.size);
    } finally {
      disk.close(fd);
    }
    segment.size += data.length;
    for (const { count } of entries) this.#counted += count;
    this.last = entries.at(-1)!;
    this.#at = entries.at(-1)!.at;
    this.#trim();
  }

  async sync(): Promise<void> {
    const segment = this.#segments.at(-1);
    if (!this.#isUnsynced || segment === undefined) return;
    const { disk, directory } = this.#options;
    const fd = disk.open(segment.path, openFlags.change);
    try {
      await disk.dataSyncAsync(fd);
    } finally {
      disk.close(fd);
    }
    await disk.syncDirectoryAsync(directory);
    this.#isUnsynced = false;
  }

  clear(): void {
    const { disk, directory } = this.#options;
    // The newest first, so that the rest after a crash is contiguous.
    for (const { path } of this.#segments.toReversed()) if (disk.stat(path) !== undefined) disk.remove(path);
    disk.removeDirectoryIfEmpty(directory);
    this.#segments = [];
    this.last = this.#parsed = undefined;
    this.#isUnsynced = false;
    this.#counted = 0;
    this.#at = null;
  }

  #open(): void {
    const { disk, directory } = this.#options;
    this.#segments = disk.list(directory).flatMap(({ name, kind }) => {
      const first = segmentName.exec(name)?.[1];
      if (kind !== 'file' || first === undefined) return [];
      const path = `${directory}/${name}`;
      return [{ path, first: Number(first), size: disk.stat(path)?.size ?? 0, header: undefined }];
    });
    for (let segment = this.#segments.at(-1); segment !== undefined; segment = this.#segments.at(-1)) {
      if (this.#openLast(segment)) break;
      this.#segments.pop();
      disk.remove(segment.path);
    }
    if (this.#segments.some((segment) => this.#readHeader(segment) === undefined)) this.clear();
  }

  /** Returns false for a file without a readable entry. */
  #openLast(segment: Segment): boolean {
    const { disk } = this.#options;
    const { header, entries, size } = parse(disk.read(segment.path));
    const last = entries.at(-1);
    if (header === undefined || last === undefined) return false;
    if (size < segment.size) {
      const fd = disk.open(segment.path, openFlags.change);
      disk.truncate(fd, size);
      disk.close(fd);
    }
    segment.header = header;
    segment.size = size;
    this.last = last;
    this.#at = last.at;
    this.#counted = entries.reduce((sum, { events }) => sum + events.length, header.counted);
    this.#isUnsynced = true;
    return true;
  }

  /** The next file. The one before it is synced first, so that a power failure leaves no gap between them. */
  async #begin(from: FeedPoint): Promise<Segment> {
    await this.sync();
    const { disk, directory } = this.#options;
    makeDirectoryDurably(disk, directory, privateDirectoryMode);
    const first = from.seq + 1;
    const path = `${directory}/${String(first).padStart(14, '0')}.jsonl`;
    const header: Header = { feed: version, from, counted: this.#counted, at: this.#at };
    const data = framedLines([JSON.stringify(header)]);
    if (disk.stat(path) !== undefined) disk.remove(path);
    const fd = disk.open(path, openFlags.create, privateFileMode);
    try {
      await disk.writeAtAsync(fd, data, 0);
    } finally {
      disk.close(fd);
    }
    const segment = { path, first, size: data.length, header };
    this.#segments.push(segment);
    return segment;
  }

  /** Removes the first files as far as the bounds allow or require it. */
  #trim(): void {
    const { disk, clock, bounds } = this.#options;
    let bytes = this.#segments.reduce((sum, { size }) => sum + size, 0);
    for (;;) {
      const [oldest, next] = this.#segments;
      if (oldest === undefined || next === undefined) return;
      const { counted, at } = this.#headerOf(next);
      const isOld = at !== null && clock.now() - Date.parse(at) > bounds.ageMs;
      if (this.#counted - counted < bounds.eventsMin && !isOld && bytes <= bounds.bytesMax) return;
      disk.remove(oldest.path);
      this.#segments.shift();
      bytes -= oldest.size;
    }
  }

  #headerOf(segment: Segment): Header {
    const header = this.#readHeader(segment);
    if (header === undefined) throw new Error(`${segment.path} has no header.`);
    return header;
  }

  #readHeader(segment: Segment): Header | undefined {
    segment.header ??= parse(this.#options.disk.readRange(segment.path, 0, headerBytesMax) ?? Buffer.alloc(0)).header;
    return segment.header;
  }

  #entriesOf({ path, size }: Segment): readonly EntryEvents[] {
    if (this.#parsed?.path !== path || this.#parsed.size !== size) {
      const { entries } = parse(this.#options.disk.read(path).subarray(0, size));
      this.#parsed = { path, size, entries };
    }
    return this.#parsed.entries;
  }
}

const headerBytesMax = 512;

/** The valid lines at the beginning, and their size. */
function parse(bytes: Buffer): { readonly header: Header | undefined; readonly entries: EntryEvents[]; size: number } {
  const entries: EntryEvents[] = [];
  let header: Header | undefined;
  let size = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, size)) {
    const value = unframed(bytes.subarray(size, end)) as Header | EntryEvents | undefined;
    if (value === undefined) break;
    if (header === undefined) {
      if (!('feed' in value) || value.feed !== version) break;
      header = value;
    } else {
      if (!('seq' in value) || value.seq !== header.from.seq + entries.length + 1) break;
      entries.push(value);
    }
    size = end + 1;
  }
  return { header, entries, size };
}
