import { randomName } from '../../../base/ids.ts';
import { lastOf } from '../../../base/named.ts';
import { type Disk, errorCode, type FileStat } from '../disk/disk.ts';
import { withOpen } from '../disk/read-async.ts';
import { LookUps } from '../../record/look-ups.ts';
import { equal } from '../../record/plain.ts';
import { replaceFile } from '../disk/replace-file.ts';
import type { HistoryQuery, Revision, RevisionId, RevisionSummary } from '../../record/record.ts';
import { isAsked, type RevisionIndex, newestFirst } from '../../replica/revision-index.ts';
import { sameStamp, type Stamp, stampOf } from './file-table.ts';
import { LostIndexFile } from './history-blocks.ts';
import { type LineLocation, outcomeOf, parseRevision, type Reference, referenceOf } from './history-reference.ts';
import { IndexFiles, type IndexFilesContext, type SealedSegment } from './index-files.ts';
import { type Key, orders } from './history-rows.ts';
import { orderedReferences, type References, untilFound } from './ordered-references.ts';
import { RecentRevisions } from './recent-revisions.ts';

/** A revision that is not in a segment yet. `local` ones record external edits, whose files git tracks. */
export interface WaitingRevision {
  readonly revision: Revision;
  readonly local: boolean;
  /**
   * Journal position of its entry: the journal is kept from this position until the revision is in a segment. Undefined
   * for an edit that was made while no service ran: the file itself contains it.
   */
  readonly position: number | undefined;
}

/** A segment whose references are in memory. */
interface RecentSegment {
  /** Undefined until its state on disk is known. */
  stamp: Stamp | undefined;
  /** This process wrote it, so that a sync of what it wrote includes it. */
  isOwn: boolean;
  /** Every line is a revision: the lines of others are reported at each start. */
  readonly isWhole: boolean;
  readonly references: Reference[];
}

/** Where the index of a history is kept. */
export type HistoryStorage = Omit<IndexFilesContext, 'disk'>;

/** The times of a record's oldest and newest revision. */
export interface Span {
  readonly oldest: string;
  readonly newest: string;
}

/**
 * The index of one project's history. Revisions are read from their segment files on demand. Memory has the references
 * of the last ones, and those of others are in files, which are derived from the segments. Equal ids are one revision.
 */
export class HistoryIndex implements RevisionIndex, References {
  readonly recent = new RecentRevisions();
  /** Undefined if everything stays in memory. */
  readonly files: IndexFiles | undefined;
  readonly #disk: Disk;
  readonly #lookUps: LookUps;
  /** The segments whose references are in memory, by path. */
  readonly #segments = new Map<string, RecentSegment>();
  /** Counts the revisions that were added or removed without an entry. */
  #unjournaled = 0;
  #generation = 0;
  readonly #name = randomName();
  readonly #waiting = new Map<string, WaitingRevision>();
  /** Those that are being written. */
  readonly #taken = new Map<string, WaitingRevision>();
  /** The references of both. */
  readonly #unwritten = new Map<string, Reference>();
  /** Segment files that end within a line or contain zeros: torn writes of a power failure. */
  readonly #torn = new Set<string>();
  /** The spans in files, while many are asked for. */
  #spans: ReadonlyMap<string, Span> | undefined;

  constructor(disk: Disk, lookUps = new LookUps(), storage?: HistoryStorage) {
    this.#disk = disk;
    this.#lookUps = lookUps;
    this.files = storage && new IndexFiles({ ...storage, disk });
  }

  get generation(): number {
    return this.#generation;
  }

  /**
   * Adds the lines of a segment file, in place of those that are known of it. Returns the numbers (from 1) of lines that
   * are not revisions; a torn last line is not counted, since the journal still has it. `stat`: of the file, before.
   */
  addSegment(file: string, stat = this.#disk.stat(file)): { readonly badLines: readonly number[] } {
    const badLines: number[] = [];
    if (stat?.kind === 'file' && this.files?.claim(file, stat) === true) {
      this.#forgetRecent(file);
      this.#torn.delete(file);
      this.#changed(1);
      return { badLines };
    }
    // If this fails, the lines that are known of the segment stay.
    const bytes = this.#disk.readIfExists(file);
    this.dropSegment(file);
    this.#torn.delete(file);
    if (bytes === undefined) return { badLines };
    if (bytes.at(-1) !== 10 || bytes.includes(0)) this.#torn.add(file);
    const references: Reference[] = [];
    for (let offset = 0, line = 1; offset < bytes.length; line++) {
      const end = bytes.indexOf(10, offset);
      if (end === -1) break;
      const revision = parseRevision(bytes.toString('utf8', offset, end));
      if (revision === undefined) badLines.push(line);
      else references.push(referenceOf(revision, { file, offset, length: end - offset }));
      offset = end + 1;
    }
    const isWhole = badLines.length === 0 && !this.#torn.has(file) && stat?.size === bytes.length;
    this.#segments.set(file, { stamp: stat && stampOf(stat), isOwn: false, isWhole, references });
    for (const reference of references) this.recent.add(reference);
    this.#changed(references.length);
    return { badLines };
  }

  /**
   * Removes torn lines from a segment; the journal still has them. Returns true if there were any; the caller then adds
   * the segment again. `temporaryDirectory` is on the same file system.
   */
  repair(file: string, temporaryDirectory: string): boolean {
    if (!this.#torn.delete(file)) return false;
    const lines = this.#disk.read(file).toString().split('\n');
    const whole = lines.filter((line) => parseRevision(line) !== undefined || !(line === '' || line.includes('\0')));
    if (parseRevision(lines.at(-1) ?? '') === undefined && whole.at(-1) === lines.at(-1)) whole.pop();
    if (whole.length === 0) this.#disk.remove(file);
    else replaceFile(this.#disk, file, Buffer.from(`${whole.join('\n')}\n`), { temporaryDirectory });
    return true;
  }

  /** Forgets the lines of a segment that was removed, for example by a checkout. */
  dropSegment(file: string): void {
    this.#changed((this.files?.drop(file) ?? 0) + this.#forgetRecent(file));
  }

  /** The segments below a directory are below another one now. */
  moveSegments(from: string, to: string): void {
    for (const [file, segment] of [...this.#segments]) {
      if (!file.startsWith(`${from}/`)) continue;
      const moved = to + file.slice(from.length);
      this.#segments.delete(file);
      this.#segments.set(moved, segment);
      for (const reference of segment.references)
        reference.location = { ...(reference.location as LineLocation), file: moved };
    }
    this.files?.moved();
    this.#changed(0);
  }

  /** A file of the index is lost: what it had is read from the segments again. */
  lose(path: string): void {
    for (const file of this.files?.lose(path) ?? []) this.addSegment(file);
    this.#changed(0);
  }

  get version(): string {
    return this.#unjournaled === 0 ? '' : `${this.#name}${this.#unjournaled.toString(36)}`;
  }

  /** Adds a new revision, which the next checkpoint writes. `position` is undefined if it is not in the journal. */
  add(revision: Revision, local: boolean, position: number | undefined): void {
    const { id } = revision;
    if (this.#unwritten.has(id) || this.recent.get(id) !== undefined) return;
    if (position === undefined) this.#unjournaled++;
    const reference = referenceOf(revision, revision);
    this.recent.add(reference);
    this.#unwritten.set(id, reference);
    this.#waiting.set(id, { revision, local, position });
  }

  /** Adds a revision of the journal, unless a segment has it. */
  addAgain(revision: Revision, local: boolean, position: number): void {
    const isThere = ({ all }: IndexFiles): boolean =>
      all.some((file) => {
        const [first] = file.forward('time', (key) => newestFirst(key, revision) >= 0);
        return first?.id === revision.id;
      });
    const { files } = this;
    if (files === undefined || !untilFound(this, () => isThere(files))) this.add(revision, local, position);
  }

  /** Removes a revision whose change did not become durable. */
  undo(id: string): void {
    const reference = this.#unwritten.get(id);
    if (reference !== undefined) this.recent.forget([reference]);
    this.#unwritten.delete(id);
    this.#waiting.delete(id);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** The revisions that are not written yet. */
  *waitingRevisions(): IterableIterator<Revision> {
    for (const { revision } of this.#waiting.values()) yield revision;
  }

  /** The oldest journal position that the history still needs; `none` if there is none. */
  oldestNeeded(none: number): number {
    let oldest = none;
    for (const revisions of [this.#waiting, this.#taken])
      for (const { position = oldest } of revisions.values()) oldest = Math.min(oldest, position);
    return oldest;
  }

  /** Whether a revision that is not in the journal is not written yet: only former values can make it again. */
  get isBehind(): boolean {
    for (const revisions of [this.#waiting, this.#taken])
      for (const { position } of revisions.values()) if (position === undefined) return true;
    return false;
  }

  /**
   * Removes and returns at most `most` unwritten revisions that are durable in the journal. The caller passes each to
   * `markWritten`, or all to `putBack` if the write fails.
   */
  takeWaiting(durablePosition: number, most: number): WaitingRevision[] {
    const taken: WaitingRevision[] = [];
    for (const waiting of this.#waiting.values()) {
      if (taken.length >= most) break;
      if (waiting.position !== undefined && waiting.position > durablePosition) continue;
      taken.push(waiting);
      this.#waiting.delete(waiting.revision.id);
      this.#taken.set(waiting.revision.id, waiting);
    }
    return taken;
  }

  putBack(revisions: readonly WaitingRevision[]): void {
    for (const waiting of revisions) {
      this.#taken.delete(waiting.revision.id);
      if (this.#unwritten.has(waiting.revision.id)) this.#waiting.set(waiting.revision.id, waiting);
    }
  }

  /** Records that the revision was written as a line at `offset`. */
  markWritten(id: string, place: LineLocation): void {
    this.#taken.delete(id);
    const reference = this.#unwritten.get(id);
    if (reference === undefined) return;
    this.#unwritten.delete(id);
    reference.location = place;
    const segment = this.#segments.get(place.file);
    if (segment !== undefined) segment.references.push(reference);
    else this.#segments.set(place.file, { stamp: undefined, isOwn: true, isWhole: true, references: [reference] });
  }

  /** The state of a segment that this process has written. */
  noteWritten(file: string, stat: FileStat): void {
    const segment = this.#segments.get(file);
    if (segment !== undefined) segment.stamp = stampOf(stat);
  }

  /**
   * Leaves segments to files on disk, if they are many. Reading continues meanwhile. `isFinished`: nothing appends to a
   * segment any more, and what this process wrote of it survives a power failure.
   */
  async leaveToFiles(isFinished: (file: string) => boolean): Promise<void> {
    const { files } = this;
    const sealed = this.#sealed(isFinished);
    const rows = sealed.reduce((sum, { references }) => sum + references.length, 0);
    if (files === undefined || rows < files.bounds.rowsMin) return;
    try {
      for (const segments of chunksOf(sealed, files.bounds.rowsMax)) {
        for (const { file } of await files.add(segments, this.#isAsSealed)) this.#forgetRecent(file);
        this.#changed(0);
      }
      for (let unserved = await files.merge(); unserved !== undefined; unserved = await files.merge()) {
        for (const file of unserved) this.addSegment(file);
        this.#changed(0);
      }
    } catch (error) {
      if (!(error instanceof LostIndexFile)) throw error;
      this.lose(error.path);
    }
  }

  #sealed(isFinished: (file: string) => boolean): readonly SealedSegment[] {
    const found: SealedSegment[] = [];
    for (const [file, { stamp, isOwn, isWhole, references }] of this.#segments) {
      if (!isWhole || stamp === undefined || !isFinished(file)) continue;
      if (isOwn || this.files?.isSettled(stamp) === true) found.push({ file, stamp, references });
    }
    return found;
  }

  readonly #isAsSealed = ({ file, stamp }: SealedSegment): boolean => {
    const stat = this.#segments.get(file)?.stamp === stamp ? this.#disk.stat(file) : undefined;
    return stat?.kind === 'file' && sameStamp(stamp, stat);
  };

  has(id: string): boolean {
    return this.#find(id) !== undefined;
  }

  /** The segment file that contains a revision; undefined if the revision is not written yet, unknown, or synced. */
  fileOf(id: string): string | undefined {
    const place = this.recent.get(id)?.location;
    return place !== undefined && 'file' in place ? place.file : undefined;
  }

  /** The segment files that contain a record's revisions, unless they are synced. */
  filesOf(target: string): ReadonlySet<string> {
    const files = new Set<string>();
    for (const { location } of this.recent.ofTarget(target)) if ('file' in location) files.add(location.file);
    return files;
  }

  /** Times of a record's oldest and newest revision, without reading them. */
  span(target: string): Span | undefined {
    const recent = this.recent.ofTarget(target).reduce(extended, this.#spans?.get(target));
    if (this.#spans !== undefined || this.files?.all.length === 0) return recent;
    return untilFound(this, () => {
      const rows = (this.files?.all ?? []).flatMap((file) => file.endsOf(target));
      return rows.reduce(extended, this.recent.ofTarget(target).reduce<Span | undefined>(extended, undefined));
    });
  }

  /** Runs with the spans of all records in memory: nearly all are asked for. */
  withSpans<T>(run: () => T): T {
    this.#spans = untilFound(this, () => this.#readSpans());
    try {
      return run();
    } finally {
      this.#spans = undefined;
    }
  }

  #readSpans(): ReadonlyMap<string, Span> {
    const spans = new Map<string, Span>();
    for (const file of this.files?.all ?? [])
      for (const row of file.forward('target', () => true)) spans.set(row.target, extended(spans.get(row.target), row));
    return spans;
  }

  /** Returns true if one of the record's revisions has this state as its outcome. */
  hasOutcome(target: string, after: string): boolean {
    const outcome = outcomeOf(after);
    for (const reference of this.recent.ofTarget(target))
      if (reference.outcome === outcome && this.#readIfPossible(reference)?.after === after) return true;
    if (this.files?.all.length === 0) return false;
    return untilFound(this, () => {
      for (const reference of this.#ofTarget(target))
        if (reference.outcome === outcome && this.#readIfPossible(reference)?.after === after) return true;
      return false;
    });
  }

  /** Returns true if each of these values is a former value in one of the record's revisions. */
  hasFormerValues(target: string, values: Readonly<Record<string, unknown>>): boolean {
    return untilFound(this, () => {
      const missing = new Map(Object.entries(values));
      for (const reference of this.#ofTarget(target)) {
        if (missing.size === 0) return true;
        const before = this.#readIfPossible(reference)?.before ?? {};
        for (const [field, value] of missing)
          if (field in before && equal(before[field] ?? null, value ?? null)) missing.delete(field);
      }
      return missing.size === 0;
    });
  }

  /** In any order. */
  *#ofTarget(target: string): Generator<Reference> {
    yield* this.recent.ofTarget(target);
    for (const file of this.files?.all ?? []) yield* file.ofTarget(target);
  }

  revision(id: string): Revision | undefined {
    const reference = this.#find(id);
    return reference === undefined ? undefined : this.#read(reference);
  }

  /** Newest first, by (at, id). Each revision is read when the iterator reaches it. */
  *revisions(query: HistoryQuery = {}): IterableIterator<Revision> {
    for (const reference of orderedReferences(this, query)) {
      const revision = this.#read(reference, () => this.#following(reference, query));
      if (revision !== undefined) yield revision;
    }
  }

  *summaries(query: HistoryQuery): IterableIterator<RevisionSummary> {
    for (const { at, id, target, type: target_type, author, session, fields } of orderedReferences(this, query))
      yield { at, id, target, target_type, author, ...(session !== undefined && { session }), fields };
  }

  *ids(query: HistoryQuery = {}): IterableIterator<RevisionId> {
    const { end } = query;
    const found = end === undefined ? orderedReferences(this, query) : untilFound(this, () => this.#withEnd(end));
    for (const reference of found) {
      const { id, target, type } = reference;
      if (end === undefined || isAsked(reference, query)) yield { id, target, target_type: type };
    }
  }

  /** The references whose ids end so, in any order. */
  #withEnd(end: string): Iterable<Reference> {
    const found = new Map<string, Reference>();
    for (const reference of this.recent.newestFirst(undefined))
      if (lastOf(reference.id) === end) found.set(reference.id, reference);
    for (const file of this.files?.all ?? [])
      for (const reference of file.forward('id', ({ id }) => lastOf(id) >= end)) {
        if (lastOf(reference.id) !== end) break;
        found.set(reference.id, reference);
      }
    return found.values();
  }

  /** The same as they are now, some at a time, read as they are consumed. Does not block. */
  streamed(query: HistoryQuery = {}): AsyncIterableIterator<readonly Revision[]> {
    const [newest] = orderedReferences(this, query);
    return this.#streamed(query, newest);
  }

  async *#streamed(query: HistoryQuery, newest: Reference | undefined): AsyncIterableIterator<readonly Revision[]> {
    for (let first = newest; first !== undefined;) {
      // A revision that is written to its file meanwhile is taken from memory.
      const all = [first, ...this.#following(first, query)];
      const some = all.map(({ id, location }) => ({ id, location }));
      const found = new Map(await this.#load(some));
      yield some.flatMap(({ id, location }) => ('file' in location ? (found.get(keyOf(id)) ?? []) : location));
      [first] = orderedReferences(this, behind(query, all.at(-1)!));
    }
  }

  #find(id: string): Reference | undefined {
    const isBeyond = (key: Key): boolean => orders.id(key, { id, at: last, target: '' }) >= 0;
    return untilFound(this, () => {
      const known = this.recent.get(id);
      if (known !== undefined || this.files === undefined) return known;
      for (const file of this.files.all) {
        const [first] = file.forward('id', isBeyond);
        if (first?.id === id) return first;
      }
      return undefined;
    });
  }

  #forgetRecent(file: string): number {
    const references = this.#segments.get(file)?.references ?? [];
    this.recent.forget(references);
    this.#segments.delete(file);
    return references.length;
  }

  #changed(revisions: number): void {
    this.#unjournaled += revisions;
    this.#generation++;
  }

  /** Undefined also if the disk fails: one revision too many is better than an edit that is not applied. */
  #readIfPossible(reference: Reference): Revision | undefined {
    try {
      return this.#read(reference);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return undefined;
    }
  }

  /** `ahead`: those that are probably read next. */
  #read(reference: Reference, ahead: () => readonly Reference[] = () => []): Revision | undefined {
    const { location } = reference;
    if (!('file' in location)) return location;
    return this.#lookUps.get(keyOf(reference.id), {
      now: () => {
        const bytes = this.#disk.readRange(location.file, location.offset, location.length);
        return bytes === undefined ? undefined : revisionIn(bytes.toString('utf8'), reference.id);
      },
      later: () => this.#load([reference, ...ahead()]),
    });
  }

  /** The next references that a query asks for. */
  #following(reference: Reference, query: HistoryQuery): readonly Reference[] {
    return orderedReferences(this, behind(query, reference))
      .take(readTogether - 1)
      .toArray();
  }

  /** Those of them that are in segment files, by key. */
  async #load(
    references: readonly Pick<Reference, 'id' | 'location'>[],
  ): Promise<(readonly [key: string, revision: Revision])[]> {
    const byFile = new Map<string, [id: string, LineLocation][]>();
    for (const { id, location } of references) {
      if (!('file' in location)) continue;
      const lines = byFile.get(location.file);
      if (lines === undefined) byFile.set(location.file, [[id, location]]);
      else lines.push([id, location]);
    }
    const found: (readonly [string, Revision])[] = [];
    for (const [file, lines] of byFile) {
      const texts = await withOpen(this.#disk, file, (fd) => readLines(this.#disk, fd, lines));
      for (const [id, text] of texts ?? []) {
        const revision = revisionIn(text, id);
        if (revision !== undefined) found.push([keyOf(id), revision]);
      }
    }
    return found;
  }
}

/** This many revisions are read together, and lines that are not further apart than this, with what is between them. */
const readTogether = 64;
const spanBytesMax = 256 * 1024;

function keyOf(id: string): string {
  return `revision ${id}`;
}

/** The revision of a line, if it is the one that was there. */
function revisionIn(line: string, id: string): Revision | undefined {
  const revision = parseRevision(line);
  return revision?.id === id ? revision : undefined;
}

/** The same query from a position on. */
function behind(query: HistoryQuery, reference: Reference): HistoryQuery {
  return { ...query, ...(query.newer === undefined ? { after: reference } : { newer: reference }) };
}

/** Later than every time. */
const last = '\uffff';

function extended(span: Span | undefined, { at }: { readonly at: string }): Span {
  if (span === undefined) return { oldest: at, newest: at };
  return { oldest: at < span.oldest ? at : span.oldest, newest: at > span.newest ? at : span.newest };
}

/** Segments in parts of about so many rows. */
function* chunksOf(segments: readonly SealedSegment[], rowsMax: number): Generator<readonly SealedSegment[]> {
  let [chunk, rows]: [SealedSegment[], number] = [[], 0];
  for (const segment of segments) {
    chunk.push(segment);
    rows += segment.references.length;
    if (rows < rowsMax) continue;
    yield chunk;
    [chunk, rows] = [[], 0];
  }
  if (chunk.length > 0) yield chunk;
}

/** The texts of lines of a file, by the ids of their revisions. */
async function readLines(
  disk: Disk,
  fd: number,
  lines: readonly (readonly [id: string, LineLocation])[],
): Promise<readonly (readonly [id: string, text: string])[]> {
  const start = Math.min(...lines.map(([, { offset }]) => offset));
  const end = Math.max(...lines.map(([, { offset, length }]) => offset + length));
  const span = end - start <= spanBytesMax ? await disk.readAtAsync(fd, start, end - start) : undefined;
  return Promise.all(
    lines.map(async ([id, { offset, length }]) => {
      const bytes = span?.subarray(offset - start, offset - start + length);
      return [id, (bytes ?? (await disk.readAtAsync(fd, offset, length))).toString('utf8')] as const;
    }),
  );
}
