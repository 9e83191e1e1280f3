import { nextTurn } from '../../slices.ts';
import type { FeedPoint } from '../index/feed-cursor.ts';
import { Feed } from '../index/feed.ts';
import { Listeners } from '../index/listeners.ts';
import type { EntryBody } from '../record/entry.ts';
import type { DescribeEntry, EntryEvents } from '../record/feed.ts';
import { MemoryFeed } from './memory-feed.ts';

/** Entries of a project whose events are kept in memory. */
const entriesMax = 20_000;
/** Entries that are moved to where events are kept as text, at a time. */
const pendingMax = 1000;

const nothing = { after: { seq: 0, epoch: 0 }, entries: [] };

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
  restart(
    project: string,
    { after, entries }: { readonly after: FeedPoint; readonly entries: readonly EntryEvents[] } = nothing,
  ): void {
    const storage = new MemoryFeed(entriesMax);
    const listeners = this.#feeds.get(project)?.listeners;
    const feed = new Feed({ describe: this.#describe, storage, head: after, listeners });
    for (const entry of entries) feed.restore(entry);
    this.#feeds.set(project, feed);
    feed.listeners.notify();
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

  /** There are events beside those of the feeds. */
  notify(): void {
    this.#added.notify();
  }

  /** Calls the listener in a later turn when events were added to any feed. Returns the function that removes it. */
  onAdded(listener: () => void): () => void {
    return this.#added.add(listener);
  }

  remove(project: string): void {
    this.#feeds.delete(project);
  }
}
