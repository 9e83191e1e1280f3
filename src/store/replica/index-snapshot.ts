import type { Link, StoredRecord } from '../record/record.ts';
import type { Table } from './table.ts';
import type { Incoming } from '../record/read-transaction.ts';

/** The part of the index that a snapshot reads. */
interface Index {
  table(collection: string): Pick<Table, 'get' | 'by' | 'hasKey'>;
  incoming(id: string): readonly Incoming[];
  outgoing(id: string): readonly Incoming[];
}

/**
 * The values that a change replaced. Entries form a forward-linked list and the index holds the last one: entries that
 * no snapshot has to read any more are garbage, without closing snapshots. (Weak references from the index to its
 * snapshots do not work: each change would dereference them, which keeps them alive, so under continuous changes they
 * are never collected.)
 */
export interface Replaced {
  readonly collection: string;
  readonly id: string;
  /** Undefined if the record was added. */
  readonly from: StoredRecord | undefined;
  /** The removed and added edges: how many others lead to their targets does not matter. */
  readonly removed: readonly Incoming[];
  readonly added: readonly Incoming[];
  next?: Replaced;
}

const none: readonly never[] = [];

/** The first entry of the list. */
export function nothingReplaced(): Replaced {
  return { collection: '', id: '', from: undefined, removed: none, added: none };
}

/**
 * A project's records and links at the time of its creation: changed ones are kept in their former state, everything
 * else is read from the index. The cost is proportional to the changes made while it is used.
 */
export class IndexSnapshot {
  readonly #index: Index;
  /** The last entry that was read. */
  #read: Replaced;
  /** The former records that have changed since, by id; undefined for a record that did not exist. */
  readonly #records = new Map<string, { readonly collection: string; readonly record: StoredRecord | undefined }>();
  /** The former links that were removed since, by target and by source, and the links that were added since. */
  readonly #removed = new Map<string, Map<Link, Incoming>>();
  readonly #removedFrom = new Map<string, Map<Link, Incoming>>();
  readonly #added = new Set<Link>();

  /** `latest`: the index's last entry. */
  constructor(index: Index, latest: Replaced) {
    this.#index = index;
    this.#read = latest;
  }

  get(collection: string, id: string): StoredRecord | undefined {
    this.#catchUp();
    const kept = this.#records.get(id);
    if (kept === undefined) return this.#index.table(collection).get(id);
    return kept.collection === collection ? kept.record : undefined;
  }

  /** Records with a key of a declared index, unordered. */
  by(collection: string, index: string, key: string): StoredRecord[] {
    this.#catchUp();
    const table = this.#index.table(collection);
    const found = table.by(index, key).filter(({ id }) => !this.#records.has(id));
    for (const kept of this.#records.values())
      if (kept.collection === collection && kept.record !== undefined && table.hasKey(index, key, kept.record))
        found.push(kept.record);
    return found;
  }

  incoming(id: string): readonly Incoming[] {
    this.#catchUp();
    return this.#former(this.#index.incoming(id), this.#removed.get(id));
  }

  outgoing(id: string): readonly Incoming[] {
    this.#catchUp();
    return this.#former(this.#index.outgoing(id), this.#removedFrom.get(id));
  }

  #former(present: readonly Incoming[], removed: ReadonlyMap<Link, Incoming> | undefined): readonly Incoming[] {
    if (removed === undefined && this.#added.size === 0) return present;
    return [...present.filter(({ link }) => !this.#added.has(link)), ...(removed?.values() ?? [])];
  }

  /** The records that changed since. */
  changed(): readonly { readonly id: string; readonly collection: string }[] {
    this.#catchUp();
    return Array.from(this.#records, ([id, { collection }]) => ({ id, collection }));
  }

  /** The record with this id at the time of the snapshot, if it changed since. */
  former(id: string): StoredRecord | undefined {
    return this.#records.get(id)?.record;
  }

  /**
   * Reads the entries since the last call: for a record or target that changed several times the first entry counts.
   */
  #catchUp(): void {
    for (let entry = this.#read.next; entry !== undefined; entry = entry.next) {
      const { collection, id } = entry;
      if (!this.#records.has(id)) this.#records.set(id, { collection, record: entry.from });
      for (const removed of entry.removed) if (!this.#added.delete(removed.link)) this.#keep(removed);
      // A link that returns is the former one.
      for (const { from, link } of entry.added) {
        if (this.#removed.get(link.to)?.delete(link) === true) this.#removedFrom.get(from)?.delete(link);
        else this.#added.add(link);
      }
      this.#read = entry;
    }
  }

  #keep(removed: Incoming): void {
    addTo(this.#removed, removed.link.to, removed);
    addTo(this.#removedFrom, removed.from, removed);
  }
}

function addTo(maps: Map<string, Map<Link, Incoming>>, key: string, edge: Incoming): void {
  const kept = maps.get(key);
  if (kept === undefined) maps.set(key, new Map([[edge.link, edge]]));
  else kept.set(edge.link, edge);
}
