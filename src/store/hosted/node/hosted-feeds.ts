import { nextTurn } from '../../../base/slices.ts';
import type { FeedPoint } from '../../replica/feed-cursor.ts';
import { Feed } from '../../replica/feed.ts';
import { Listeners } from '../../replica/listeners.ts';
import type { EntryBody } from '../../record/entry.ts';
import type { DescribeEntry, EntryEvents } from '../../record/feed.ts';
import { MemoryFeed } from './memory-feed.ts';

/** Entries of a project whose events are kept in memory. */
const entriesMax = 20_000;
/** Entries that are moved to where events are kept as text, at a time. */
const pendingMax = 1000;

/** The events of a snapshot. */
interface SavedEvents {
  readonly after: FeedPoint;
  readonly entries: readonly EntryEvents[];
}

const nothing: SavedEvents = { after: { seq: 0, epoch: 0 }, entries: [] };

/** The feeds of all projects, derived from the entries of their logs: on every node the same. */
export class HostedFeeds {
  readonly #describe: DescribeEntry;
  readonly #feeds = new Map<string, Feed>();
  readonly #added = new Listeners();
  /** Projects whose events are being moved. */
  readonly #moving = new Set<string>();

  constructor(describe: DescribeEntry) {
    this.#describe = describe;
  }

  of(project: string): Feed {
    let feed = this.#feeds.get(project);
    if (feed === undefined) {
      const storage = new MemoryFeed(entriesMax);
      feed = new Feed({ describe: this.#describe, storage, head: nothing.after });
      this.#feeds.set(project, feed);
    }
    return feed;
  }

  /** Continues with the events of a snapshot; without them, before the first entry. Followers stay. */
  restart(project: string, events: SavedEvents = nothing): void {
    this.attach(project, this.detached(project, events));
  }

  /** A feed of the project that is not read yet. It continues with the events of a snapshot. */
  detached(project: string, { after, entries }: SavedEvents = nothing): Feed {
    const storage = new MemoryFeed(entriesMax);
    const { listeners } = this.of(project);
    const feed = new Feed({ describe: this.#describe, storage, head: after, listeners });
    for (const entry of entries) feed.restore(entry);
    return feed;
  }

  /** Continues with this feed. */
  attach(project: string, feed: Feed): void {
    this.#feeds.set(project, feed);
    feed.listeners.notify();
  }

  /** Drops the events of a project from memory. Events of later entries are added as before. */
  drop(project: string): void {
    const { head } = this.of(project);
    this.#feeds.set(project, this.detached(project, { after: head, entries: [] }));
  }

  /** Adds the next entry of a project's log, which is durable. */
  add(project: string, id: string, seq: number, body: EntryBody): void {
    const feed = this.of(project);
    feed.add(id, seq, body);
    if (feed.pending >= pendingMax) void this.#move(project, feed);
    this.#added.notify();
  }

  async #move(project: string, feed: Feed): Promise<void> {
    if (this.#moving.has(project)) return;
    this.#moving.add(project);
    await feed.write(nextTurn);
    this.#moving.delete(project);
  }

  /** Reports events that are in no feed. */
  notify(): void {
    this.#added.notify();
  }

  /** Calls the listener in a later turn when events were added to any feed. Returns the function that removes it. */
  onAdded(listener: () => void): () => void {
    return this.#added.add(listener);
  }

  /** Returns whether a caller follows the events of a project, or those of all. */
  hasFollowers(project: string): boolean {
    return this.#added.size > 0 || (this.#feeds.get(project)?.listeners.size ?? 0) > 0;
  }

  remove(project: string): void {
    this.#feeds.delete(project);
  }
}
