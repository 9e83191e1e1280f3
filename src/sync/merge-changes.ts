import { collectionOf, exported, sections } from '../domain/exchange/export-format.ts';
import { equal, pathFields, membersOf, mergeRecords } from '../store/index.ts';
import type { Collection, StoredRecord } from '../store/index.ts';
import { repairFolders } from './repair-folders.ts';
import type { CommonRecords, Fields, Listing } from './listing.ts';

/** A change to be made to the files. */
export interface MergedChange {
  readonly collection: string;
  /** The record as it was read, or undefined. */
  readonly from: Fields | undefined;
  /** Undefined to remove it. */
  readonly to: Fields | undefined;
  /** Values of the side that lost, by field. */
  readonly overridden?: Fields;
}

export interface MergeInput {
  /** The records that both sides had last. */
  readonly base: CommonRecords;
  /** The files, all of them. */
  readonly ours: Listing;
  /** The hosted project. */
  readonly theirs: Listing;
}

export interface Merge {
  readonly changes: ReadonlyMap<string, MergedChange>;
  /** Ids of records that both sides changed, and that have the changes of both. */
  readonly merged: readonly string[];
  /** Ids of records that one side removed while the other side needed or changed them. */
  readonly kept: readonly string[];
  /** Ids of records that were left alone: a file of theirs cannot be read. */
  readonly withheld: readonly string[];
}

/**
 * Merges the changes of the hosted project into the files: record by record, field by field. A change wins over a
 * removal. If both sides changed one value, the record that was changed last wins, the hosted one if they are equally
 * old.
 */
export function mergeChanges(input: MergeInput): Merge {
  return new Merging(input).run();
}

class Merging {
  readonly #input: MergeInput;
  readonly #changes = new Map<string, MergedChange>();
  readonly #merged: string[] = [];
  readonly #kept = new Set<string>();
  readonly #withheld: string[] = [];

  constructor(input: MergeInput) {
    this.#input = input;
  }

  run(): Merge {
    const { base, theirs } = this.#input;
    const changed = [...changedIds(theirs, base)];
    for (const id of changed) this.#mergeOne(id);
    this.#keepNeededThere(changed);
    this.#keepNeededHere();
    this.#repairFolders();
    return { changes: this.#changes, merged: this.#merged, kept: [...this.#kept], withheld: this.#withheld };
  }

  #mergeOne(id: string): void {
    const { base, ours, theirs } = this.#input;
    if (ours.withheld.has(id) || theirs.withheld.has(id)) {
      this.#withheld.push(id);
      return;
    }
    const [origin, here, there] = [base.get(id)?.fields, ours.record(id, base), theirs.record(id, base)];
    if (equal(here, there)) return;
    if (equal(here, origin)) this.#change(id, there);
    else if (here === undefined) this.#bringBack(id);
    else if (there === undefined) this.#kept.add(id);
    else this.#mergeBoth(id, here, there);
  }

  #mergeBoth(id: string, here: Fields, there: Fields): void {
    const { base, ours, theirs } = this.#input;
    const collection = collectionOf(collectionIn(this.#input, id));
    const whole = (fields: Fields, listing: Listing): StoredRecord =>
      wholeRecord(collection, fields, listing.listed(id)?.updated_at);
    const [left, right] = [whole(here, ours), whole(there, theirs)];
    const origin = base.get(id);
    const common = origin && wholeRecord(collection, origin.fields, undefined);
    const [loser, winner] = left.updated_at > right.updated_at ? [right, left] : [left, right];
    const { record, conflicts } = mergeRecords(collection, common, loser, winner);
    this.#merged.push(id);
    const overridden = Object.fromEntries(conflicts.map(({ field, ours: lost }) => [field, lost ?? null]));
    this.#change(id, exported(collection.name, record), conflicts.length === 0 ? undefined : overridden);
  }

  #change(id: string, to: Fields | undefined, overridden?: Fields): void {
    const { base, ours } = this.#input;
    const from = ours.record(id, base);
    if (equal(from, to) && overridden === undefined) this.#changes.delete(id);
    else
      this.#changes.set(id, { collection: collectionIn(this.#input, id), from, to, ...(overridden && { overridden }) });
  }

  /** A record that was removed here. */
  #bringBack(id: string): void {
    this.#kept.add(id);
    this.#change(id, this.#input.theirs.record(id, this.#input.base));
  }

  /** Records that were removed here, and that changes made there refer to. */
  #keepNeededThere(changed: readonly string[]): void {
    const { base, ours, theirs } = this.#input;
    const pending = [...changed];
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      const record = theirs.record(id, base);
      if (record === undefined) continue;
      const before = ours.record(id, base) === undefined ? undefined : base.get(id)?.fields;
      for (const target of newReferences(collectionIn(this.#input, id), record, before)) {
        const isRemovedHere = base.has(target) && ours.record(target, base) === undefined;
        if (!isRemovedHere || this.#changes.has(target) || theirs.record(target, base) === undefined) continue;
        this.#bringBack(target);
        pending.push(target);
      }
    }
  }

  /** Records that were removed there, and that changes made here refer to. */
  #keepNeededHere(): void {
    const { base, ours, theirs } = this.#input;
    if (![...this.#changes.values()].some(({ to }) => to === undefined)) return;
    const pending = [...changedIds(ours, base)];
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      const record = ours.record(id, base);
      const change = this.#changes.get(id);
      if (record === undefined || (change !== undefined && change.to === undefined)) continue;
      const before = theirs.record(id, base) === undefined ? undefined : base.get(id)?.fields;
      for (const target of newReferences(collectionIn(this.#input, id), record, before)) {
        const removal = this.#changes.get(target);
        if (removal === undefined || removal.to !== undefined) continue;
        this.#changes.delete(target);
        this.#kept.add(target);
        pending.push(target);
      }
    }
  }

  /** Two folders of one name, and folders inside each other, cannot be directories. */
  #repairFolders(): void {
    const { base, ours, theirs } = this.#input;
    if (![...this.#changes.values()].some(({ collection, to }) => collection === 'folder' && to !== undefined)) return;
    const folders = new Map<string, Fields>();
    for (const id of new Set([
      ...base.keys(),
      ...Array.from(ours.records, (record) => record.id),
      ...this.#changes.keys(),
    ])) {
      if (collectionIn(this.#input, id) !== 'folder') continue;
      const change = this.#changes.get(id);
      const present = change === undefined ? ours.record(id, base) : change.to;
      if (present !== undefined) folders.set(id, present);
    }
    for (const [id, to] of repairFolders(folders, (folder) => theirs.record(folder, base))) this.#change(id, to);
  }
}

/** The collection of a record that a side or the common state has. */
export function collectionIn({ base, ours, theirs }: MergeInput, id: string): string {
  return (base.get(id)?.collection ?? ours.listed(id)?.collection ?? theirs.listed(id)?.collection)!;
}

/** The ids of the records in which a side differs from the common state. */
export function* changedIds(listing: Listing, base: CommonRecords): IterableIterator<string> {
  for (const id of listing.candidates(base)) if (!equal(listing.record(id, base), base.get(id)?.fields)) yield id;
}

/** A record with the values that its form in an export lacks. */
function wholeRecord(collection: Collection, fields: Fields, updatedAt: string | undefined): StoredRecord {
  const { shape } = collection;
  const record: Record<string, unknown> = Object.fromEntries(shape.fields.map(({ name, absent }) => [name, absent]));
  for (const name of pathFields(collection)) record[name] = null;
  if (shape.body !== undefined) record[shape.body] = '';
  Object.assign(record, { updated_at: updatedAt ?? '' }, fields);
  return record as unknown as StoredRecord;
}

const referencing = new Map<string, readonly string[]>([
  ...sections.map(({ collection, references }) => [collection, references] as const),
  ['project', ['default_goal_id']],
]);

/** The ids that a record refers to, if its former value did not. */
function newReferences(collection: string, record: Fields, before: Fields | undefined): readonly string[] {
  const names = referencing.get(collection) ?? [];
  return names.flatMap((name) => {
    const value = membersOf(record as unknown as StoredRecord)[name];
    return typeof value === 'string' && value !== before?.[name] ? [value] : [];
  });
}
