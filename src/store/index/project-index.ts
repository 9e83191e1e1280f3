import { eachInSteps, type Steps } from '../../slices.ts';
import { IndexSnapshot, nothingReplaced, replacedBy } from './index-snapshot.ts';
import { Table, type TableSpec } from './table.ts';
import { Versions } from './versions.ts';
import type { Change, Link, StoredRecord } from '../record/record.ts';
import type { DerivedIndex, Incoming, RecordProblem } from '../record/read-transaction.ts';

/**
 * A project in memory: its tables, the links by target, and the domain's derived indexes. Every change goes through
 * `apply`: transactions, rollbacks, recovery and external edits.
 */
export class ProjectIndex {
  readonly versions: Versions;
  readonly #tables: ReadonlyMap<string, Table>;
  /** The collection of each id: ids are unique in a project. */
  readonly #collections = new Map<string, string>();
  /** By target id; the targets need not exist. */
  readonly #incoming = new Map<string, Map<Link, Incoming>>();
  /** Every edge by its id. */
  readonly #edges = new Map<string, Incoming>();
  readonly #derived = new Map<string, DerivedIndex>();
  /** The last of the entries that snapshots read. */
  #replaced = nothingReplaced();
  /** The number of snapshots that are not garbage-collected; without one no entries are created. */
  #snapshots = 0;
  readonly #collected = new FinalizationRegistry(() => this.#snapshots--);

  constructor(specs: readonly TableSpec[]) {
    this.#tables = new Map(specs.map((spec) => [spec.name, new Table(spec)]));
    this.versions = new Versions(this.#tables);
  }

  /** Adds a derived index and passes all existing records to it. */
  derive(name: string, index: DerivedIndex): void {
    for (const table of this.#tables.values())
      for (const record of table.values()) index.changed(table.name, undefined, record);
    this.#derived.set(name, index);
  }

  /** The same in steps. Nothing may change meanwhile. */
  *deriveInSteps(name: string, index: DerivedIndex): Steps<void> {
    for (const table of this.#tables.values())
      yield* eachInSteps(table.values(), (record) => index.changed(table.name, undefined, record));
    this.#derived.set(name, index);
  }

  derived(name: string): DerivedIndex {
    const index = this.#derived.get(name);
    if (index === undefined) throw new Error(`No derived index is registered as ${name}.`);
    return index;
  }

  /** Problems found by the derived indexes. */
  *problems(): Iterable<RecordProblem> {
    for (const index of this.#derived.values()) yield* index.problems?.() ?? [];
  }

  table(collection: string): Table {
    const table = this.#tables.get(collection);
    if (table === undefined) throw new Error(`There is no collection ${collection}.`);
    return table;
  }

  tables(): IterableIterator<Table> {
    return this.#tables.values();
  }

  get recordCount(): number {
    let count = 0;
    for (const table of this.#tables.values()) count += table.size;
    return count;
  }

  /** Sizes of all attachments. */
  get attachedBytes(): number {
    let bytes = 0;
    for (const table of this.#tables.values()) bytes += table.attachedBytes;
    return bytes;
  }

  collectionOf(id: string): string | undefined {
    return this.#collections.get(id);
  }

  record(id: string): StoredRecord | undefined {
    const collection = this.#collections.get(id);
    return collection === undefined ? undefined : this.table(collection).get(id);
  }

  /** A record with its collection. */
  find(id: string): { readonly collection: string; readonly record: StoredRecord } | undefined {
    const [collection, record] = [this.#collections.get(id), this.record(id)];
    return collection === undefined || record === undefined ? undefined : { collection, record };
  }

  incoming(id: string): readonly Incoming[] {
    const links = this.#incoming.get(id);
    return links === undefined ? none : [...links.values()];
  }

  /** An edge by its id. */
  edge(id: string): Incoming | undefined {
    return this.#edges.get(id);
  }

  edges(): IterableIterator<Incoming> {
    return this.#edges.values();
  }

  /** The present records and links, to be read while the project changes. */
  snapshot(): IndexSnapshot {
    const snapshot = new IndexSnapshot(this, this.#replaced);
    this.#snapshots++;
    this.#collected.register(snapshot, undefined, snapshot);
    return snapshot;
  }

  /** Ends a snapshot before it is garbage-collected: it must not be read any more. */
  discard(snapshot: IndexSnapshot): void {
    if (this.#collected.unregister(snapshot)) this.#snapshots--;
  }

  apply(change: Change): void {
    const { collection, id, from, to } = change;
    if (this.#snapshots > 0) this.#replaced = this.#replaced.next = replacedBy(change);
    const table = this.table(collection);
    table.replace(id, from, to);
    this.versions.changed(table, id);
    if (to === undefined) this.#collections.delete(id);
    else if (from === undefined) this.#collections.set(id, collection);
    this.#relink(collection, id, from?.links ?? noLinks, to?.links ?? noLinks);
    for (const index of this.#derived.values()) index.changed(collection, from, to);
  }

  touch(collection: string, id: string): void {
    this.versions.touch(this.table(collection), id);
  }

  #relink(collection: string, id: string, before: readonly Link[], after: readonly Link[]): void {
    if (before === after || (before.length === 0 && after.length === 0)) return;
    const [former, present] = [new Set(before), new Set(after)];
    for (const link of before) if (!present.has(link)) this.#unlink(link);
    for (const link of after) {
      if (former.has(link)) continue;
      const incoming = { from: id, fromType: collection, link };
      this.#edges.set(link.id, incoming);
      const links = this.#incoming.get(link.to);
      if (links === undefined) this.#incoming.set(link.to, new Map([[link, incoming]]));
      else links.set(link, incoming);
    }
  }

  #unlink(link: Link): void {
    if (this.#edges.get(link.id)?.link === link) this.#edges.delete(link.id);
    const links = this.#incoming.get(link.to);
    if (links?.delete(link) === true && links.size === 0) this.#incoming.delete(link.to);
  }
}

const noLinks: readonly Link[] = [];
const none: readonly Incoming[] = [];
