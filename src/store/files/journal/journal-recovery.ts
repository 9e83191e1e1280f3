import { join } from 'node:path';
import { openFlags } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import type { Entry, Head } from '../../record/log.ts';
import { entriesOf, journalVersion, readSegment } from './journal-format.ts';
import type { Mark, ReadLine, SegmentHeader } from './journal-format.ts';

/**
 * One file of the journal. Positions count the journal's entries since it was opened, from 1; `last` < `first` without
 * entries.
 */
export interface Segment {
  readonly number: number;
  readonly path: string;
  /** Bytes that are durable. */
  size: number;
  first: number;
  last: number;
  /** The last entry of every project at the segment's end. */
  readonly heads: Map<string, Head>;
}

/** An entry found when the journal was opened. */
export interface KeptEntry<B = unknown> extends Entry<B> {
  readonly position: number;
  /** A copy of an entry whose segment was removed, with those of its changes that were still needed. */
  readonly carried?: true;
  /** The machine was restarted since, or does not report its boot id: unsynced files of that time may be lost. */
  readonly rebooted: boolean;
}

/** Damage that the opening has repaired. */
export interface JournalProblem {
  readonly path: string;
  readonly line: number;
  readonly reason: string;
}

/** A segment with damage that a crash cannot cause: a person or the disk changed it. Nothing on disk was changed. */
export class JournalCorruptError extends Error {
  readonly path: string;
  readonly line: number;
  readonly reason: string;
  readonly remedy: string;

  constructor(path: string, line: number, reason: string) {
    const remedy =
      'Changes acknowledged but not yet in their files may be in this segment. Restore it from a backup; or, once the files ' +
      'are known to be right, move the journal directory away and start again: Planner then takes the files as they are.';
    super(`The journal is damaged: ${path}, line ${line}: ${reason}. Nothing was changed. ${remedy}`);
    this.name = 'JournalCorruptError';
    this.path = path;
    this.line = line;
    this.reason = reason;
    this.remedy = remedy;
  }
}

/**
 * The content of the journal's files. `entries` are in the order of appending, carried ones first; `marks` likewise.
 */
export interface Recovered {
  readonly segments: Segment[];
  readonly entries: KeptEntry[];
  readonly marks: Mark[];
  readonly problems: JournalProblem[];
  /** The position of the last entry. */
  readonly position: number;
}

const segmentName = /^(\d{8})\.log$/;

export function segmentPath(directory: string, number: number): string {
  return join(directory, `${String(number).padStart(8, '0')}.log`);
}

/** Called with each entry as it is read; returns the part that is kept until the replay is done. */
export type KeepEntry = (entry: Entry) => Entry;

/**
 * Reads the segments one at a time. Truncates a torn write at the very end and syncs that; any other damage throws
 * `JournalCorruptError` before a byte is changed. `keep`: all entries are held at once, so it must reduce large ones.
 */
export function recoverJournal(disk: Disk, directory: string, keep: KeepEntry = (entry) => entry): Recovered {
  const reader = new Reader(disk.bootId(), keep);
  const numbers = disk.list(directory).flatMap(({ name }) => segmentName.exec(name)?.[1] ?? []);
  const torn = numbers.flatMap((digits, index) => {
    const number = Number(digits);
    const cut = reader.read(disk.read(segmentPath(directory, number)), directory, number, index === numbers.length - 1);
    return cut ? [cut] : [];
  });
  for (const cut of torn) truncateTorn(disk, directory, cut, reader);
  return reader.result();
}

interface Torn {
  readonly path: string;
  readonly offset: number;
}

function truncateTorn(disk: Disk, directory: string, { path, offset }: Torn, reader: Reader): void {
  // A segment without a complete header is empty: the power failed while it was created.
  if (offset === 0) {
    disk.remove(path);
    disk.syncDirectory(directory);
    return;
  }
  const fd = disk.open(path, openFlags.change);
  try {
    disk.truncate(fd, offset);
    disk.sync(fd);
  } finally {
    disk.close(fd);
  }
  reader.segments.at(-1)!.size = offset;
}

/** Reads the segments in order and checks that every seq follows the one before it. */
class Reader {
  readonly segments: Segment[] = [];
  readonly #entries: KeptEntry[] = [];
  readonly #carried: KeptEntry[] = [];
  readonly #marks: Mark[] = [];
  readonly #problems: JournalProblem[] = [];
  readonly #boot: string | undefined;
  readonly #keep: KeepEntry;
  #position = 0;
  /** Applies to the lines of the current write. */
  #rebooted = true;

  constructor(boot: string | undefined, keep: KeepEntry) {
    this.#boot = boot;
    this.#keep = keep;
  }

  /** Returns where to truncate the last segment, if it is torn. */
  read(bytes: Buffer, directory: string, number: number, isLast: boolean): Torn | undefined {
    const path = segmentPath(directory, number);
    const { size, lines, torn, corrupt } = readSegment(bytes);
    const bad = corrupt ?? (isLast ? undefined : torn);
    if (bad)
      throw new JournalCorruptError(
        path,
        bad.line,
        'this line was changed after it was written, and valid lines follow it',
      );
    if (isLast && lines.length === 0) return { path, offset: 0 };

    this.#begin(path, number, size, lines[0]);
    for (const { line, value } of lines.slice(1)) this.#take(path, line, value);
    if (!torn) return undefined;
    const reason = `the last write was cut off by a crash; ${size - torn.offset} bytes that were never acknowledged were dropped`;
    this.#problems.push({ path, line: torn.line, reason });
    return { path, offset: torn.offset };
  }

  result(): Recovered {
    // A carried entry is older than all remaining entries of its project.
    const entries = [...this.#carried.sort((a, b) => a.seq - b.seq), ...this.#entries];
    return { segments: this.segments, entries, marks: this.#marks, problems: this.#problems, position: this.#position };
  }

  #begin(path: string, number: number, size: number, first: ReadLine | undefined): void {
    const header = first?.value as Partial<SegmentHeader> | undefined;
    if (header?.seqs === undefined) throw new JournalCorruptError(path, 1, 'the header is missing');
    if (header.journal !== journalVersion) {
      throw new JournalCorruptError(
        path,
        1,
        `it has format ${header.journal}, this Planner reads format ${journalVersion}`,
      );
    }
    const previous = this.segments.at(-1);
    const { ids = {} } = header;
    const heads = new Map(
      Object.entries(header.seqs).map(([project, seq]) => [project, { seq, id: ids[project] ?? null }] as const),
    );
    if (previous && number !== previous.number + 1) {
      throw new JournalCorruptError(path, 1, `segment ${previous.number + 1}, which precedes it, is missing`);
    }
    if (previous && !continues(previous.heads, heads)) {
      throw new JournalCorruptError(path, 1, 'it does not continue the preceding segment');
    }
    this.segments.push({ number, path, size, first: this.#position + 1, last: this.#position, heads });
  }

  #take(path: string, line: number, value: ReadLine['value']): void {
    const segment = this.segments.at(-1)!;
    if ('batch' in value) {
      this.#rebooted = value.boot === undefined || value.boot !== this.#boot;
      return;
    }
    if ('written' in value) {
      // Files are synced later than they are marked. If the machine was restarted in between, its last renames may be
      // lost: recovery then relies on the files' content.
      if (!this.#rebooted) this.#marks.push(...value.written);
    } else if ('carried' in value) {
      segment.last = ++this.#position;
      this.#carry(value.carried);
    } else if ('project' in value || 'together' in value) {
      for (const entry of entriesOf(value)) this.#takeEntry(path, line, segment, entry);
    } else {
      throw new JournalCorruptError(path, line, 'a header is inside the segment');
    }
  }

  #takeEntry(path: string, line: number, segment: Segment, entry: Entry): void {
    const { project, seq, id } = entry;
    if (seq !== (segment.heads.get(project)?.seq ?? 0) + 1) {
      throw new JournalCorruptError(path, line, `entry ${seq} of ${project} does not follow the one before it`);
    }
    segment.heads.set(project, { seq, id });
    segment.last = ++this.#position;
    this.#entries.push({ ...this.#keep(entry), position: this.#position, rebooted: this.#rebooted });
  }

  /**
   * The original has precedence while it exists (a crash came before its segment was removed), then the latest copy.
   */
  #carry(entry: Entry): void {
    const same = (other: Entry): boolean => other.project === entry.project && other.seq === entry.seq;
    if (this.#entries.some(same)) return;
    const former = this.#carried.findIndex(same);
    if (former >= 0) this.#carried.splice(former, 1);
    this.#carried.push({ ...this.#keep(entry), position: this.#position, rebooted: this.#rebooted, carried: true });
  }
}

/** An id that a header does not have is unknown. */
function continues(former: ReadonlyMap<string, Head>, heads: ReadonlyMap<string, Head>): boolean {
  if (former.size !== heads.size) return false;
  return [...former].every(([project, { seq, id }]) => {
    const head = heads.get(project);
    return head?.seq === seq && (head.id === null || id === null || head.id === id);
  });
}
