import { inSlices, piecesOf, type Steps } from '../../slices.ts';
import type { SavedChanges } from '../index/change-log.ts';
import type { FeedPoint } from '../index/feed-cursor.ts';
import { pointOf } from '../index/feed-cursor.ts';
import type { Feed } from '../index/feed.ts';
import type { LogTail } from '../index/log-tail.ts';
import type { Version } from '../index/version.ts';
import type { Head } from '../log.ts';
import type { EncodedEntry, EntryEvents } from '../record/feed.ts';
import { freezeParsed } from '../record/plain.ts';
import type { Revision, StoredRecord } from '../record/record.ts';
import type { HostedProject } from './hosted-project.ts';
import type { PlacedRecord, PlacedRecords } from './placed-records.ts';
import { compressed, linesIn } from './snapshot-parts.ts';
import { SnapshotError } from './snapshot-store.ts';

/**
 * The format of snapshots. A later release reads this one, too: entries below a snapshot may be gone. It says the same as
 * the entries do, so it changes with the version of their bodies.
 */
export const snapshotFormat = 1;

/** Changes of each collection that a snapshot has, for `since`: an older version is answered in full. */
const changesMax = 4096;
/** Events of the feed that it has: an older cursor has expired. */
const eventsMax = 4096;

/** The first line. */
interface Header {
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
type Line =
  | { readonly header: Header }
  | { readonly of: string; readonly record: StoredRecord }
  | { readonly of: string; readonly changes: SavedChanges }
  | { readonly revision: Revision }
  | { readonly of: string; readonly placed: StoredRecord }
  | { readonly events: EntryEvents }
  | { readonly lines: number };

/** The state of a log's replica at one moment, to be written while the replica changes. */
export interface CapturedLog {
  readonly log: string;
  readonly head: Head;
  /** To be read once. */
  readonly lines: Iterator<string>;
}

/** What a snapshot has beside the project itself. */
export interface RestoredLog {
  readonly head: Head;
  readonly at: string | undefined;
  readonly placed: readonly PlacedRecord[];
  readonly feed: { readonly after: FeedPoint; readonly entries: readonly EntryEvents[] };
}

/**
 * The present state of a project. No change of it may be in progress. The records are referenced, not copied: they are
 * never changed.
 */
export function capturedProject(project: HostedProject, { feed, now }: { feed?: Feed; now: string }): CapturedLog {
  const { index, replica, placed, entryBytes } = project;
  const { confirmed: head, at } = replica.tail;
  const records = Array.from(index.tables(), (table) => [table.name, [...table.values()]] as const);
  const { history, collections } = index.versions.savedChanges(changesMax);
  // A feed is behind while its events are restored, never otherwise.
  const isWhole = feed !== undefined && feed.head.seq === head.seq;
  const { after, entries } = isWhole ? feed.latest(eventsMax) : { after: pointOf(head), entries: [] };
  const header = { log: project.id, head, at, entry_bytes: entryBytes, history, after };
  const services = placed.present(now);
  const revisions = replica.history.size;
  return {
    ...{ log: project.id, head },
    lines: encoded(
      (function* (): Generator<Line | EncodedEntry> {
        yield { header };
        for (const [of, all] of records) for (const record of all) yield { of, record };
        for (const [of, changes] of collections) yield { of, changes };
        for (const revision of replica.history.oldest(revisions)) yield { revision };
        yield* placedLines(services);
        yield* entries;
      })(),
    ),
  };
}

/** The same of the service's log, of which no change may be in progress either. */
export function capturedService(
  { project: log, confirmed: head, at }: LogTail,
  placed: PlacedRecords,
  now: string,
): CapturedLog {
  const header = { log, head, at, entry_bytes: 0, history: { order: 0, epoch: 0 }, after: pointOf(head) };
  const services = placed.present(now);
  return {
    ...{ log, head },
    lines: encoded(
      (function* (): Generator<Line> {
        yield { header };
        yield* placedLines(services);
      })(),
    ),
  };
}

function* placedLines(services: readonly PlacedRecord[]): Generator<Line> {
  for (const { collection: of, record: placed } of services) yield { of, placed };
}

function* encoded(lines: Iterable<Line | EncodedEntry>): Generator<string, void> {
  let count = 0;
  for (const line of lines) {
    count++;
    yield 'json' in line ? `{"events":${line.json}}\n` : `${JSON.stringify(line)}\n`;
  }
  yield `${JSON.stringify({ lines: count } satisfies Line)}\n`;
}

/** The bytes of a snapshot in parts, made in slices. */
export function snapshotParts({ log, lines }: CapturedLog): AsyncGenerator<Uint8Array> {
  return compressed(piecesOf('snapshot', lines as Generator<string, void>, log));
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

class SnapshotReader {
  readonly #log: string;
  readonly #head: Head;
  readonly #project: HostedProject | undefined;
  #header: Header | undefined;
  #count = 0;
  #isComplete = false;
  readonly #placed: PlacedRecord[] = [];
  readonly #entries: EntryEvents[] = [];

  constructor(log: string, head: Head, project: HostedProject | undefined) {
    this.#log = log;
    this.#head = head;
    this.#project = project;
  }

  *read(lines: readonly string[]): Steps<void> {
    for (const text of lines) {
      this.#add(parsed(text));
      yield;
    }
  }

  restored(): RestoredLog {
    if (this.#header === undefined || !this.#isComplete) throw new SnapshotError('it is incomplete');
    const { head, at, after } = this.#header;
    return { head, at, placed: this.#placed, feed: { after, entries: this.#entries } };
  }

  #add(line: Line): void {
    if (this.#isComplete) throw new SnapshotError('it continues behind its end');
    if ('lines' in line) this.#isComplete = this.#isEnd(line.lines);
    else if ('header' in line) this.#begin(line.header);
    else if ('placed' in line) this.#place(line.of, line.placed);
    else if ('events' in line) this.#entries.push(line.events);
    else this.#addToProject(line);
    this.#count++;
  }

  #isEnd(lines: number): true {
    if (lines !== this.#count) throw new SnapshotError(`it has ${this.#count} lines instead of ${lines}`);
    return true;
  }

  #begin(header: Header): void {
    const { log, head, at, entry_bytes, history } = header;
    if (log !== this.#log || head.seq !== this.#head.seq || head.id !== this.#head.id)
      throw new SnapshotError(`it is of entry ${head.seq} (${head.id}) of ${log}`);
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

  #addToProject(
    line: Exclude<Line, { header: Header } | { placed: StoredRecord } | { events: EntryEvents } | { lines: number }>,
  ): void {
    if (this.#project === undefined) throw new SnapshotError('it has records of a project');
    const { index, replica } = this.#project;
    if ('record' in line) {
      freezeParsed(line.record);
      index.apply({ collection: line.of, id: line.record.id, from: undefined, to: line.record });
    } else if ('changes' in line) index.versions.restoreChanges(line.of, line.changes);
    else replica.history.add(line.revision);
  }
}

function parsed(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch (error) {
    throw new SnapshotError(`it does not parse: ${(error as Error).message}`);
  }
}
