import type { Disk } from '../disk/disk.ts';
import { entriesOf, frameSliced, readSegment, textOf } from './journal-format.ts';
import type { Mark } from './journal-format.ts';
import { recoverJournal } from './journal-recovery.ts';
import type { JournalProblem, KeepEntry, KeptEntry, Segment } from './journal-recovery.ts';
import { JournalSegments } from './journal-segments.ts';
import {
  type Append,
  type Appended,
  type CaughtUp,
  emptyHead,
  type Entry,
  type Head,
  type Log,
} from '../../record/log.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { framedLines } from '../disk/framed-lines.ts';
import { makeDirectoryDurably, privateDirectoryMode } from '../disk/root-files.ts';
import { inSlices, type Steps } from '../../../base/slices.ts';

export type { Mark } from './journal-format.ts';
export { JournalCorruptError } from './journal-recovery.ts';
export type { JournalProblem, KeptEntry, Segment } from './journal-recovery.ts';
export type { Entry } from '../../record/log.ts';

export interface JournalOptions {
  readonly disk: Disk;
  /** Absolute; created if missing. */
  readonly directory: string;
  /** A segment that has reached this size is followed by another. Default 16 MiB. */
  readonly segmentBytes?: number;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Called with each entry found; returns the part that is kept in `entries`. Default: all of it. */
  readonly keep?: KeepEntry;
}

/** The result of opening: the entries still kept, in order, and the marks of files written since. */
export interface OpenedJournal {
  readonly journal: Journal;
  readonly entries: readonly KeptEntry[];
  readonly marks: readonly Mark[];
  readonly problems: readonly JournalProblem[];
}

/** The approximate maximum of one write, so that entries under load are acknowledged piece by piece. */
const batchCharactersMax = 8 * 1024 * 1024;
/** Marks are written with the next entry; this many characters of them are written without one. */
const waitingCharactersMax = 64 * 1024;

/** A caller waiting for the lines up to its own. Without a project it only waits for durability. */
interface Waiter {
  readonly project: string | undefined;
  readonly head: Head;
  readonly position: number;
  readonly resolve: (result: Appended) => void;
}

/** More entries are returned by the next `catchUp`. */
const caughtUpMax = 1000;

/**
 * Lines of one write as their JSON, and the callers that wait for it. They are framed together right before the write; a
 * large entry is also encoded then, in slices.
 */
class Batch {
  readonly lines: (string | Entry)[] = [];
  readonly waiters: Waiter[] = [];
  characters = 0;

  add(line: string | Entry): void {
    this.lines.push(line);
    // Lines after a large entry go into the next write, so that they do not wait for two.
    this.characters += lengthOf(line);
  }

  async encoded(first: string): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let texts = [first];
    for (const line of this.lines) {
      if (typeof line === 'string') texts.push(line);
      else {
        pieces.push(framedLines(texts), ...(await inSlices('journal', frameSliced(line))));
        texts = [];
      }
    }
    const rest = framedLines(texts);
    return pieces.length === 0 ? rest : inSlices('journal', concatInSteps([...pieces, rest]));
  }
}

/** One buffer of all pieces, in steps: the first use of each page of tens of megabytes takes longer than copying it. */
function* concatInSteps(pieces: readonly Uint8Array[]): Steps<Uint8Array> {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((bytes, piece) => bytes + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
    yield;
  }
  return whole;
}

/** A large entry is encoded later: until then it counts as a full batch. */
function lengthOf(line: string | Entry): number {
  return typeof line === 'string' ? line.length : batchCharactersMax;
}

const conflict: Appended = { is: 'conflict' };

/**
 * The embedded log: text lines in `<8 digits>.log` files, durable before they are acknowledged. One write is in
 * progress at a time; entries that arrive during it share the next one (group commit). After the first failure nothing
 * is written any more and every append is refused. Only this process appends, so an append conflicts only if its caller
 * missed an entry.
 */
export class Journal implements Log {
  readonly traits = { shared: false, durability: 'disk', entryBytesMax: Infinity } as const;
  readonly #disk: Disk;
  readonly #segments: JournalSegments;
  readonly #segmentBytes: number;
  readonly #boot: { readonly boot?: string };
  readonly #clock: Clock;
  /** The last entry of every project, including appends in progress. */
  readonly #heads: Map<string, Head>;
  readonly #queue: Batch[] = [];
  #position: number;
  #appended = 0;
  #failed: Error | undefined;
  #running: Promise<void> | undefined;
  #rotations: (() => void)[] = [];
  #closed = false;
  #batches = 0;

  /** Throws `JournalCorruptError` if the files are damaged beyond the effects of a crash; nothing is changed then. */
  static open(options: JournalOptions): OpenedJournal {
    const { disk, directory } = options;
    makeDirectoryDurably(disk, directory, privateDirectoryMode);
    const recovered = recoverJournal(disk, directory, options.keep);
    const segments = new JournalSegments(disk, directory, recovered.segments);
    const journal = new Journal(options, segments, recovered.position);
    return { journal, entries: recovered.entries, marks: recovered.marks, problems: recovered.problems };
  }

  private constructor(options: JournalOptions, segments: JournalSegments, position: number) {
    this.#disk = options.disk;
    this.#segmentBytes = options.segmentBytes ?? 16 * 1024 * 1024;
    this.#segments = segments;
    this.#clock = options.clock ?? systemClock;
    const boot = options.disk.bootId();
    this.#boot = boot === undefined ? {} : { boot };
    this.#heads = new Map(segments.current.heads);
    this.#position = position;
  }

  /** The error after which appends are rejected, if any. */
  get failed(): Error | undefined {
    return this.#failed;
  }

  /**
   * The position of the last appended entry, which `truncateBefore` refers to. Starts again with each opening, after
   * the entries found.
   */
  get position(): number {
    return this.#position;
  }

  /**
   * Characters of all entries appended since the journal was opened, roughly bytes; a large entry counts as a full
   * batch.
   */
  get appended(): number {
    return this.#appended;
  }

  /** Size of all segments kept. */
  get bytes(): number {
    return this.#segments.bytes;
  }

  /** A project's last entry, including appends in progress. */
  headOf(project: string): Head {
    return this.#heads.get(project) ?? emptyHead;
  }

  append({ project, after, id, body, large }: Append): Promise<Appended> {
    if (!this.#isOpen()) return Promise.resolve(this.#refused());
    if (!this.#isHead(project, after)) return Promise.resolve(conflict);
    const head = { seq: after.seq + 1, id };
    const entry: Entry = { project, seq: head.seq, id, prevId: after.id, body };
    const line = large === true ? entry : textOf(entry);
    // Counted only after serialisation: a body that cannot be serialised throws and leaves no gap.
    this.#heads.set(project, head);
    this.#position++;
    this.#appended += lengthOf(line);
    return this.#enqueue(line, project, head);
  }

  /** One line, so that a torn write loses all of them. */
  appendTogether(appends: readonly Append[]): Promise<Appended> {
    if (!this.#isOpen()) return Promise.resolve(this.#refused());
    if (!appends.every(({ project, after }) => this.#isHead(project, after))) return Promise.resolve(conflict);
    const entries = appends.map(({ project, after, id, body }) => ({
      ...{ project, seq: after.seq + 1, id },
      ...{ prevId: after.id, body },
    }));
    const line = textOf({ together: entries });
    for (const { project, seq, id } of entries) this.#heads.set(project, { seq, id });
    this.#position += entries.length;
    this.#appended += line.length;
    const { promise, resolve } = Promise.withResolvers<Appended>();
    const batch = this.#tail();
    batch.add(line);
    for (const { project, seq, id } of entries)
      batch.waiters.push({ project, head: { seq, id }, position: this.#position, resolve });
    this.#start();
    return promise;
  }

  /** Answers immediately, because no other process appends. */
  catchUp(known: ReadonlyMap<string, Head>): Promise<CaughtUp> {
    const found = { entries: [] as Entry[], more: [] as string[], trimmed: [] as string[], forked: [] as string[] };
    for (const [project, from] of known) {
      const head = this.#segments.current.heads.get(project) ?? emptyHead;
      if (from.seq === head.seq && from.id === head.id) continue;
      const later = from.seq < head.seq ? this.#entriesAfter(project, from) : 'forked';
      if (later === 'forked' || later === 'trimmed') found[later].push(project);
      else {
        found.entries.push(...later.slice(0, caughtUpMax));
        if (later.length > caughtUpMax) found.more.push(project);
      }
    }
    return Promise.resolve({ ...found, now: this.#clock.now() });
  }

  #entriesAfter(project: string, from: Head): readonly Entry[] | 'forked' | 'trimmed' {
    let known = from.seq === 0;
    const later = this.read(project, from.seq - 1).filter(({ seq, id }) => {
      if (seq !== from.seq) return true;
      known ||= from.id === null || id === from.id;
      return false;
    });
    const [first] = later;
    if (first?.seq !== from.seq + 1) return 'trimmed';
    return known || from.id === null || first.prevId === from.id ? later : 'forked';
  }

  #isOpen(): boolean {
    return this.#failed === undefined && !this.#closed;
  }

  #isHead(project: string, { seq, id }: Head): boolean {
    const head = this.#heads.get(project) ?? emptyHead;
    return seq === head.seq && id === head.id;
  }

  #refused(): Appended {
    return { is: 'refused', why: this.#failed ?? new Error('The journal is closed.'), isUndecided: false };
  }

  /**
   * Appends a copy of an entry that is still kept, so that its segment can be removed although its file cannot be
   * written. The copy keeps project and seq; after a restart it is read once.
   */
  carry(entry: Entry): Promise<Appended> {
    if (!this.#isOpen()) return Promise.resolve(this.#refused());
    const { project, seq, id, prevId, body } = entry;
    const line = textOf({ carried: { project, seq, id, prevId, body } });
    this.#position++;
    return this.#enqueue(line);
  }

  /**
   * Records that files contain the changes of entries up to `seq`. Written with the next sync and not awaited: a lost
   * mark costs comparing one file.
   */
  appendMarks(marks: readonly Mark[]): void {
    if (this.#failed || this.#closed || marks.length === 0) return;
    this.#tail().add(textOf({ written: marks }));
    if (this.#tail().characters >= waitingCharactersMax) this.#start();
  }

  /** Resolves when everything appended so far is durable, marks included. */
  flush(): Promise<Appended> {
    if (!this.#isOpen()) return Promise.resolve(this.#refused());
    return this.#enqueue('');
  }

  /**
   * Starts a new segment, so that `truncateBefore` can remove the current one. Does nothing if the current one has no
   * entry.
   */
  rotate(): Promise<void> {
    if (this.#failed || this.#closed) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#rotations.push(resolve);
    this.#start();
    return promise;
  }

  segments(): readonly Readonly<Segment>[] {
    return this.#segments.all;
  }

  /**
   * Removes the first segments whose entries are all before the position; the caller has their changes synced in files.
   */
  truncateBefore(before: number): number {
    return this.#failed || this.#closed ? 0 : this.#segments.truncateBefore(before);
  }

  /** `pick` returns the part to keep of an entry, or undefined. A journal may be larger than memory. */
  read(
    project: string,
    fromSeq: number,
    pick: (entry: Entry) => Entry | undefined = (entry) => entry,
  ): readonly Entry[] {
    const found = new Map<number, Entry>();
    for (const { path, size, heads } of this.#segments.all) {
      if ((heads.get(project)?.seq ?? 0) <= fromSeq) continue;
      for (const { value } of readSegment(this.#disk.read(path).subarray(0, size)).lines) {
        for (const entry of entriesOf(value)) {
          if (entry.project !== project || entry.seq <= fromSeq) continue;
          const picked = pick(entry);
          if (picked !== undefined) found.set(entry.seq, picked);
        }
      }
    }
    return [...found.values()].sort((a, b) => a.seq - b.seq);
  }

  /** Makes everything durable and closes the file. Later appends are refused. */
  async close(): Promise<void> {
    if (this.#closed) return;
    const flushed = this.flush();
    this.#closed = true;
    await flushed;
    await this.#running;
    this.#segments.close();
  }

  /** The batch that still accepts lines. */
  #tail(): Batch {
    const last = this.#queue.at(-1);
    if (last && last.characters < batchCharactersMax) return last;
    const batch = new Batch();
    this.#queue.push(batch);
    return batch;
  }

  #enqueue(line: string | Entry, project?: string, head = emptyHead): Promise<Appended> {
    const batch = this.#tail();
    if (line !== '') batch.add(line);
    const { promise, resolve } = Promise.withResolvers<Appended>();
    batch.waiters.push({ project, head, position: this.#position, resolve });
    this.#start();
    return promise;
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#due()) this.#start();
    });
  }

  #due(): boolean {
    const [head] = this.#queue;
    const waiting = head !== undefined && (head.waiters.length > 0 || head.characters >= waitingCharactersMax);
    return this.#failed === undefined && (waiting || this.#rotations.length > 0);
  }

  /** Writes batches until nothing is due. */
  async #run(): Promise<void> {
    // Appends of the current turn of the event loop share the first write.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#due()) {
      let batch: Batch | undefined;
      try {
        if (this.#rotations.length > 0 || this.#segments.current.size >= this.#segmentBytes) this.#rotate();
        batch = this.#queue.shift();
        if (batch?.lines.length)
          await this.#segments.append(await batch.encoded(textOf({ batch: ++this.#batches, ...this.#boot })));
        if (batch) this.#acknowledge(batch);
      } catch (error) {
        this.#fail(error as Error, batch);
      }
    }
  }

  #rotate(): void {
    const { size, first, last } = this.#segments.current;
    if (size >= this.#segmentBytes || (this.#rotations.length > 0 && last >= first)) this.#segments.rotate();
    for (const resolve of this.#rotations.splice(0)) resolve();
  }

  #acknowledge({ waiters }: Batch): void {
    const segment = this.#segments.current;
    for (const { project, head, position, resolve } of waiters) {
      segment.last = position;
      if (project !== undefined) segment.heads.set(project, head);
      resolve({ is: 'ok', head });
    }
  }

  /** Rejects everything from now on, because another process owns the root: queued lines are not written. */
  abort(reason: Error): void {
    this.#failed ??= reason;
    for (const { waiters } of this.#queue.splice(0)) for (const { resolve } of waiters) resolve(this.#refused());
    for (const resolve of this.#rotations.splice(0)) resolve();
  }

  #fail(error: Error, batch: Batch | undefined): void {
    this.#failed = error;
    this.#segments.truncateTail();
    const undecided: Appended = { is: 'refused', why: error, isUndecided: true };
    for (const { resolve } of batch?.waiters ?? []) resolve(undecided);
    for (const { waiters } of this.#queue.splice(0)) for (const { resolve } of waiters) resolve(this.#refused());
    for (const resolve of this.#rotations.splice(0)) resolve();
  }
}
