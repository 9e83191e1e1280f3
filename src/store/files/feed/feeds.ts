import type { Clock } from '../../../base/clock.ts';
import { nextTurn } from '../../../base/slices.ts';
import { type FeedPoint, pointOf } from '../../replica/feed-cursor.ts';
import { Feed } from '../../replica/feed.ts';
import { Listeners } from '../../replica/listeners.ts';
import type { Append, Head } from '../../record/log.ts';
import type { EntryBody } from '../../record/entry.ts';
import type { DescribeEntry } from '../../record/feed.ts';
import type { Disk } from '../disk/disk.ts';
import type { KeptEntry } from '../journal/journal.ts';
import { type FeedBounds, FeedFiles } from './feed-files.ts';

export interface FeedsOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  /** `local/events` */
  readonly directory: string;
  readonly describe: DescribeEntry;
  readonly bounds: FeedBounds;
  readonly log: (message: string) => void;
}

/** The knowledge of an opening about a project's log. */
export interface OpenedLog {
  readonly head: Head;
  /** The entries that the journal still has, in order. */
  readonly entries: readonly KeptEntry<EntryBody>[];
  /** True if every change since the last entry is known. */
  readonly isKnown: boolean;
  /** The epoch of the versions of its collections, which names the state of a project without an entry. */
  readonly epoch: number;
}

/** A feed with this many entries in memory is written before the journal needs it. */
const pendingMax = 1000;

/** The feeds of all projects, kept in `local/events`. */
export class Feeds {
  readonly #options: FeedsOptions;
  readonly #feeds = new Map<string, Feed>();
  readonly #dirty = new Set<string>();
  /** The write in progress, which resolves even if it fails. */
  #writing: Promise<unknown> = Promise.resolve();
  #isScheduled = false;
  readonly #added = new Listeners();

  constructor(options: FeedsOptions) {
    this.#options = options;
  }

  of(project: string): Feed {
    let feed = this.#feeds.get(project);
    if (feed === undefined) {
      const { describe } = this.#options;
      const storage = this.#filesOf(project);
      // If a project with this id was deleted, the feed goes on as its log does.
      const head = storage.last === undefined ? { seq: 0, epoch: 0 } : pointOf(storage.last);
      feed = new Feed({ describe, storage, head });
      this.#feeds.set(project, feed);
    }
    return feed;
  }

  /**
   * Continues the feed of a project that is loaded. Returns false if the changes since its last entry are unknown: then
   * an entry with a gap has to be appended.
   */
  open(project: string, { head, entries, isKnown, epoch }: OpenedLog): boolean {
    const storage = this.#filesOf(project);
    const later = entriesUpTo(head, storage.last, entries);
    const first = later?.[0];
    let before: FeedPoint = head.seq === 0 ? { seq: 0, epoch } : pointOf(head);
    if (first !== undefined) before = pointOf({ seq: first.seq - 1, id: first.prevId });
    if (first?.seq === 1) before = { seq: 0, epoch: 0 };
    const hadEvents = storage.last !== undefined || head.seq > 0;
    if (later === undefined) storage.clear();
    else if (storage.last !== undefined) before = pointOf(storage.last);
    const listeners = this.#feeds.get(project)?.listeners;
    const feed = new Feed({ describe: this.#options.describe, storage, head: before, listeners });
    this.#feeds.set(project, feed);
    listeners?.notify();
    this.#added.notify();
    for (const { id, seq, body } of later ?? []) feed.add(id, seq, body);
    if (feed.pending > 0) this.#dirty.add(project);
    return isKnown || !hadEvents;
  }

  /** Adds an entry that became durable. */
  add({ project, after, id, body, large }: Append<EntryBody>): void {
    const feed = this.of(project);
    feed.add(id, after.seq + 1, body, large === false);
    this.#dirty.add(project);
    if (feed.pending >= pendingMax) this.#schedule();
    this.#added.notify();
  }

  /** Reports events that are in no feed. */
  notify(): void {
    this.#added.notify();
  }

  /** Calls the listener in a later turn when events were added to any feed. Returns the function that removes it. */
  onAdded(listener: () => void): () => void {
    return this.#added.add(listener);
  }

  /** The directory of a project, or all of `local/`, was removed. */
  lose(): void {
    for (const [project, feed] of this.#feeds) {
      feed.lose();
      this.#dirty.add(project);
    }
  }

  /** Resolves when the events of all durable entries are durable, too: the journal no longer needs the entries. */
  flush(): Promise<void> {
    return this.#exclusively(async () => {
      for (const project of [...this.#dirty]) {
        const feed = this.#feeds.get(project);
        this.#dirty.delete(project);
        try {
          await feed?.write(nextTurn);
          await feed?.sync();
        } catch (error) {
          this.#dirty.add(project);
          throw error;
        }
      }
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const write = async (): Promise<void> => {
      this.#isScheduled = false;
      for (const project of this.#dirty) {
        const feed = this.#feeds.get(project);
        if (feed !== undefined && feed.pending >= pendingMax / 2) await feed.write(nextTurn);
      }
    };
    this.#exclusively(write).catch((error: unknown) =>
      this.#options.log(`Events could not be written: ${(error as Error).message}`),
    );
  }

  async #exclusively(write: () => Promise<void>): Promise<void> {
    const done = this.#writing.then(write);
    this.#writing = done.catch(() => undefined);
    return done;
  }

  #filesOf(project: string): FeedFiles {
    const { disk, clock, directory, bounds } = this.#options;
    return new FeedFiles({ disk, clock, directory: `${directory}/${project}`, bounds });
  }
}

/** The entries after the stored ones up to the head; undefined if they do not continue them. */
function entriesUpTo(
  head: Head,
  stored: { readonly seq: number; readonly id: string } | undefined,
  entries: readonly KeptEntry<EntryBody>[],
): readonly KeptEntry<EntryBody>[] | undefined {
  const whole = entries.filter(({ carried }) => carried !== true);
  const later = stored === undefined ? whole : whole.filter(({ seq }) => seq > stored.seq);
  let last: Head | undefined = stored;
  for (const { seq, id, prevId } of later) {
    if (last !== undefined && (seq !== last.seq + 1 || (prevId !== null && prevId !== last.id))) return undefined;
    last = { seq, id };
  }
  if (last === undefined) return [];
  return last.seq === head.seq && (head.id === null || head.id === last.id) ? later : undefined;
}
