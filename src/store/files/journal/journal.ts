import type { Disk } from '../disk/disk.ts';
import { frame, frameSliced, readSegment } from './journal-format.ts';
import type { Mark } from './journal-format.ts';
import { recoverJournal } from './journal-recovery.ts';
import type { JournalProblem, KeepEntry, KeptEntry, Segment } from './journal-recovery.ts';
import { JournalSegments } from './journal-segments.ts';
import type { AppendResult, Entry, Log } from '../../log.ts';
import { makeDirectoryDurably, privateDirectoryMode } from '../disk/root-files.ts';
import { inSlices, type Steps } from '../../../slices.ts';

export type { Mark } from './journal-format.ts';
export { JournalCorruptError } from './journal-recovery.ts';
export type { JournalProblem, KeptEntry, Segment } from './journal-recovery.ts';
export type { AppendResult, Entry, Log } from '../../log.ts';

export interface JournalOptions {
  readonly disk: Disk;
  /** Absolute; created if missing. */
  readonly directory: string;
  /** A segment that has reached this size is followed by another. Default 16 MiB. */
  readonly segmentBytes?: number;
  /** Called with each entry found; returns what is kept of it in `entries`. Default: all of it. */
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
  readonly seq: number;
  readonly position: number;
  readonly resolve: (result: AppendResult) => void;
}

/** Lines of one write, and the callers that wait for it. A large entry is encoded right before the write, in slices. */
class Batch {
  readonly lines: (string | Entry)[] = [];
  readonly waiters: Waiter[] = [];
  characters = 0;

  add(line: string | Entry): void {
    this.lines.push(line);
    // Lines behind a large entry go into the next write, so that they do not wait for two.
    this.characters += lengthOf(line);
  }

  async encoded(first: string): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let text = first;
    for (const line of this.lines) {
      if (typeof line === 'string') text += line;
      else {
        pieces.push(Buffer.from(text), ...(await inSlices('journal', frameSliced(line))));
        text = '';
      }
    }
    const rest = Buffer.from(text);
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

/**
 * The embedded log: text lines in `<8 digits>.log` files, durable before they are acknowledged. One write is in
 * progress at a time; entries that arrive meanwhile share the next one (group commit). After the first failure nothing
 * is written any more and every append resolves to `unknown`.
 */
export class Journal implements Log {
  readonly #disk: Disk;
  readonly #segments: JournalSegments;
  readonly #segmentBytes: number;
  readonly #boot: { readonly boot?: string };
  /** The last seq of every project, including appends in progress. */
  readonly #seqs: Map<string, number>;
  readonly #listeners = new Set<(project: string) => void>();
  readonly #queue: Batch[] = [];
  #position: number;
  #appended = 0;
  #running: Promise<void> | undefined;
  #rotations: (() => void)[] = [];
  #failed: Error | undefined;
  #closed = false;
  #batches = 0;

  /** Throws `JournalCorruptError` if the files are damaged beyond what a crash can cause; nothing is changed then. */
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
    const boot = options.disk.bootId();
    this.#boot = boot === undefined ? {} : { boot };
    this.#seqs = new Map(segments.current.seqs);
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

  /** The seq of a project's last entry, including appends in progress; 0 for none. */
  lastSeq(project: string): number {
    return this.#seqs.get(project) ?? 0;
  }

  append(
    project: string,
    expectedSeq: number,
    entry: { readonly id: string; readonly prevId: string | null; readonly body: unknown; readonly large?: boolean },
  ): Promise<AppendResult> {
    if (this.#failed || this.#closed) return Promise.resolve('unknown');
    if (expectedSeq !== this.lastSeq(project)) return Promise.resolve('conflict');
    const seq = expectedSeq + 1;
    const whole: Entry = { project, seq, id: entry.id, prevId: entry.prevId, body: entry.body };
    const line = entry.large === true ? whole : frame(whole);
    // Counted only after serialisation: a body that cannot be serialised throws and leaves no gap.
    this.#seqs.set(project, seq);
    this.#position++;
    this.#appended += lengthOf(line);
    return this.#enqueue(line, project, seq);
  }

  /**
   * Appends a copy of an entry that is still kept, so that its segment can be removed although its file cannot be
   * written. The copy keeps project and seq; after a restart it is read once.
   */
  carry(entry: Entry): Promise<AppendResult> {
    if (this.#failed || this.#closed) return Promise.resolve('unknown');
    const { project, seq, id, prevId, body } = entry;
    const line = frame({ carried: { project, seq, id, prevId, body } });
    this.#position++;
    return this.#enqueue(line);
  }

  /**
   * Records that files contain the changes of entries up to `seq`. Written with the next sync and not awaited: a lost
   * mark costs comparing one file.
   */
  appendMarks(marks: readonly Mark[]): void {
    if (this.#failed || this.#closed || marks.length === 0) return;
    this.#tail().add(frame({ written: marks }));
    if (this.#tail().characters >= waitingCharactersMax) this.#start();
  }

  /** Resolves when everything appended so far is durable, marks included. */
  flush(): Promise<AppendResult> {
    if (this.#failed || this.#closed) return Promise.resolve('unknown');
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

  /** `pick` returns what is kept of an entry, undefined for nothing. A journal may be larger than memory. */
  read(
    project: string,
    fromSeq: number,
    pick: (entry: Entry) => Entry | undefined = (entry) => entry,
  ): readonly Entry[] {
    const found = new Map<number, Entry>();
    for (const { path, size, seqs } of this.#segments.all) {
      if ((seqs.get(project) ?? 0) <= fromSeq) continue;
      for (const { value } of readSegment(this.#disk.read(path).subarray(0, size)).lines) {
        const entry = 'carried' in value ? value.carried : value;
        if (!('project' in entry) || entry.project !== project || entry.seq <= fromSeq) continue;
        const picked = pick(entry);
        if (picked !== undefined) found.set(entry.seq, picked);
      }
    }
    return [...found.values()].sort((a, b) => a.seq - b.seq);
  }

  subscribe(listener: (project: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Makes everything durable and closes the file. Later appends resolve to `unknown`. */
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

  #enqueue(line: string | Entry, project?: string, seq = 0): Promise<AppendResult> {
    const batch = this.#tail();
    if (line !== '') batch.add(line);
    const { promise, resolve } = Promise.withResolvers<AppendResult>();
    batch.waiters.push({ project, seq, position: this.#position, resolve });
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
        this.#rotateIfDue();
        batch = this.#queue.shift();
        if (batch?.lines.length)
          await this.#segments.append(await batch.encoded(frame({ batch: ++this.#batches, ...this.#boot })));
        if (batch) this.#acknowledge(batch);
      } catch (error) {
        this.#fail(error as Error, batch);
      }
    }
  }

  #rotateIfDue(): void {
    const { size, first, last } = this.#segments.current;
    if (size >= this.#segmentBytes || (this.#rotations.length > 0 && last >= first)) this.#segments.rotate();
    for (const resolve of this.#rotations.splice(0)) resolve();
  }

  #acknowledge({ waiters }: Batch): void {
    const segment = this.#segments.current;
    const notified = new Set<string>();
    for (const { project, seq, position, resolve } of waiters) {
      segment.last = position;
      if (project !== undefined) {
        segment.seqs.set(project, seq);
        notified.add(project);
      }
      resolve('ok');
    }
    for (const project of notified) for (const listener of this.#listeners) listener(project);
  }

  /** Rejects everything from now on, because another process owns the root: queued lines are not written. */
  abort(reason: Error): void {
    this.#failed ??= reason;
    for (const { waiters } of this.#queue.splice(0)) for (const { resolve } of waiters) resolve('unknown');
    for (const resolve of this.#rotations.splice(0)) resolve();
  }

  #fail(error: Error, batch: Batch | undefined): void {
    this.#failed = error;
    this.#segments.truncateTail();
    const undecided = [...(batch ? [batch] : []), ...this.#queue.splice(0)];
    for (const { waiters } of undecided) for (const { resolve } of waiters) resolve('unknown');
    for (const resolve of this.#rotations.splice(0)) resolve();
  }
}
