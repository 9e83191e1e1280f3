import { type FeedPoint, pointOf } from '../../replica/feed-cursor.ts';
import type { FeedStorage } from '../../replica/feed.ts';
import type { EncodedEntry, EntryEvents } from '../../record/feed.ts';

/**
 * The events of a project's last entries in memory. The log has all of them, so that each node derives the same events
 * with the same cursors; an older cursor has expired.
 */
export class MemoryFeed implements FeedStorage {
  readonly #entriesMax: number;
  #from: FeedPoint | undefined;
  #first = 0;
  #lines: { readonly id: string; readonly json: string }[] = [];

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  get from(): FeedPoint | undefined {
    return this.#from;
  }

  read(seq: number): readonly EntryEvents[] | undefined {
    const line = this.#lines[seq - this.#first];
    return line && [JSON.parse(line.json) as EntryEvents];
  }

  append(entries: readonly EncodedEntry[], after: FeedPoint): Promise<void> {
    const [first] = entries;
    if (this.#from === undefined && first !== undefined) {
      this.#from = after;
      this.#first = first.seq;
    }
    for (const { id, json } of entries) this.#lines.push({ id, json });
    this.#trim();
    return Promise.resolve();
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }

  clear(): void {
    this.#from = undefined;
    this.#lines = [];
  }

  #trim(): void {
    const surplus = this.#lines.length - this.#entriesMax;
    // It removes in larger steps, because removing from the front copies the rest.
    if (surplus < this.#entriesMax / 4) return;
    const last = this.#lines[surplus - 1]!;
    this.#from = pointOf({ seq: this.#first + surplus - 1, id: last.id });
    this.#lines.splice(0, surplus);
    this.#first += surplus;
  }
}
