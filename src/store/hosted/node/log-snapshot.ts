import { inSlices, piecesOf, type Steps } from '../../../base/slices.ts';
import type { SavedChanges } from '../../replica/change-log.ts';
import type { FeedPoint } from '../../replica/feed-cursor.ts';
import { pointOf } from '../../replica/feed-cursor.ts';
import type { Feed } from '../../replica/feed.ts';
import type { LogTail } from '../../replica/log-tail.ts';
import type { Version } from '../../replica/version.ts';
import type { Head } from '../../record/log.ts';
import type { EncodedEntry, EntryEvents } from '../../record/feed.ts';
import { freezeParsed } from '../../record/plain.ts';
import type { Revision, RevisionSummary, StoredRecord } from '../../record/record.ts';
import { withReferences } from '../../record/text-reference.ts';
import type { ColdProject } from './cold-project.ts';
import { HostedProject } from './hosted-project.ts';
import type { NodeProject } from './node-projects.ts';
import type { PlacedRecord, PlacedRecords } from './placed-records.ts';
import { compressed, linesIn } from './snapshot-parts.ts';
import { SnapshotError, type Summary } from '../storage/snapshot-store.ts';

/**
 * The format of snapshots. A later release reads the present format, too, as this release reads all earlier ones:
 * entries below a snapshot may be gone. 1: without a summary. 2: without references to large texts.
 */
export const snapshotFormat = 3;

/** Changes of each collection that a snapshot has, for `since`: an older version is answered in full. */
const changesMax = 4096;
/** Events of the feed that it has: an older cursor has expired. */
const eventsMax = 4096;

/** The first line. */
export interface Header {
  readonly log: string;
  readonly head: Head;
  /** The time of that entry. */
  readonly at: string | undefined;
  readonly entry_bytes: number;
  readonly history: Version;
  /** The place before the first event that it has. */
  readonly after: FeedPoint;
}

/** A line of a snapshot: the header, one of its parts, or the number of lines before the last one. */
export type Line =
  | { readonly header: Header }
  | { readonly of: string; readonly record: StoredRecord }
  | { readonly of: string; readonly changes: SavedChanges }
  | { readonly revision: Revision | RevisionSummary }
  | { readonly of: string; readonly placed: StoredRecord }
  | { readonly events: EntryEvents }
  /** Some ids without the project's code. */
  | { readonly foreign: readonly string[] }
  /** The number of lines before this one: a cold project consists of these. */
  | { readonly summary: number }
  | { readonly lines: number };

/** The state of a log's replica at one moment, to be written while the replica changes. */
export interface CapturedLog {
  readonly log: string;
  readonly head: Head;
  /** The lines of a cold project, and the rest. They can be read once, in this order. */
  readonly lines: readonly [summary: Iterable<string>, rest: Iterable<string>];
}

/** The parts of a snapshot besides the project itself. */
export interface RestoredLog {
  readonly head: Head;
  readonly at: string | undefined;
  readonly placed: readonly PlacedRecord[];
  readonly feed: { readonly after: FeedPoint; readonly entries: readonly EntryEvents[] };
  /** The size of its lines, in characters. */
  readonly characters: number;
}

/**
 * The present state of a project. No change of it may be in progress. The records are referenced, not copied: they are
 * never changed.
 */
export function capturedProject(project: HostedProject, { feed, now }: { feed?: Feed; now: string }): CapturedLog {
  const { index, replica, placed, entryBytes } = project;
  const { confirmed: head, at } = replica.tail;
  const records = Array.from(index.tables(), (table) => [table.name, [...table.values()]] as const);
  const own = index.find(project.id);
  const foreign = [...project.foreign.values()];
  const { history, collections } = index.versions.savedChanges(changesMax);
  // A feed is incomplete while its events are restored, never otherwise.
  const isWhole = feed !== undefined && feed.head.seq === head.seq;
  const { after, entries } = isWhole ? feed.latest(eventsMax) : { after: pointOf(head), entries: [] };
  const header = { log: project.id, head, at, entry_bytes: entryBytes, history, after };
  const services = placed.present(now);
  const revisions = replica.history.size;
  return {
    ...{ log: project.id, head },
    lines: encoded(
      summaryLines(header, { foreign, placed: services, own }),
      (function* (): Generator<Line | EncodedEntry> {
        for (const [of, all] of records)
          for (const record of all) if (record !== own?.record) yield { of, record: withReferences(record) };
        for (const [of, changes] of collections) yield { of, changes };
        for (const revision of replica.history.oldest(revisions)) yield { revision };
        yield* entries;
      })(),
    ),
  };
}

const idsInLine = 1000;

/** What a cold project consists of, as a snapshot begins with it. No change of the project may be in progress. */
export function summaryOf(project: NodeProject, now: string): Summary {
  const { id: log, entryBytes, placed, replica } = project;
  const { confirmed: head, at } = replica.tail;
  const own = project instanceof HostedProject ? project.index.find(log) : project.own;
  const header = { log, head, at, entry_bytes: entryBytes, history: { order: 0, epoch: 0 }, after: pointOf(head) };
  const lines = summaryLines(header, { foreign: [...project.foreign.values()], placed: placed.present(now), own });
  const [text] = encoded(lines, []);
  return { log, head, text: [...text].join('') };
}

function* summaryLines(
  header: Header,
  {
    foreign,
    placed,
    own,
  }: {
    readonly foreign: readonly string[];
    readonly placed: readonly PlacedRecord[];
    readonly own: ColdProject['own'];
  },
): Generator<Line> {
  yield { header };
  for (let from = 0; from < foreign.length; from += idsInLine) yield { foreign: foreign.slice(from, from + idsInLine) };
  yield* placedLines(placed);
  if (own !== undefined) yield { of: own.collection, record: withReferences(own.record) };
}

/** Captures the service's log, of which no change may be in progress either. */
export function capturedService(
  { project: log, confirmed: head, at }: LogTail,
  placed: PlacedRecords,
  now: string,
): CapturedLog {
  const header = { log, head, at, entry_bytes: 0, history: { order: 0, epoch: 0 }, after: pointOf(head) };
  const services = placed.present(now);
  return {
    ...{ log, head },
    lines: encoded([{ header }], placedLines(services)),
  };
}

function* placedLines(services: readonly PlacedRecord[]): Generator<Line> {
  for (const { collection: of, record: placed } of services) yield { of, placed };
}

function encoded(summary: Iterable<Line>, rest: Iterable<Line | EncodedEntry>): CapturedLog['lines'] {
  let count = 0;
  const encode = function* (lines: Iterable<Line | EncodedEntry>, last: () => Line): Generator<string, void> {
    for (const line of lines) {
      count++;
      yield 'json' in line ? `{"events":${line.json}}\n` : `${JSON.stringify(line)}\n`;
    }
    const end = last();
    count++;
    yield `${JSON.stringify(end)}\n`;
  };
  return [encode(summary, () => ({ summary: count })), encode(rest, () => ({ lines: count }))];
}

/** The bytes of a snapshot in parts, made in slices. The summary can be read without the rest. */
export function snapshotParts({ log, lines }: CapturedLog): AsyncGenerator<Uint8Array> {
  return compressed(lines.map((some) => piecesOf('snapshot', some as Generator<string, void>, log)));
}

/**
 * Reads a snapshot, in slices: the project into an empty one, which is in an undefined state if this rejects. Without one
 * a snapshot of the service's log. Rejects with `SnapshotError` if it is not as it was written.
 */
export async function readSnapshot(
  { log, head, parts }: { readonly log: string; readonly head: Head; readonly parts: AsyncIterable<Uint8Array> },
  project?: HostedProject,
): Promise<RestoredLog> {
  const reader = new SnapshotReader(log, head, project);
  for await (const lines of linesIn(parts)) await inSlices('cold load', reader.read(lines), { project: log });
  return reader.restored();
}

export function requireHeader({ log, head: { seq, id } }: Header, name: string, head: Head): void {
  if (log !== name || seq !== head.seq || id !== head.id)
    throw new SnapshotError(`it is of entry ${seq} (${id}) of ${log}`);
}

export function requireCount(lines: number, count: number): void {
  if (lines !== count) throw new SnapshotError(`it has ${count} lines instead of ${lines}`);
}

class SnapshotReader {
  readonly #log: string;
  readonly #head: Head;
  readonly #project: HostedProject | undefined;
  #header: Header | undefined;
  #count = 0;
  #characters = 0;
  #isComplete = false;
  #hasSummary = false;
  readonly #placed: PlacedRecord[] = [];
  readonly #entries: EntryEvents[] = [];

  constructor(log: string, head: Head, project: HostedProject | undefined) {
    this.#log = log;
    this.#head = head;
    this.#project = project;
  }

  *read(lines: readonly string[]): Steps<void> {
    for (const text of lines) {
      this.#characters += text.length;
      this.#add(parsedLine(text));
      yield;
    }
  }

  restored(): RestoredLog {
    if (this.#header === undefined || !this.#isComplete) throw new SnapshotError('it is incomplete');
    const { head, at, after } = this.#header;
    const feed = { after, entries: this.#entries };
    return { head, at, placed: this.#placed, feed, characters: this.#characters };
  }

  #add(line: Line): void {
    if (this.#isComplete) throw new SnapshotError('it continues behind its end');
    if ('lines' in line) this.#end(line.lines);
    else if ('summary' in line) {
      requireCount(line.summary, this.#count);
      this.#hasSummary = true;
    } else if ('foreign' in line) for (const id of line.foreign) this.#project?.foreign.add(id);
    else if ('header' in line) this.#begin(line.header);
    else if ('placed' in line) this.#place(line.of, line.placed);
    else if ('events' in line) this.#entries.push(line.events);
    else this.#addToProject(line);
    this.#count++;
  }

  #end(lines: number): void {
    requireCount(lines, this.#count);
    this.#isComplete = true;
  }

  #begin(header: Header): void {
    requireHeader(header, this.#log, this.#head);
    const { head, at, entry_bytes, history } = header;
    this.#header = header;
    if (this.#project === undefined) return;
    this.#project.entryBytes = entry_bytes;
    this.#project.index.versions.restoreHistory(history);
    this.#project.replica.tail.continueAfter(head, at);
  }

  #place(collection: string, record: StoredRecord): void {
    freezeParsed(record);
    this.#placed.push({ collection, record });
  }

  #addToProject(line: Extract<Line, { record: unknown } | { changes: unknown } | { revision: unknown }>): void {
    if (this.#project === undefined) throw new SnapshotError('it has records of a project');
    const { index, replica, foreign } = this.#project;
    if ('record' in line) {
      const record = this.#project.withLazyTexts(line.of, line.record);
      if (record === line.record) freezeParsed(record);
      if (!this.#hasSummary) foreign.addRecord(record);
      index.apply({ collection: line.of, id: record.id, from: undefined, to: record });
    } else if ('changes' in line) index.versions.restoreChanges(line.of, line.changes);
    else {
      // The checksum of a damaged snapshot is read later than its lines.
      if (!('revision' in line)) throw new SnapshotError('it has a line of no kind');
      if (!this.#hasSummary) foreign.add(line.revision.id);
      replica.history.add(line.revision);
    }
  }
}

export function parsedLine(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch (error) {
    throw new SnapshotError(`it does not parse: ${(error as Error).message}`);
  }
}
