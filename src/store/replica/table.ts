import { ChangeLog } from './change-log.ts';
import { SortedList } from '../record/sorted-list.ts';
import { membersOf, type StoredRecord } from '../record/record.ts';

/** The field with the key of a record, or a function of the record. */
type KeyOf = string | ((record: never) => string | readonly string[] | undefined);

/** The part of a collection's declaration that a table needs. */
export interface TableSpec {
  readonly name: string;
  readonly indexes?: Readonly<Record<string, KeyOf>>;
  /** Records with attachments: the field that has their size. */
  readonly bytes?: { readonly size: string };
}

/** An equality index: the ids of the records with each key. */
interface TableIndex {
  readonly keyOf: KeyOf;
  readonly ids: Map<string, Set<string>>;
}

interface Position {
  readonly created_at: string;
  readonly id: string;
}

/** The order of every list: created_at, then id. */
export function byCreation(a: Position, b: Position): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

/** One collection of one project in memory: records by id, in creation order, and by its declared equality indexes. */
export class Table {
  readonly name: string;
  /** Sizes of the attachments of all records. */
  attachedBytes = 0;
  /** Added to by the project's versions. */
  readonly log = new ChangeLog();
  readonly #records = new Map<string, StoredRecord>();
  readonly #indexes: ReadonlyMap<string, TableIndex>;
  readonly #size: string | undefined;
  /** Built at the first listing, so that loading a root sorts once instead of inserting one by one. */
  #order: SortedList<Position> | undefined;

  constructor(spec: TableSpec) {
    this.name = spec.name;
    this.#size = spec.bytes?.size;
    const indexes = Object.entries(spec.indexes ?? {});
    this.#indexes = new Map(indexes.map(([name, keyOf]) => [name, { keyOf, ids: new Map() }]));
  }

  get size(): number {
    return this.#records.size;
  }

  get(id: string): StoredRecord | undefined {
    return this.#records.get(id);
  }

  values(): IterableIterator<StoredRecord> {
    return this.#records.values();
  }

  /**
   * Replaces `from` by `to`; an undefined `from` adds, an undefined `to` removes. `fields`: those in which they differ, if
   * they were compared.
   */
  replace(id: string, from: StoredRecord | undefined, to: StoredRecord | undefined, fields?: readonly string[]): void {
    if (to === undefined) this.#records.delete(id);
    else this.#records.set(id, to);
    if (this.#size !== undefined) this.attachedBytes += numberIn(to, this.#size) - numberIn(from, this.#size);
    for (const { keyOf, ids } of this.#indexes.values())
      if (fields === undefined || typeof keyOf !== 'string' || fields.includes(keyOf))
        reindex(ids, id, keysOf(keyOf, from), keysOf(keyOf, to));
    if (this.#order !== undefined && from?.created_at !== to?.created_at) {
      if (from !== undefined) this.#order.delete(positionOf(from));
      if (to !== undefined) this.#order.add(positionOf(to));
    }
  }

  /** Replaces a record by an equal one (with its large text evicted), without counting as a change. */
  substitute(id: string, record: StoredRecord): void {
    this.#records.set(id, record);
  }

  *list(after?: Position): IterableIterator<StoredRecord> {
    this.#order ??= SortedList.from([...this.#records.values()].map(positionOf).sort(byCreation), byCreation);
    for (const position of this.#order.values(after)) {
      const record = this.#records.get(position.id);
      if (record !== undefined) yield record;
    }
  }

  by(index: string, key: string): StoredRecord[] {
    const found: StoredRecord[] = [];
    for (const id of this.#index(index).ids.get(key) ?? none) {
      const record = this.#records.get(id);
      if (record !== undefined) found.push(record);
    }
    return found;
  }

  /** Returns whether a record, of this table or not, has the key. */
  hasKey(index: string, key: string, record: StoredRecord): boolean {
    return keysOf(this.#index(index).keyOf, record).includes(key);
  }

  countBy(index: string, key: string): number {
    return this.#index(index).ids.get(key)?.size ?? 0;
  }

  keys(index: string): IterableIterator<string> {
    return this.#index(index).ids.keys();
  }

  #index(name: string): TableIndex {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new Error(`The collection ${this.name} declares no index ${name}.`);
    return index;
  }
}

/** The order contains only positions: records change, their positions do not. */
function positionOf(record: StoredRecord): Position {
  return { created_at: record.created_at, id: record.id };
}

function numberIn(record: StoredRecord | undefined, field: string): number {
  const value = record === undefined ? undefined : membersOf(record)[field];
  return typeof value === 'number' ? value : 0;
}

const none: readonly string[] = [];

function keysOf(keyOf: KeyOf, record: StoredRecord | undefined): readonly string[] {
  if (record === undefined) return none;
  const keys =
    typeof keyOf === 'string' ? ((membersOf(record)[keyOf] as string | null) ?? undefined) : keyOf(record as never);
  return keys === undefined ? none : typeof keys === 'string' ? [keys] : keys;
}

function reindex(ids: Map<string, Set<string>>, id: string, before: readonly string[], after: readonly string[]): void {
  for (const key of before) {
    if (after.includes(key)) continue;
    const set = ids.get(key);
    set?.delete(id);
    if (set?.size === 0) ids.delete(key);
  }
  for (const key of after) {
    const set = ids.get(key);
    if (set === undefined) ids.set(key, new Set([id]));
    else set.add(id);
  }
}
