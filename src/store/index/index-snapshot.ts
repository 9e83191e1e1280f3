import type { Change, StoredRecord } from '../record/record.ts';
import type { Table } from './table.ts';
import type { Incoming } from '../record/read-transaction.ts';

/** What a snapshot reads of the index. */
interface Index {
  table(collection: string): Pick<Table, 'get' | 'by' | 'hasKey'>;
  incoming(id: string): readonly Incoming[];
}

/**
 * What a change replaced. Entries are linked forwards only and the index holds the last one: those that no snapshot has yet to read are
 * garbage, without any snapshot being closed. (Weak references from the index to its snapshots do not do: each change would dereference
 * them, which keeps them alive, so that under continuous changes none is ever collected.)
 */
export interface Replaced {
  readonly collection: string;
  readonly id: string;
  /** Undefined if the record was added. */
  readonly from: StoredRecord | undefined;
  /** By target, the links to it before the change, if it changed them. */
  readonly incoming: readonly (readonly [target: string, links: readonly Incoming[]])[];
  next?: Replaced;
}

/** The entry for a change that is about to be applied. */
export function replacedBy({ collection, id, from, to }: Change, index: Index): Replaced {
  if (from?.links === to?.links) return { collection, id, from, incoming: [] };
  const targets = new Set([...(from?.links ?? []), ...(to?.links ?? [])].map((link) => link.to));
  return { collection, id, from, incoming: Array.from(targets, (target) => [target, index.incoming(target)]) };
}

/** An entry to begin with. */
export function nothingReplaced(): Replaced {
  return { collection: '', id: '', from: undefined, incoming: [] };
}

/**
 * A project's records and links as they were when it was made: what has changed since is kept as it was, everything else is read from the
 * index. Costs the changes made while it is used.
 */
export class IndexSnapshot {
  readonly #index: Index;
  /** The last entry that was read. */
  #read: Replaced;
  /** By id, of every record that has changed since; without a record where there was none. */
  readonly #records = new Map<string, { readonly collection: string; readonly record: StoredRecord | undefined }>();
  /** By target, of every link that has come or gone since. */
  readonly #incoming = new Map<string, readonly Incoming[]>();

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
    return this.#incoming.get(id) ?? this.#index.incoming(id);
  }

  /** Reads the entries since the last time: of a record or target that changed several times the first entry counts. */
  #catchUp(): void {
    for (let entry = this.#read.next; entry !== undefined; entry = entry.next) {
      const { collection, id, from } = entry;
      if (!this.#records.has(id)) this.#records.set(id, { collection, record: from });
      for (const [target, links] of entry.incoming) if (!this.#incoming.has(target)) this.#incoming.set(target, links);
      this.#read = entry;
    }
  }
}
