import type { Disk } from '../disk/disk.ts';
import { equal } from '../../record/plain.ts';
import { replaceFile } from '../disk/replace-file.ts';
import type { HistoryQuery, Revision } from '../../record/record.ts';
import type { RevisionIndex } from '../../index/revision-index.ts';

/** Where a written revision stands: a line of a segment file. */
interface Place {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** What is kept in memory of a revision: its order, and where to read it, or itself until it is written. */
interface Reference {
  readonly at: string;
  readonly id: string;
  readonly target: string;
  readonly type: string;
  readonly author: string;
  place: Place | Revision;
}

/** A revision that waits for its segment. `local` ones are those of edits on disk, whose record git keeps. */
export interface WaitingRevision {
  readonly revision: Revision;
  readonly local: boolean;
  /** Journal position of its entry: the journal is kept from there on until the revision is in a segment. */
  readonly position: number;
}

/** The history of one project: which revisions there are, read from their segment files when asked for. Equal ids are one. */
export class HistoryIndex implements RevisionIndex {
  readonly #disk: Disk;
  readonly #byId = new Map<string, Reference>();
  readonly #byTarget = new Map<string, Reference[]>();
  /** Ids of the revisions in each segment file. */
  readonly #byFile = new Map<string, string[]>();
  /** Newest first; undefined when something came that is not the newest, until it is asked for. */
  #ordered: Reference[] | undefined;
  /** Grows with every revision that comes or goes. */
  version = 0;
  readonly #waiting = new Map<string, WaitingRevision>();
  /** Segment files that end within a line or hold zeros, as a power cut leaves them. */
  readonly #torn = new Set<string>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Takes up the lines of a segment file. Answers the line numbers (from 1) that are no revision; a torn last line is not counted, the journal still has it. */
  addSegment(file: string): { readonly badLines: readonly number[]; readonly revisions: readonly Revision[] } {
    const bytes = this.#disk.readIfThere(file);
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
        this.#remember(revision, { file, offset, length: end - offset });
        revisions.push(revision);
      }
      offset = end + 1;
    }
    return { badLines, revisions };
  }

  /**
   * Takes out of a segment what a power cut left of lines that were not synced: the journal has those still. True where there was
   * something; the segment is to be taken up again then. `temporaryDirectory`: on the same file system.
   */
  mend(file: string, temporaryDirectory: string): boolean {
    if (!this.#torn.delete(file)) return false;
    const lines = this.#disk.read(file).toString().split('\n');
    const whole = lines.filter((line) => parseRevision(line) !== undefined || !(line === '' || line.includes('\0')));
    if (parseRevision(lines.at(-1) ?? '') === undefined && whole.at(-1) === lines.at(-1)) whole.pop();
    this.dropSegment(file);
    if (whole.length === 0) this.#disk.remove(file);
    else replaceFile(this.#disk, file, Buffer.from(`${whole.join('\n')}\n`), { temporaryDirectory });
    return true;
  }

  /** Forgets the lines of a segment that went (a checkout of another branch). */
  dropSegment(file: string): void {
    for (const id of this.#byFile.get(file) ?? []) {
      const reference = this.#byId.get(id);
      if (reference !== undefined) this.#forget(reference);
    }
    this.#byFile.delete(file);
  }

  /** A new revision, to be written with the next checkpoint. */
  add(revision: Revision, local: boolean, position: number): void {
    if (this.#byId.has(revision.id)) return;
    this.#remember(revision, revision);
    this.#waiting.set(revision.id, { revision, local, position });
  }

  /** Takes a revision back whose change did not become durable. */
  undo(id: string): void {
    const reference = this.#byId.get(id);
    if (reference !== undefined) this.#forget(reference);
    this.#waiting.delete(id);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** The revisions that wait to be written. */
  *waitingRevisions(): IterableIterator<Revision> {
    for (const { revision } of this.#waiting.values()) yield revision;
  }

  /** The oldest journal position that history still needs. */
  get oldestWaiting(): number {
    let oldest = Infinity;
    for (const { position } of this.#waiting.values()) if (position < oldest) oldest = position;
    return oldest;
  }

  /** Hands over what waits to be written and is durable in the journal, at most `most`; what could not be is given back by `putBack`. */
  takeWaiting(durablePosition: number, most: number): WaitingRevision[] {
    const taken: WaitingRevision[] = [];
    for (const waiting of this.#waiting.values()) {
      if (taken.length >= most) break;
      // What was found while no service ran was never journaled: it stands in the files themselves.
      if (waiting.position > durablePosition && waiting.position !== Infinity) continue;
      taken.push(waiting);
      this.#waiting.delete(waiting.revision.id);
    }
    return taken;
  }

  putBack(revisions: readonly WaitingRevision[]): void {
    for (const waiting of revisions)
      if (this.#byId.has(waiting.revision.id)) this.#waiting.set(waiting.revision.id, waiting);
  }

  /** The revision was written as a line at `offset`. */
  written(id: string, place: Place): void {
    const reference = this.#byId.get(id);
    if (reference === undefined) return;
    reference.place = place;
    this.#inFile(place.file, id);
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** The segment file that a revision stands in; undefined where it waits to be written, or is unknown. */
  fileOf(id: string): string | undefined {
    const place = this.#byId.get(id)?.place;
    return place !== undefined && 'file' in place ? place.file : undefined;
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

  /** True where one of the record's revisions names this state as its outcome. */
  names(target: string, after: string): boolean {
    return (this.#byTarget.get(target) ?? []).some((reference) => this.#read(reference)?.after === after);
  }

  /** True where each of these values stands in one of the record's revisions as one that it had. */
  remembers(target: string, values: Readonly<Record<string, unknown>>): boolean {
    const revisions = (this.#byTarget.get(target) ?? []).map((reference) => this.#read(reference)?.before);
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

  /** Newest first, by (at, id), each read when it is taken. */
  *revisions({ target, type, author, after }: HistoryQuery = {}): IterableIterator<Revision> {
    const references =
      target === undefined ? this.#newestFirst() : [...(this.#byTarget.get(target) ?? [])].sort(newestFirst);
    for (const reference of references) {
      if (
        (type !== undefined && reference.type !== type) ||
        (author !== undefined && reference.author !== author && !reference.author.startsWith(`${author}:`)) ||
        (after !== undefined && newestFirst(reference, after) <= 0)
      )
        continue;
      const revision = this.#read(reference);
      if (revision !== undefined) yield revision;
    }
  }

  #newestFirst(): readonly Reference[] {
    this.#ordered ??= [...this.#byId.values()].sort(newestFirst);
    return this.#ordered;
  }

  #remember(revision: Revision, place: Place | Revision): void {
    const { at, id, target, target_type: type, author } = revision;
    if (this.#byId.has(id)) return;
    const reference: Reference = { at, id, target, type, author, place };
    this.#byId.set(id, reference);
    this.#ordered = undefined;
    this.version++;
    const list = this.#byTarget.get(target);
    if (list === undefined) this.#byTarget.set(target, [reference]);
    else list.push(reference);
    if ('file' in place) this.#inFile(place.file, id);
  }

  #inFile(file: string, id: string): void {
    const ids = this.#byFile.get(file);
    if (ids === undefined) this.#byFile.set(file, [id]);
    else ids.push(id);
  }

  #forget(reference: Reference): void {
    this.#byId.delete(reference.id);
    this.#ordered = undefined;
    this.version++;
    const list = (this.#byTarget.get(reference.target) ?? []).filter((one) => one !== reference);
    if (list.length === 0) this.#byTarget.delete(reference.target);
    else this.#byTarget.set(reference.target, list);
  }

  #read({ place }: Reference): Revision | undefined {
    if (!('file' in place)) return place;
    const bytes = this.#disk.readRange(place.file, place.offset, place.length);
    return bytes === undefined ? undefined : parseRevision(bytes.toString('utf8'));
  }
}

function newestFirst(
  a: { readonly at: string; readonly id: string },
  b: { readonly at: string; readonly id: string },
): number {
  if (a.at !== b.at) return a.at < b.at ? 1 : -1;
  return a.id === b.id ? 0 : a.id < b.id ? 1 : -1;
}

/** A line of a segment, or undefined where it is none: a file in a repository is untrusted input. */
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
