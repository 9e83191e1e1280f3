import { randomName } from '../../../base/ids.ts';
import { type Disk, errorCode } from '../disk/disk.ts';
import { withOpen } from '../disk/read-async.ts';
import { LookUps } from '../../record/look-ups.ts';
import { equal } from '../../record/plain.ts';
import { replaceFile } from '../disk/replace-file.ts';
import type { HistoryQuery, Revision, RevisionId, RevisionSummary } from '../../record/record.ts';
import { epochOf } from '../../replica/version.ts';
import { type RevisionIndex, isAsked, newestFirst } from '../../replica/revision-index.ts';

/** The location of a written revision: a line of a segment file. */
interface LineLocation {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** What memory holds of a revision: all but its values, and its location, or the revision itself until it is written. */
interface Reference {
  readonly at: string;
  readonly id: string;
  readonly target: string;
  readonly type: string;
  readonly author: string;
  readonly session: string | undefined;
  readonly fields: readonly string[];
  /** 32 bits of its outcome: a revision with another one need not be read to be compared. */
  readonly outcome: number;
  location: LineLocation | Revision;
}

function outcomeOf(after: string): number {
  return epochOf(after) | 0;
}

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

/**
 * The index of one project's history. Revisions are read from their segment files on demand. Equal ids are one
 * revision.
 */
export class HistoryIndex implements RevisionIndex {
  readonly #disk: Disk;
  readonly #lookUps: LookUps;
  readonly #byId = new Map<string, Reference>();
  readonly #byTarget = new Map<string, Reference[]>();
  /** Ids of the revisions in each segment file. */
  readonly #byFile = new Map<string, string[]>();
  /** Newest first; undefined after an insertion that is not the newest, until the order is read again. */
  #ordered: Reference[] | undefined;
  /** Counts the revisions that were added or removed without an entry. */
  #unjournaled = 0;
  readonly #name = randomName();
  readonly #waiting = new Map<string, WaitingRevision>();
  /** Those that are being written. */
  readonly #taken = new Map<string, WaitingRevision>();
  /** Equal lists of fields are in memory once. */
  readonly #fields = new Map<string, readonly string[]>();
  /** Segment files that end within a line or contain zeros: torn writes of a power failure. */
  readonly #torn = new Set<string>();

  constructor(disk: Disk, lookUps = new LookUps()) {
    this.#disk = disk;
    this.#lookUps = lookUps;
  }

  /**
   * Adds the lines of a segment file, in place of those that are known of it. Returns the numbers (from 1) of lines that
   * are not revisions; a torn last line is not counted, since the journal still has it.
   */
  addSegment(file: string): { readonly badLines: readonly number[]; readonly revisions: readonly Revision[] } {
    // If this fails, the lines that are known of the segment stay.
    const bytes = this.#disk.readIfExists(file);
    this.dropSegment(file);
    const badLines: number[] = [];
    const revisions: Revision[] = [];
    this.#torn.delete(file);
    if (bytes === undefined) return { badLines, revisions };
    if (bytes.at(-1) !== 10 || bytes.includes(0)) this.#torn.add(file);
    for (let offset = 0, line = 1; offset < bytes.length; line++) {
      const end = bytes.indexOf(10, offset);
      if (end === -1) break;
      const revision = parseRevision(bytes.toString('utf8', offset, end));
      if (revision === undefined) badLines.push(line);
      else {
        this.#unjournaled++;
        this.#remember(revision, { file, offset, length: end - offset });
        revisions.push(revision);
      }
      offset = end + 1;
    }
    return { badLines, revisions };
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
    for (const id of this.#byFile.get(file) ?? []) {
      this.#unjournaled++;
      const reference = this.#byId.get(id);
      if (reference !== undefined) this.#forget(reference);
    }
    this.#byFile.delete(file);
  }

  get version(): string {
    return this.#unjournaled === 0 ? '' : `${this.#name}${this.#unjournaled.toString(36)}`;
  }

  /** Adds a new revision, which the next checkpoint writes. `position` is undefined if it is not in the journal. */
  add(revision: Revision, local: boolean, position: number | undefined): void {
    if (this.#byId.has(revision.id)) return;
    if (position === undefined) this.#unjournaled++;
    this.#remember(revision, revision);
    this.#waiting.set(revision.id, { revision, local, position });
  }

  /** Removes a revision whose change did not become durable. */
  undo(id: string): void {
    const reference = this.#byId.get(id);
    if (reference !== undefined) this.#forget(reference);
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
      if (this.#byId.has(waiting.revision.id)) this.#waiting.set(waiting.revision.id, waiting);
    }
  }

  /** Records that the revision was written as a line at `offset`. */
  markWritten(id: string, place: LineLocation): void {
    this.#taken.delete(id);
    const reference = this.#byId.get(id);
    if (reference === undefined) return;
    reference.location = place;
    this.#inFile(place.file, id);
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** The segment file that contains a revision; undefined if the revision is not written yet, or unknown. */
  fileOf(id: string): string | undefined {
    const place = this.#byId.get(id)?.location;
    return place !== undefined && 'file' in place ? place.file : undefined;
  }

  /** The segment files that contain a record's revisions. */
  filesOf(target: string): ReadonlySet<string> {
    const files = new Set<string>();
    for (const { location } of this.#byTarget.get(target) ?? []) if ('file' in location) files.add(location.file);
    return files;
  }

  /** Times of a record's oldest and newest revision, without reading them. */
  span(target: string): { readonly oldest: string; readonly newest: string } | undefined {
    const references = this.#byTarget.get(target);
    if (references === undefined || references.length === 0) return undefined;
    let [oldest, newest] = [references[0]?.at ?? '', ''];
    for (const { at } of references) {
      if (at < oldest) oldest = at;
      if (at > newest) newest = at;
    }
    return { oldest, newest };
  }

  /** Returns true if one of the record's revisions has this state as its outcome. */
  hasOutcome(target: string, after: string): boolean {
    const outcome = outcomeOf(after);
    for (const reference of this.#byTarget.get(target) ?? [])
      if (reference.outcome === outcome && this.#readIfPossible(reference)?.after === after) return true;
    return false;
  }

  /** Returns true if each of these values is a former value in one of the record's revisions. */
  hasFormerValues(target: string, values: Readonly<Record<string, unknown>>): boolean {
    const revisions = (this.#byTarget.get(target) ?? []).map((reference) => this.#readIfPossible(reference)?.before);
    return Object.entries(values).every(([field, value]) =>
      revisions.some(
        (before) => before !== undefined && field in before && equal(before[field] ?? null, value ?? null),
      ),
    );
  }

  revision(id: string): Revision | undefined {
    const reference = this.#byId.get(id);
    return reference === undefined ? undefined : this.#read(reference);
  }

  /** Newest first, by (at, id). Each revision is read when the iterator reaches it. */
  *revisions(query: HistoryQuery = {}): IterableIterator<Revision> {
    const references = this.#references(query);
    for (const [at, reference] of references.entries()) {
      if (!isAsked(reference, query)) continue;
      const revision = this.#read(reference, () => following(references, at, query));
      if (revision !== undefined) yield revision;
    }
  }

  *summaries(query: HistoryQuery): IterableIterator<RevisionSummary> {
    for (const reference of this.#references(query)) {
      const { at, id, target, type: target_type, author, session, fields } = reference;
      if (!isAsked(reference, query)) continue;
      yield { at, id, target, target_type, author, ...(session !== undefined && { session }), fields };
    }
  }

  *ids(query: HistoryQuery = {}): IterableIterator<RevisionId> {
    for (const reference of this.#references(query)) {
      const { id, target, type } = reference;
      if (isAsked(reference, query)) yield { id, target, target_type: type };
    }
  }

  /** The same as they are now, some at a time, read as they are consumed. Does not block. */
  streamed(query: HistoryQuery = {}): AsyncIterableIterator<readonly Revision[]> {
    return this.#streamed(this.#references(query).filter((reference) => isAsked(reference, query)));
  }

  async *#streamed(references: readonly Reference[]): AsyncIterableIterator<readonly Revision[]> {
    for (let at = 0; at < references.length; at += readTogether) {
      // A revision that is written to its file meanwhile is taken from memory.
      const some = references.slice(at, at + readTogether).map(({ id, location }) => ({ id, location }));
      const found = new Map(await this.#load(some));
      yield some.flatMap(({ id, location }) => ('file' in location ? (found.get(keyOf(id)) ?? []) : location));
    }
  }

  #references({ target }: HistoryQuery): readonly Reference[] {
    return target === undefined ? this.#newestFirst() : [...(this.#byTarget.get(target) ?? [])].sort(newestFirst);
  }

  #newestFirst(): readonly Reference[] {
    this.#ordered ??= [...this.#byId.values()].sort(newestFirst);
    return this.#ordered;
  }

  #remember(revision: Revision, location: LineLocation | Revision): void {
    const { at, id, target, target_type: type, author, session } = revision;
    if (this.#byId.has(id)) return;
    const fields = this.#interned(revision.fields);
    const outcome = outcomeOf(revision.after);
    const reference: Reference = { at, id, target, type, author, session, fields, outcome, location };
    this.#byId.set(id, reference);
    this.#ordered = undefined;
    const list = this.#byTarget.get(target);
    if (list === undefined) this.#byTarget.set(target, [reference]);
    else list.push(reference);
    if ('file' in location) this.#inFile(location.file, id);
  }

  #interned(fields: readonly string[]): readonly string[] {
    const key = fields.join('\0');
    const known = this.#fields.get(key);
    if (known === undefined) this.#fields.set(key, fields);
    return known ?? fields;
  }

  #inFile(file: string, id: string): void {
    const ids = this.#byFile.get(file);
    if (ids === undefined) this.#byFile.set(file, [id]);
    else ids.push(id);
  }

  #forget(reference: Reference): void {
    this.#byId.delete(reference.id);
    this.#ordered = undefined;
    const list = (this.#byTarget.get(reference.target) ?? []).filter((one) => one !== reference);
    if (list.length === 0) this.#byTarget.delete(reference.target);
    else this.#byTarget.set(reference.target, list);
  }

  /** `ahead`: those that are probably read next. */
  /** Undefined also if the disk fails: one revision too many is better than an edit that is not applied. */
  #readIfPossible(reference: Reference): Revision | undefined {
    try {
      return this.#read(reference);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return undefined;
    }
  }

  #read(reference: Reference, ahead: () => readonly Reference[] = () => []): Revision | undefined {
    const { location } = reference;
    if (!('file' in location)) return location;
    return this.#lookUps.get(keyOf(reference.id), {
      now: () => {
        const bytes = this.#disk.readRange(location.file, location.offset, location.length);
        return bytes === undefined ? undefined : parseRevision(bytes.toString('utf8'));
      },
      later: () => this.#load([reference, ...ahead()]),
    });
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
        const revision = parseRevision(text);
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

/** The references behind a position that match. */
function following(references: readonly Reference[], at: number, query: HistoryQuery): readonly Reference[] {
  const found: Reference[] = [];
  for (let index = at + 1; index < references.length && found.length + 1 < readTogether; index++)
    if (isAsked(references[index]!, query)) found.push(references[index]!);
  return found;
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

/** Parses a line of a segment; undefined if it is not a revision: a file in a repository is untrusted input. */
export function parseRevision(line: string): Revision | undefined {
  try {
    const value = JSON.parse(line) as Partial<Revision> | null;
    if (value === null || typeof value !== 'object') return undefined;
    const { at, id, target, target_type, author, fields, before, after } = value;
    const texts = [at, id, target, target_type, author, after];
    if (!texts.every((text) => typeof text === 'string')) return undefined;
    if (!Array.isArray(fields) || !fields.every((field) => typeof field === 'string')) return undefined;
    if (typeof before !== 'object' || before === null) return undefined;
    return value as Revision;
  } catch {
    return undefined;
  }
}
