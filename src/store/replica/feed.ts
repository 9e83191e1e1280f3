import type { EntryBody } from '../record/entry.ts';
import type { DescribeEntry, EncodedEntry, EntryEvents, FeedEvent, FeedPage, FeedQuery } from '../record/feed.ts';
import type { Head } from '../record/log.ts';
import { described, hasTooMany } from './described-ahead.ts';
import { Listeners } from './listeners.ts';
import { type FeedPoint, type FeedPosition, formatFeedCursor, parseFeedCursor, pointOf } from './feed-cursor.ts';

/** Where a feed keeps its events when they leave memory. Entries are contiguous and ascend. */
export interface FeedStorage {
  /** The place before the first kept entry; undefined if nothing is kept. */
  readonly from: FeedPoint | undefined;
  /** Kept entries from a sequence on, at least one; undefined if the entry is not kept. */
  read(seq: number): readonly EntryEvents[] | undefined;
  /** Appends entries after the kept ones; `after` is the place before the first, if nothing is kept. */
  append(entries: readonly EncodedEntry[], after: FeedPoint): Promise<void>;
  /** Resolves when everything appended is durable. */
  sync(): Promise<void>;
  /** Removes everything. */
  clear(): void;
}

/**
 * An entry in memory. Its events are one text until they are read: under load thousands of entries wait to be
 * written, and the garbage collector would move each of their objects twice.
 */
interface Recent extends EncodedEntry {
  events: EntryEvents | undefined;
}

/** An entry that was added in this turn. */
interface Added {
  readonly id: string;
  readonly seq: number;
  readonly body: EntryBody;
}

/** The events of an entry with more changes are derived in its own turn; those of others after the answer to the call. */
const laterMax = 16;

/** Written entries that stay in memory for followers. */
const recentKept = 256;
/** Entries that one read looks at: a filter may reject all of them. */
const scannedMax = 5000;

export interface FeedOptions {
  readonly describe: DescribeEntry;
  readonly storage: FeedStorage;
  readonly head: FeedPoint;
  readonly listeners?: Listeners | undefined;
}

/**
 * The events of one project, in the order of its log. It is fed with durable entries, from this node and from others
 * alike, and derives their events.
 */
export class Feed {
  readonly #describe: DescribeEntry;
  readonly #storage: FeedStorage;
  /** The listeners of the project: they stay if its feed is opened again. */
  readonly listeners: Listeners;
  /** The place before the first entry in memory. */
  #before: FeedPoint;
  #head: FeedPoint;
  /** The entries in memory: all that are not in the storage yet, and the last stored ones. See `#entries`. */
  #recent: Recent[] = [];
  /** The last entries, whose events are not derived yet. */
  readonly #added: Added[] = [];
  #written: number;
  #isCleared = false;
  /** The last cursor that was asked for. */
  #last: (Head & { readonly cursor: string }) | undefined;

  /** Continues after the storage's last entry, which is `head`. */
  constructor({ describe, storage, head, listeners = new Listeners() }: FeedOptions) {
    this.listeners = listeners;
    this.#describe = describe;
    this.#storage = storage;
    this.#before = this.#head = head;
    this.#written = head.seq;
  }

  /** The last durable entry. */
  get head(): FeedPoint {
    return this.#head;
  }

  /** The place before the first entry that can be read. */
  get floor(): FeedPoint {
    return (this.#isCleared ? undefined : this.#storage.from) ?? this.#before;
  }

  /** The number of entries that are not in the storage yet. */
  get pending(): number {
    return this.#head.seq - this.#written;
  }

  /** The cursor after an entry, which may not be durable yet. */
  cursorAt({ seq, id }: Head): string {
    if (seq === 0) return formatFeedCursor({ seq, epoch: this.#zeroEpoch() });
    // Each answer about all projects has it.
    if (this.#last?.seq !== seq || this.#last.id !== id)
      this.#last = { seq, id, cursor: formatFeedCursor(pointOf({ seq, id })) };
    return this.#last.cursor;
  }

  /**
   * Adds a durable entry. The changes before an entry with `gap` are unknown, and an entry with too many events has no
   * events: earlier cursors cannot be continued. `isSmall`: it is known not to have too many.
   */
  add(id: string, seq: number, body: EntryBody, isSmall = false): void {
    const point = pointOf({ seq, id });
    const isGap = body.gap === true || seq !== this.#head.seq + 1;
    if (isGap || (!isSmall && seq > 1 && hasTooMany(body))) this.#restart(point);
    else {
      this.#head = point;
      this.#added.push({ id, seq, body });
      if (body.changes.length > laterMax) this.#describeAdded();
      else if (this.#added.length === 1) setImmediate(() => this.#describeAdded());
    }
    this.listeners.notify();
  }

  /** The entries in memory, with their events. */
  get #entries(): Recent[] {
    if (this.#added.length > 0) this.#describeAdded();
    return this.#recent;
  }

  #describeAdded(): void {
    for (const { id, seq, body } of this.#added.splice(0)) this.#recent.push(this.#encoded(id, seq, body));
  }

  /** The last entries in memory with at most this many events, and the place before the first of them. */
  latest(eventsMax: number): { readonly after: FeedPoint; readonly entries: readonly EncodedEntry[] } {
    const recent = this.#entries;
    let [from, left] = [recent.length, eventsMax];
    while (from > 0 && recent[from - 1]!.count <= left) left -= recent[--from]!.count;
    return { after: from === 0 ? this.#before : pointOf(recent[from - 1]!), entries: recent.slice(from) };
  }

  /** Adds the next entry as another replica of the same log has it. */
  restore(entry: EntryEvents): void {
    const { seq, id, at, events } = entry;
    if (seq !== this.#head.seq + 1) throw new Error(`The events of entry ${seq} do not follow ${this.#head.seq}.`);
    this.#head = pointOf(entry);
    this.#entries.push({ seq, id, at, count: events.length, json: JSON.stringify(entry), events: undefined });
  }

  /** Forgets all events: the storage was lost. */
  lose(): void {
    this.#restart(this.#head);
  }

  /** Calls the listener in a later turn when entries were added. Returns the function that removes it. */
  onAdded(listener: () => void): () => void {
    return this.listeners.add(listener);
  }

  /** The entry that a cursor names. Undefined if the cursor is too old or foreign, or names none. */
  entry(cursor: string): EntryEvents | undefined {
    const position = parseFeedCursor(cursor);
    if (position === undefined || position.seq === this.floor.seq || !this.#isKnown(position)) return undefined;
    return this.#entryAt(position.seq);
  }

  /** The events of a query at a cursor. Undefined if the cursor is too old or foreign. */
  read(cursor: string | undefined, query: FeedQuery): FeedPage | undefined {
    return query.isBackward === true ? this.#readBefore(cursor, query) : this.#readAfter(cursor, query);
  }

  #readAfter(cursor: string | undefined, query: FeedQuery): FeedPage | undefined {
    const position = cursor === undefined ? { ...this.floor, index: Infinity } : parseFeedCursor(cursor);
    if (position === undefined || !this.#isKnown(position)) return undefined;
    const found: FeedEvent[] = [];
    let [at, index]: [FeedPoint, number] = [position, position.index];
    let left = scannedMax;
    for (const entry of this.#entriesFrom(index === Infinity ? position.seq + 1 : position.seq)) {
      if (left-- === 0) return { events: found, cursor: formatFeedCursor(at, index), more: true };
      const isRest = entry.seq === position.seq;
      const cut = addEvents(found, entry, isRest ? position.index : 0, query);
      if (cut !== undefined) {
        const isUntouched = !isRest && cut === 0;
        const next = isUntouched ? [at, index] : [pointOf(entry), cut];
        [at, index] = next as [FeedPoint, number];
        return { events: found, cursor: formatFeedCursor(at, index), more: true };
      }
      [at, index] = [pointOf(entry), Infinity];
    }
    return { events: found, cursor: formatFeedCursor(at, index), more: false };
  }

  #readBefore(cursor: string | undefined, { limit, accepts }: FeedQuery): FeedPage | undefined {
    const position = cursor === undefined ? { ...this.#head, index: Infinity } : parseFeedCursor(cursor);
    if (position === undefined || !this.#isKnown(position)) return undefined;
    const { floor } = this;
    const found: FeedEvent[] = [];
    let { seq, index } = position;
    for (let left = scannedMax; seq > floor.seq && left > 0; left--) {
      const entry = this.#entryAt(seq);
      const [point, all] = [pointOf(entry), entry.events.length];
      while ((index = Math.min(index, all)) > 0) {
        const place = formatFeedCursor(point, index === all ? Infinity : index);
        const event = entry.events[index - 1]!;
        const isWanted = accepts(event);
        if (isWanted && found.length === limit) return { events: found.reverse(), cursor: place, more: true };
        if (isWanted) found.push({ cursor: place, entry, event });
        index--;
      }
      [seq, index] = [seq - 1, Infinity];
    }
    const more = seq > floor.seq;
    return { events: found.reverse(), cursor: formatFeedCursor(more ? pointOf(this.#entryAt(seq)) : floor), more };
  }

  /** Writes the entries that are not in the storage yet, in pieces; `turn` is awaited between them. */
  async write(turn: () => Promise<void>): Promise<void> {
    for (;;) {
      if (this.#isCleared) {
        this.#isCleared = false;
        this.#storage.clear();
      }
      const after = this.#written === this.#before.seq ? this.#before : this.#pointAt(this.#written);
      const unwritten = this.#entries.slice(this.#written - this.#before.seq, this.#written - this.#before.seq + piece);
      if (unwritten.length === 0) return;
      await this.#storage.append(unwritten, after);
      // A gap may have begun during the write: the next round clears the written entries.
      if (this.#isCleared) continue;
      this.#written = unwritten.at(-1)!.seq;
      this.#forgetWritten();
      await turn();
    }
  }

  sync(): Promise<void> {
    return this.#storage.sync();
  }

  #zeroEpoch(): number {
    const { floor } = this;
    return floor.seq === 0 ? floor.epoch : 0;
  }

  #restart(point: FeedPoint): void {
    this.#before = this.#head = point;
    this.#written = point.seq;
    this.#recent = [];
    this.#added.length = 0;
    this.#isCleared = true;
  }

  /** Returns whether the position names an entry that was not forgotten, or the place before the first of them. */
  #isKnown({ seq, epoch, index }: FeedPosition): boolean {
    const { floor } = this;
    if (seq === floor.seq) return epoch === floor.epoch && index === Infinity;
    if (seq < floor.seq || seq > this.#head.seq) return false;
    const entry = this.#entry(seq);
    return entry !== undefined && pointOf(entry).epoch === epoch && (index === Infinity || index <= entry.count);
  }

  #entry(seq: number): Pick<EncodedEntry, 'seq' | 'id' | 'count'> | undefined {
    const known = this.#entries[seq - this.#before.seq - 1];
    if (known !== undefined) return known;
    const kept = this.#isCleared ? undefined : this.#storage.read(seq)?.[0];
    return kept && { seq, id: kept.id, count: kept.events.length };
  }

  #pointAt(seq: number): FeedPoint {
    return pointOf(this.#entries[seq - this.#before.seq - 1]!);
  }

  #entryAt(seq: number): EntryEvents {
    for (const entry of this.#entriesFrom(seq)) return entry;
    throw new Error(`There is no entry ${seq}.`);
  }

  *#entriesFrom(first: number): Iterable<EntryEvents> {
    for (let seq = first; seq <= this.#head.seq;) {
      if (seq > this.#before.seq) {
        yield this.#eventsOf(this.#entries[seq - this.#before.seq - 1]!);
        seq++;
        continue;
      }
      const kept = this.#storage.read(seq);
      if (kept === undefined) throw new Error(`The events of entry ${seq} are missing.`);
      yield* kept;
      seq = kept.at(-1)!.seq + 1;
    }
  }

  #encoded(id: string, seq: number, body: EntryBody): Recent {
    const { at, author, source, via } = body;
    const { events, json } = described(this.#describe, hasTooMany(body) ? withoutRecords(body) : body);
    const head = { seq, id, at, author, source: via ?? source };
    // Followers read it immediately.
    const kept = this.listeners.size > 0 ? { ...head, events } : undefined;
    const whole = `${JSON.stringify(head).slice(0, -1)},"events":${json}}`;
    return { seq, id, at, count: events.length, json: whole, events: kept };
  }

  #eventsOf(recent: Recent): EntryEvents {
    return (recent.events ??= JSON.parse(recent.json) as EntryEvents);
  }

  #forgetWritten(): void {
    const forgotten = this.#written - this.#before.seq - recentKept;
    // It removes in larger steps, because removing from the front copies the rest.
    if (forgotten < recentKept) return;
    this.#before = this.#pointAt(this.#before.seq + forgotten);
    this.#recent.splice(0, forgotten);
  }
}

/** The first entry of a project with too many events keeps only the event of the project itself. */
function withoutRecords({ at, author, source, via, changes }: EntryBody): EntryBody {
  const project = changes.filter(({ c }) => c === 'project');
  return { at, author, source, ...(via && { via }), changes: project, revisions: [] };
}

/** The entries of one write. */
const piece = 512;

/**
 * Adds the events of an entry that the query accepts. Returns the index at which the page ends if they do not fit: at 0
 * no event was added.
 */
function addEvents(found: FeedEvent[], entry: EntryEvents, from: number, query: FeedQuery): number | undefined {
  const point = pointOf(entry);
  const accepted: FeedEvent[] = [];
  for (let index = from; index < entry.events.length; index++) {
    const event = entry.events[index]!;
    if (!query.accepts(event)) continue;
    if (found.length + accepted.length === query.limit) {
      // A change set that begins within the page is left to the next one, unless it would fill a page alone.
      if (found.length > 0) return from;
      found.push(...accepted);
      return index;
    }
    const isLast = index === entry.events.length - 1;
    accepted.push({ cursor: formatFeedCursor(point, isLast ? Infinity : index + 1), entry, event });
  }
  found.push(...accepted);
  return undefined;
}
