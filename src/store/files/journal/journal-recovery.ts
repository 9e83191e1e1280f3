import { join } from 'node:path';
import { openFlags } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import type { Entry } from '../../log.ts';
import { journalVersion, readSegment } from './journal-format.ts';
import type { Mark, ReadLine, SegmentHeader } from './journal-format.ts';

/** One file of the journal. Positions count the journal's entries since it was opened, from 1; `last` < `first` where there is none. */
export interface Segment {
  readonly number: number;
  readonly path: string;
  /** Bytes that are durable. */
  size: number;
  first: number;
  last: number;
  /** The last seq of every project at the segment's end. */
  readonly seqs: Map<string, number>;
}

/** An entry that was found when the journal was opened. */
export interface KeptEntry<B = unknown> extends Entry<B> {
  readonly position: number;
  /** The machine was started anew since, or cannot tell: what was in files by then and not synced may be gone. */
  readonly rebooted: boolean;
}

/** Something that opening put right by itself. */
export interface JournalProblem {
  readonly path: string;
  readonly line: number;
  readonly reason: string;
}

/** A segment that no crash explains: somebody or the disk changed it. Nothing on disk was touched. */
export class JournalCorruptError extends Error {
  readonly path: string;
  readonly line: number;
  readonly reason: string;
  readonly remedy: string;

  constructor(path: string, line: number, reason: string) {
    const remedy =
      'Changes acknowledged but not yet in their files may stand in this segment. Restore it from a backup; or, once the files ' +
      'are known to be right, move the journal directory away and start again: Planner then takes the files as they are.';
    super(`The journal is damaged: ${path}, line ${line}: ${reason}. Nothing was changed. ${remedy}`);
    this.name = 'JournalCorruptError';
    this.path = path;
    this.line = line;
    this.reason = reason;
    this.remedy = remedy;
  }
}

/** All that the journal's files say. `entries` are in the order of appending, those carried forward first; `marks` likewise. */
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

/** Called with each entry as it is read; returns what is kept of it until the replay is done. */
export type KeepEntry = (entry: Entry) => Entry;

/**
 * Reads every segment, one at a time. What a crash left torn at the very end is cut off and the cut synced; anything else that is wrong
 * throws `JournalCorruptError` before a byte is changed. `keep`: all entries are held at once, so large ones must not be held whole.
 */
export function recoverJournal(disk: Disk, directory: string, keep: KeepEntry = (entry) => entry): Recovered {
  const reader = new Reader(disk.bootId(), keep);
  const numbers = disk.list(directory).flatMap(({ name }) => segmentName.exec(name)?.[1] ?? []);
  const torn = numbers.flatMap((digits, index) => {
    const number = Number(digits);
    const cut = reader.read(disk.read(segmentPath(directory, number)), directory, number, index === numbers.length - 1);
    return cut ? [cut] : [];
  });
  for (const cut of torn) cutOff(disk, directory, cut, reader);
  return reader.result();
}

interface Torn {
  readonly path: string;
  readonly offset: number;
}

function cutOff(disk: Disk, directory: string, { path, offset }: Torn, reader: Reader): void {
  // A segment without a whole header holds nothing: it was being made when the power went.
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

/** Takes the segments in order and checks that every seq follows the one before it. */
class Reader {
  readonly segments: Segment[] = [];
  readonly #entries: KeptEntry[] = [];
  readonly #carried: KeptEntry[] = [];
  readonly #marks: Mark[] = [];
  readonly #problems: JournalProblem[] = [];
  readonly #boot: string | undefined;
  readonly #keep: KeepEntry;
  #position = 0;
  /** Of the lines of this write. */
  #rebooted = true;

  constructor(boot: string | undefined, keep: KeepEntry) {
    this.#boot = boot;
    this.#keep = keep;
  }

  /** Answers what is to be cut off the last segment, if anything. */
  read(bytes: Buffer, directory: string, number: number, isLast: boolean): Torn | undefined {
    const path = segmentPath(directory, number);
    const { size, lines, torn, corrupt } = readSegment(bytes);
    const bad = corrupt ?? (isLast ? undefined : torn);
    if (bad)
      throw new JournalCorruptError(path, bad.line, 'this line is not what was written, and good ones follow it');
    if (isLast && lines.length === 0) return { path, offset: 0 };

    this.#begin(path, number, size, lines[0]);
    for (const { line, value } of lines.slice(1)) this.#take(path, line, value);
    if (!torn) return undefined;
    const reason = `the last write was cut off by a crash; ${size - torn.offset} bytes that were never acknowledged were dropped`;
    this.#problems.push({ path, line: torn.line, reason });
    return { path, offset: torn.offset };
  }

  result(): Recovered {
    // A carried entry is older than all that is left of its project.
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
    const seqs = new Map(Object.entries(header.seqs));
    if (previous && number !== previous.number + 1) {
      throw new JournalCorruptError(path, 1, `segment ${previous.number + 1}, which came before it, is missing`);
    }
    if (previous && !sameSeqs(previous.seqs, seqs)) {
      throw new JournalCorruptError(path, 1, 'the segment before it does not end where this one begins');
    }
    this.segments.push({ number, path, size, first: this.#position + 1, last: this.#position, seqs });
  }

  #take(path: string, line: number, value: ReadLine['value']): void {
    const segment = this.segments.at(-1)!;
    if ('batch' in value) {
      this.#rebooted = value.boot === undefined || value.boot !== this.#boot;
      return;
    }
    if ('written' in value) {
      // Files are synced later than they are marked. When the machine went down meanwhile, its last renames may be undone: then what
      // the files show counts.
      if (!this.#rebooted) this.#marks.push(...value.written);
    } else if ('carried' in value) {
      segment.last = ++this.#position;
      this.#carry(value.carried);
    } else if ('project' in value) {
      const { project, seq } = value;
      if (seq !== (segment.seqs.get(project) ?? 0) + 1) {
        throw new JournalCorruptError(path, line, `entry ${seq} of ${project} does not follow the one before it`);
      }
      segment.seqs.set(project, seq);
      segment.last = ++this.#position;
      this.#entries.push({ ...this.#keep(value), position: this.#position, rebooted: this.#rebooted });
    } else {
      throw new JournalCorruptError(path, line, 'a header stands inside the segment');
    }
  }

  /** The original counts while it is there (a crash came before its segment went), else the latest copy. */
  #carry(entry: Entry): void {
    const same = (other: Entry): boolean => other.project === entry.project && other.seq === entry.seq;
    if (this.#entries.some(same)) return;
    const former = this.#carried.findIndex(same);
    if (former >= 0) this.#carried.splice(former, 1);
    this.#carried.push({ ...this.#keep(entry), position: this.#position, rebooted: this.#rebooted });
  }
}

function sameSeqs(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return a.size === b.size && [...a].every(([project, seq]) => b.get(project) === seq);
}
