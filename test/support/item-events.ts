import { type EntryBody, fromEntryChange } from '../../src/store/record/entry.ts';
import type { EventChange, FeedPage, StoredEvent } from '../../src/store/record/feed.ts';
import { membersOf, type StoredRecord } from '../../src/store/record/record.ts';
import type { TestStore } from './plan-store.ts';

/** The fields of the test collections that events contain: short ones. */
const fields = ['title', 'name', 'status', 'owner', 'folder_id', 'parent_folder_id'];

const pick = (record: StoredRecord | undefined): Record<string, unknown> => {
  const members = record === undefined ? {} : membersOf(record);
  return Object.fromEntries(fields.flatMap((field) => (field in members ? [[field, members[field] ?? null]] : [])));
};

/** The events of the engine's own tests: each with all short fields of the record. */
export function describeItems(body: EntryBody): StoredEvent[] {
  return [...body.changes, ...(body.offline ?? [])].map((change) => {
    const { collection, id, from, to } = fromEntryChange(change);
    const what = change.to === undefined ? 'deleted' : from === undefined ? 'created' : 'updated';
    const changes: EventChange[] = Object.entries(pick(to)).map(([field, value]) => ({ field, to: value }));
    return { type: `${collection}.${what}`, resource: { type: collection, id, label: null }, changes };
  });
}

/** The short fields of all records of a project as its events give them. */
export class ItemFold {
  /** JSON of the fields by id. */
  #records = new Map<string, string>();
  #cursor: string | undefined;
  /** How often the cursor was expired, and the number of events. */
  expired = 0;
  events = 0;
  /** The ids of the records that were deleted by the events that were read last, whether they are there again or not. */
  readonly deleted = new Set<string>();

  /** Reads on, and returns the differences from the existing records. */
  compare(
    read: (cursor: string | undefined) => FeedPage | undefined,
    present: { readonly cursor: string; readonly records: Iterable<StoredRecord> },
  ): string[] {
    const now = new Map(Array.from(present.records, (record) => [record.id, JSON.stringify(pick(record))]));
    const faults: string[] = [];
    this.deleted.clear();
    for (;;) {
      const page = this.#cursor === undefined ? undefined : read(this.#cursor);
      if (page === undefined) {
        if (this.#cursor !== undefined) this.expired++;
        this.#records = now;
        this.#cursor = present.cursor;
        return [];
      }
      for (const { event } of page.events) faults.push(...this.#apply(event));
      this.#cursor = page.cursor;
      if (!page.more) break;
    }
    for (const [id, fold] of this.#records)
      if (now.get(id) !== fold) faults.push(`${id} is ${now.get(id)}, its events give ${fold}`);
    for (const id of now.keys()) if (!this.#records.has(id)) faults.push(`${id} has no event`);
    return faults;
  }

  #apply({ type, resource: { id }, changes }: StoredEvent): string[] {
    this.events++;
    const isKnown = this.#records.has(id);
    if (type.endsWith('.deleted')) {
      this.#records.delete(id);
      this.deleted.add(id);
      return isKnown ? [] : [`${id} is deleted, but unknown`];
    }
    this.#records.set(id, JSON.stringify(Object.fromEntries(changes.map(({ field, to }) => [field, to]))));
    return type.endsWith('.created') === isKnown ? [`${type} ${id}, which is ${isKnown ? 'known' : 'unknown'}`] : [];
  }
}

/**
 * The errors of a follower that knows only the events about the served records. Reads the events since the last call.
 */
export function faultsOf(store: TestStore, project: string, fold: ItemFold): Promise<readonly string[]> {
  return store.read(project, (view) => {
    const records = (['project', 'task', 'document', 'folder'] as const).flatMap((name): StoredRecord[] => [
      ...view.list(name),
    ]);
    const readEvents = (cursor: string | undefined): FeedPage | undefined =>
      view.events(cursor, { limit: 1000, accepts: () => true });
    return fold.compare(readEvents, { cursor: view.cursor!, records });
  });
}
