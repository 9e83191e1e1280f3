import { eachInSteps, type Steps } from '../../base/slices.ts';
import { isOwnId } from '../../base/ids.ts';
import { equal } from '../record/plain.ts';
import { IndexSnapshot, nothingReplaced, type Replaced } from './index-snapshot.ts';
import { isNamed, keyOf, LinkNames, type NamedSpec } from './link-names.ts';
import { Table, type TableSpec } from './table.ts';
import { Versions } from './versions.ts';
import { WrittenLinks } from './written-links.ts';
import type { Change, Link, StoredRecord } from '../record/record.ts';
import type { DerivedIndex, Incoming, RecordProblem } from '../record/read-transaction.ts';

/**
 * A project in memory: its tables, the links by target, and the domain's derived indexes. Every change goes through
 * `apply`: transactions, rollbacks, recovery and external edits.
 */
export class ProjectIndex {
  readonly versions: Versions;
  /** The names that links have in place of ids. */
  readonly names: LinkNames;
  readonly #tables: ReadonlyMap<string, Table>;
  /** The collection of each id: ids are unique in a project. */
  readonly #collections = new Map<string, string>();
  /** The edges by target id; the targets need not exist. */
  readonly #incoming = new Map<string, Map<Link, Incoming>>();
  /** Every edge by its id. */
  readonly #edges = new Map<string, Incoming>();
  /** The records with links that are written otherwise, see `meant`. */
  readonly #otherwise = new Map<string, WrittenLinks>();
  /** True if all records are there that a name may mean. */
  #isOpen = false;
  /** Ends of links that do not exist. */
  readonly #missing = new Set<string>();
  readonly #derived = new Map<string, DerivedIndex>();
  /** The derived indexes by the collections that they are derived from. */
  readonly #concerned = new Map<string, { readonly index: DerivedIndex; readonly fields: readonly string[] }[]>();
  /** The last of the entries that snapshots read. */
  #replaced = nothingReplaced();
  /** The number of snapshots that are not garbage-collected; without one no entries are created. */
  #snapshots = 0;
  readonly #collected = new FinalizationRegistry(() => this.#snapshots--);

  constructor(specs: readonly (TableSpec & Partial<NamedSpec>)[]) {
    this.#tables = new Map(specs.map((spec) => [spec.name, new Table(spec)]));
    this.versions = new Versions(this.#tables);
    this.names = new LinkNames(specs as readonly NamedSpec[], (id) => this.find(id));
  }

  /** Adds a derived index and passes all existing edges and records to it. From then on links by names are resolved. */
  derive(name: string, index: DerivedIndex): void {
    this.#open();
    if (index.linked !== undefined) for (const edge of this.#allEdges()) index.linked(none, [edge]);
    for (const collection of Object.keys(index.fields))
      for (const record of this.table(collection).values()) index.changed(collection, undefined, record);
    this.#register(name, index);
  }

  /** Derives an index in steps, during which nothing may change. */
  *deriveInSteps(name: string, index: DerivedIndex): Steps<void> {
    this.#open();
    if (index.linked !== undefined) yield* eachInSteps(this.#allEdges(), (edge) => index.linked?.(none, [edge]));
    for (const collection of Object.keys(index.fields))
      yield* eachInSteps(this.table(collection).values(), (record) => index.changed(collection, undefined, record));
    this.#register(name, index);
  }

  #register(name: string, index: DerivedIndex): void {
    this.#derived.set(name, index);
    for (const [collection, fields] of Object.entries(index.fields)) {
      const others = this.#concerned.get(collection);
      if (others === undefined) this.#concerned.set(collection, [{ index, fields }]);
      else others.push({ index, fields });
    }
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

  /** The edges from a record. */
  outgoing(id: string): readonly Incoming[] {
    const written = this.#otherwise.get(id);
    if (written !== undefined) return written.edges;
    const found = this.find(id);
    return found === undefined ? none : asEdges(found.collection, id, found.record.links);
  }

  /** The meaning of a record's link: the link with the id of the record that it names, if any. */
  meant(from: string, link: Link): Link {
    if (link.in === undefined && !isNamed(link)) return link;
    const { in: list, ...plain } = link;
    const same = list === undefined ? link : plain;
    if (isOwnId(link.to) || this.#collections.has(link.to)) return same;
    const [id, ...others] = this.names.meant(from, link);
    if (id === undefined || others.length > 0) return same;
    return { ...plain, to: id, type: this.#collections.get(id)! };
  }

  /**
   * New links of a record; links that a person wrote by a name or in a list stay as written if their meaning is
   * unchanged.
   */
  asWritten(id: string, links: readonly Link[]): readonly Link[] {
    if (!this.#otherwise.has(id)) return links;
    const written = (this.record(id)?.links ?? []).filter(isOtherwise);
    const meant = written.map((link) => [link, this.meant(id, link)] as const);
    return links.map((link) => meant.find(([, one]) => equal(one, link))?.[0] ?? link);
  }

  /** The edges whose end does not exist. */
  *dangling(): IterableIterator<Incoming> {
    for (const id of this.#missing) yield* this.incoming(id);
  }

  /** Names in links to a record continue to mean it: those that it loses, as they are written there, become former names. */
  keepNames(collection: string, from: StoredRecord, to: StoredRecord & { aliases?: readonly string[] }): void {
    const lost = this.names.lost(collection, from, to);
    if (lost.length === 0) return;
    const names = lost.flatMap((key) => {
      for (const user of this.names.usersOf(key))
        for (const link of this.record(user)?.links ?? [])
          if (keyOf(link.to) === key && this.meant(user, link).to === from.id) return [link.to];
      return [];
    });
    if (names.length > 0) to.aliases = [...new Set([...(to.aliases ?? []), ...names])].sort();
  }

  apply(change: Change): void {
    const { collection, id, from, to, fields } = change;
    const table = this.table(collection);
    table.replace(id, from, to, fields);
    this.versions.changed(table, id);
    if (to === undefined) this.#collections.delete(id);
    else if (from === undefined) this.#collections.set(id, collection);
    // Until all records are there, `#open` is still to resolve the names. New links of the record would note its names, too.
    const names = this.#isOpen ? this.names.changed(collection, id, to) : [];
    const relinked = from?.links === to?.links ? { removed: [], added: [] } : this.#relink(change);
    for (const [user, used] of this.#usersOf(names)) if (user !== id) this.#meanAgain(user, relinked, used);
    if (to === undefined && this.#incoming.has(id)) this.#missing.add(id);
    else if (from === undefined) this.#missing.delete(id);
    this.#noteReplaced({ collection, id, from, ...relinked });
    this.#passLinks(relinked);
    for (const concerned of this.#concerned.get(collection) ?? noIndexes)
      if (fields === undefined || fields.some((field) => concerned.fields.includes(field)))
        concerned.index.changed(collection, from, to);
  }

  touch(collection: string, id: string): void {
    this.versions.touch(this.table(collection), id);
  }

  /** Reads again the meaning of these records' links, after files got other names. */
  meanAgain(users: readonly string[]): void {
    for (const user of users) {
      const relinked: Relinked = { removed: [], added: [] };
      const found = this.#meanAgain(user, relinked);
      if (found === undefined) continue;
      const { collection, record: from } = found;
      this.#noteReplaced({ collection, id: user, from, ...relinked });
      this.#passLinks(relinked);
    }
  }

  /** Resolves the links by names: before, the records that they name may not be there. */
  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const users = this.names.users();
    if (users.length === 0) return;
    const linksOf = (id: string): readonly Link[] => this.record(id)?.links ?? noLinks;
    for (const user of users) this.names.use(user, noLinks);
    this.#lookFor(users.flatMap((user) => this.names.use(user, this.#namedIn(linksOf(user)))));
    this.meanAgain(users);
  }

  /** The links whose end is a name and not the id of a record, which another tool may have made. */
  #namedIn(links: readonly Link[]): readonly Link[] {
    return links.filter((link) => isNamed(link) && !this.#collections.has(link.to));
  }

  #lookFor(names: readonly string[]): void {
    if (names.length > 0) this.names.lookFor(names, this.#nameable());
  }

  *#nameable(): IterableIterator<readonly [collection: string, record: StoredRecord]> {
    for (const name of this.names.collections)
      for (const record of this.table(name).values()) yield [name, record] as const;
  }

  *#allEdges(): IterableIterator<Incoming> {
    for (const edges of this.#incoming.values()) yield* edges.values();
  }

  #noteReplaced(entry: Replaced): void {
    if (this.#snapshots > 0) this.#replaced = this.#replaced.next = entry;
  }

  #passLinks({ removed, added }: Relinked): void {
    if (removed.length === 0 && added.length === 0) return;
    for (const index of this.#derived.values()) index.linked?.(removed, added);
  }

  /** Replaces the edges from a record after its links changed. */
  #relink({ collection, id, from, to }: Change): Relinked {
    const [before, after] = [from?.links ?? noLinks, to?.links ?? noLinks];
    const relinked: Relinked = { removed: [], added: [] };
    if (before === after || (before.length === 0 && after.length === 0)) return relinked;
    const former = this.#otherwise.get(id)?.edges ?? asEdges(collection, id, before);
    if (this.#otherwise.has(id) || after.some(isOtherwise)) {
      const fresh = this.names.use(id, this.#namedIn(after));
      if (this.#isOpen) this.#lookFor(fresh);
    }
    this.#replaceEdges(former, this.#edgesOf(collection, id, after, former), relinked);
    return relinked;
  }

  /** The edges of a record with these links; unchanged edges are the same objects. */
  #edgesOf(collection: string, id: string, links: readonly Link[], former: readonly Incoming[]): readonly Incoming[] {
    if (!links.some(isOtherwise)) {
      this.#otherwise.delete(id);
      return asEdges(collection, id, links);
    }
    const before = new Map(former.map((edge) => [edge.link.id, edge]));
    const written = new WrittenLinks(links, (one) => {
      const link = this.meant(id, one);
      const same = before.get(link.id);
      return same !== undefined && equal(same.link, link) ? same : { from: id, fromType: collection, link };
    });
    this.#otherwise.set(id, written);
    return written.edges;
  }

  /** The records that use these names, each with those that it uses. */
  #usersOf(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
    const users = new Map<string, string[]>();
    for (const name of names)
      for (const user of this.names.usersOf(name)) {
        const used = users.get(user);
        if (used === undefined) users.set(user, [name]);
        else used.push(name);
      }
    return users;
  }

  #meanAgain(
    id: string,
    relinked: Relinked,
    names?: readonly string[],
  ): { readonly collection: string; readonly record: StoredRecord } | undefined {
    const [found, written] = [this.find(id), this.#otherwise.get(id)];
    if (found === undefined || written === undefined) return undefined;
    const { former, present } = written.meanAgain((link) => this.meant(id, link), names);
    const before = relinked.added.length + relinked.removed.length;
    this.#replaceEdges(former, present, relinked);
    if (relinked.added.length + relinked.removed.length > before) this.touch(found.collection, id);
    return found;
  }

  #replaceEdges(former: readonly Incoming[], present: readonly Incoming[], { removed, added }: Relinked): void {
    const [before, after] = [new Set(former.map(({ link }) => link)), new Set(present.map(({ link }) => link))];
    for (const edge of former) {
      if (after.has(edge.link)) continue;
      this.#unlink(edge.link);
      removed.push(edge);
    }
    for (const edge of present) {
      if (before.has(edge.link)) continue;
      const { link } = edge;
      this.#edges.set(link.id, edge);
      const links = this.#incoming.get(link.to);
      if (links === undefined) this.#incoming.set(link.to, new Map([[link, edge]]));
      else links.set(link, edge);
      if (!this.#collections.has(link.to)) this.#missing.add(link.to);
      added.push(edge);
    }
  }

  #unlink(link: Link): void {
    if (this.#edges.get(link.id)?.link === link) this.#edges.delete(link.id);
    const links = this.#incoming.get(link.to);
    if (links?.delete(link) !== true || links.size > 0) return;
    this.#incoming.delete(link.to);
    this.#missing.delete(link.to);
  }
}

/** The edges that a change took away and brought. */
interface Relinked {
  readonly removed: Incoming[];
  readonly added: Incoming[];
}

const noLinks: readonly Link[] = [];
const noIndexes: readonly never[] = [];
const none: readonly Incoming[] = [];

/** Returns whether the edge is another object than the link. */
function isOtherwise(link: Link): boolean {
  return link.in !== undefined || isNamed(link);
}

function asEdges(fromType: string, from: string, links: readonly Link[] = noLinks): readonly Incoming[] {
  return links.length === 0 ? none : links.map((link) => ({ from, fromType, link }));
}
