import { nextTurn } from '../../slices.ts';
import { Feed } from '../index/feed.ts';
import { Listeners } from '../index/listeners.ts';
import type { EntryBody } from '../record/entry.ts';
import type { DescribeEntry } from '../record/feed.ts';
import { MemoryFeed } from './memory-feed.ts';

/** Entries of a project whose events are kept in memory. */
const entriesMax = 20_000;
/** Entries that are moved to where events are kept as text, at a time. */
const pendingMax = 1000;

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
      feed = new Feed({ describe: this.#describe, storage, head: { seq: 0, epoch: 0 } });
      this.#feeds.set(project, feed);
    }
    return feed;
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
