import { atOnce, eachInSteps, type Steps } from '../../base/slices.ts';
import type { Transitions } from '../record/entry.ts';
import type { Delta } from '../record/read-transaction.ts';
import type { ChangeLog, SavedChanges } from './change-log.ts';
import { epochOf, formatVersion, orderOf, parseVersion, type Version } from './version.ts';

/** A table with the log of its changes. */
interface Logged {
  readonly name: string;
  readonly log: ChangeLog;
}

/**
 * The ids that a change set touched in addition to the records that it changed, by collection; true if they are too
 * many to be listed.
 */
export type Touched = Readonly<Record<string, readonly string[] | true>>;

/** The versions of a project's collections at one entry. */
export type SavedVersions = Readonly<Record<string, readonly [order: number, epoch: number]>>;

/** A change set that touches more records of a collection does not list them: then all of them count as touched. */
const touchedMax = 1000;

/**
 * The versions of a project's collections: each belongs to the last change set that changed or touched one of its
 * records. They are made of the entries alone, so that replaying the same entries gives the same versions.
 */
export class Versions {
  readonly #tables: ReadonlyMap<string, Logged>;
  /**
   * The order of the change set that is being applied; 0 before the first, while the project is loaded and nothing is
   * recorded.
   */
  #order = 0;
  #epoch = 0;
  /** The order that was assigned last. */
  #last = 0;
  /** The version of the last change set with revisions. */
  #history: Version = { order: 0, epoch: 0 };
  /** Ids touched by the present change set; undefined without touches. */
  #touched: Map<string, Set<string>> | undefined;
  /** The transitions of the present change set, by the event's type and the record's id. */
  #transitions: Map<string, Map<string, string>> | undefined;

  constructor(tables: ReadonlyMap<string, Logged>) {
    this.#tables = tables;
  }

  /** The order of the present change set. */
  get order(): number {
    return this.#order;
  }

  /** The following changes belong to a change set of the entry with this id. Returns their order. */
  begin(seq: number, id: string, set = 0): number {
    this.#order = this.#last = orderOf(seq, set);
    this.#epoch = epochOf(id);
    this.#touched = this.#transitions = undefined;
    return this.#order;
  }

  /** Ends the present change set. */
  end(): void {
    this.#order = 0;
    this.#touched = this.#transitions = undefined;
  }

  changed({ log }: Logged, id: string): void {
    if (this.#order > 0) log.add(id, this.#order, this.#epoch);
  }

  /** Records a change in how a record is shown, although its own fields did not change. */
  touch(table: Logged, id: string): void {
    if (this.#order === 0) return;
    table.log.add(id, this.#order, this.#epoch);
    this.#touched ??= new Map();
    const ids = this.#touched.get(table.name);
    if (ids === undefined) this.#touched.set(table.name, new Set([id]));
    else ids.add(id);
  }

  /** Notes that something happened to a record by the present change set, or that it did not after all. */
  transition(type: string, { id, label }: { readonly id: string; readonly label: string }, isSo: boolean): void {
    if (this.#order === 0) return;
    this.#transitions ??= new Map();
    let ofType = this.#transitions.get(type);
    if (ofType === undefined) this.#transitions.set(type, (ofType = new Map<string, string>()));
    if (isSo) ofType.set(id, label);
    else ofType.delete(id);
  }

  /** The transitions of the present change set, or undefined. */
  transitions(): Transitions | undefined {
    if (this.#transitions === undefined) return undefined;
    const found = [...this.#transitions].filter(([, ids]) => ids.size > 0);
    if (found.length === 0) return undefined;
    return Object.fromEntries(found.map(([type, ids]) => [type, Array.from(ids, ([id, label]) => ({ id, label }))]));
  }

  /** The epoch of a collection's version: names the state of a project whose log is empty. */
  get epoch(): number {
    for (const { log } of this.#tables.values()) return log.epoch;
    return 0;
  }

  /**
   * The ids that the present change set touched in addition to its changed records; undefined if it touched no others.
   */
  touched(changes: readonly { readonly collection: string; readonly id: string }[]): Touched | undefined {
    return this.#touched === undefined ? undefined : atOnce(this.touchedInSteps(changes));
  }

  /** The touched ids, in steps. */
  *touchedInSteps(
    changes: readonly { readonly collection: string; readonly id: string }[],
  ): Steps<Touched | undefined> {
    if (this.#touched === undefined) return undefined;
    yield* eachInSteps(changes, ({ collection, id }) => this.#touched?.get(collection)?.delete(id));
    const found: Record<string, readonly string[] | true> = {};
    for (const [collection, ids] of this.#touched)
      if (ids.size > 0) found[collection] = ids.size > touchedMax ? true : [...ids];
    return Object.keys(found).length === 0 ? undefined : found;
  }

  /** Records an entry that is already contained in the tables. */
  replay(
    entry: { readonly seq: number; readonly id: string },
    changes: readonly { readonly c: string; readonly id: string }[],
    { touched = {}, revisions }: { readonly touched?: Touched | undefined; readonly revisions: boolean },
  ): void {
    this.begin(entry.seq, entry.id);
    for (const { c, id } of changes) this.#tables.get(c)?.log.add(id, this.#order, this.#epoch);
    for (const [collection, ids] of Object.entries(touched)) {
      const log = this.#tables.get(collection)?.log;
      if (ids === true) log?.reset(this.#order, this.#epoch);
      else for (const id of ids) log?.add(id, this.#order, this.#epoch);
    }
    if (revisions) this.addedRevisions();
    this.end();
  }

  /** The present change set has revisions. Returns the function that undoes this. */
  addedRevisions(): () => void {
    const former = this.#history;
    this.#history = { order: this.#order, epoch: this.#epoch };
    return () => (this.#history = former);
  }

  /** Returns to the versions before a change set whose changes were undone; it is the last one. */
  rewind(order: number): void {
    for (const { log } of this.#tables.values()) log.rewind(order);
  }

  /** Applies the inverse of a change set and returns to the versions before it. */
  undo(order: number, inverse: () => void): void {
    this.#order = order;
    inverse();
    this.rewind(order);
    this.end();
  }

  /**
   * Gives every collection a version that it never had, because the changes are unknown. `name` is random, `seq` is the
   * sequence of the last entry.
   */
  renew(seq: number, name: string): void {
    // After all change sets of the last entry, and before the next entry.
    this.#last = Math.max(orderOf(seq), this.#last) + 1;
    const epoch = epochOf(name);
    this.#history = { order: this.#last, epoch };
    for (const { log } of this.#tables.values()) log.reset(this.#last, epoch);
    this.end();
  }

  /** The versions as they are, to be restored by another opening. */
  saved(): SavedVersions {
    return Object.fromEntries([...this.#tables].map(([name, { log }]) => [name, [log.order, log.epoch] as const]));
  }

  /**
   * Continues with the versions of an earlier opening. The version of the history is new, because its files are not
   * compared.
   */
  restore(saved: SavedVersions, seq: number, name: string): void {
    for (const [collection, { log }] of this.#tables) log.reset(...(saved[collection] ?? ([0, 0] as const)));
    this.#history = { order: orderOf(seq), epoch: epochOf(name) };
  }

  /** The version of the history, and the last changes of each collection, as in a replica of the same log. */
  savedChanges(max: number): { readonly history: Version; readonly collections: ReadonlyMap<string, SavedChanges> } {
    return {
      history: this.#history,
      collections: new Map(Array.from(this.#tables, ([name, { log }]) => [name, log.saved(max)])),
    };
  }

  restoreHistory(history: Version): void {
    this.#history = history;
  }

  restoreChanges(collection: string, saved: SavedChanges): void {
    this.#table(collection).log.restore(saved);
  }

  /** The latest version of these collections. It differs as soon as one of them changed. */
  of(...collections: readonly string[]): string {
    let [order, epoch] = [-1, 0];
    for (const name of collections) {
      const { log } = this.#table(name);
      if (log.order <= order) continue;
      order = log.order;
      epoch = log.epoch;
    }
    return formatVersion(order, epoch);
  }

  get ofHistory(): string {
    return formatVersion(this.#history.order, this.#history.epoch);
  }

  since(collection: string, version: string): Delta | undefined {
    const parsed = parseVersion(version);
    const ids = parsed && this.#table(collection).log.since(parsed);
    return ids && { ids, version: this.of(collection) };
  }

  #table(name: string): Logged {
    const table = this.#tables.get(name);
    if (table === undefined) throw new Error(`There is no collection ${name}.`);
    return table;
  }
}
