import { collectionOf } from '../domain/exchange/export-format.ts';
import { conflict, PlannerError } from '../base/errors.ts';
import { equal } from '../store/index.ts';
import type { CommonState } from './common-state.ts';
import { Listing } from './listing.ts';
import { changedIds, collectionIn, mergeChanges } from './merge-changes.ts';
import type { Merge, MergedChange } from './merge-changes.ts';
import type { Side } from './side.ts';
import { transfer } from './transfer.ts';

/** A value that was overridden in a merge. */
export interface Overridden {
  readonly id: string;
  readonly collection: string;
  readonly fields: readonly string[];
  /** True if a revision keeps the values; records of some kinds have no history. */
  readonly is_restorable: boolean;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface SyncReport {
  /** Records that were changed here, and records that were changed there. */
  readonly came: number;
  readonly went: number;
  /** Ids of records that both sides had changed. */
  readonly merged: readonly string[];
  readonly overridden: readonly Overridden[];
  /** Ids of records that one side had removed, and that the other side had changed or needed. */
  readonly kept: readonly string[];
  /** Ids of records that were left alone, since a file of theirs cannot be read. */
  readonly withheld: readonly string[];
  /** A file cannot be read, and it is not known of which record, so that missing records did not count as removed. */
  readonly is_uncertain: boolean;
}

export interface Sides {
  readonly files: Side;
  readonly hosted: Side;
  readonly state: CommonState;
}

/** The maximum number of times that both sides are read again because of concurrent changes. */
const passesMax = 20;

/**
 * Brings the files of a working copy and its hosted project together: takes over the changes there, merged with the
 * changes here, then sends the result. The state is written after each step, so that it is never ahead of a side: a
 * step that was interrupted is repeated by the next call, and does nothing that is done already.
 */
export class Synchroniser {
  readonly #sides: Sides;
  /** The files as they were read last; undefined before that. */
  #files: Listing | undefined;
  #came = new Set<string>();
  #went = new Set<string>();
  #merged = new Set<string>();
  #kept = new Set<string>();
  #overridden = new Map<string, Overridden>();
  #withheld: readonly string[] = [];

  constructor(sides: Sides) {
    this.#sides = sides;
  }

  /** Rejects with `conflict` if both sides are changed all the time. */
  async run(): Promise<SyncReport> {
    [this.#came, this.#went, this.#merged, this.#kept] = [new Set(), new Set(), new Set(), new Set()];
    this.#overridden = new Map();
    for (let pass = 0; pass < passesMax; pass++) {
      try {
        const isQuiet = await this.#pull();
        if (!(await this.#push()) && isQuiet) return this.#report();
      } catch (thrown) {
        if (!isChangedMeanwhile(thrown)) throw thrown;
      }
    }
    throw conflict('Both sides are changed all the time. What was exchanged until now is whole: try again.');
  }

  #report(): SyncReport {
    return {
      ...{ came: this.#came.size, went: this.#went.size, merged: [...this.#merged], kept: [...this.#kept] },
      ...{ overridden: [...this.#overridden.values()], withheld: this.#withheld },
      is_uncertain: this.#files?.isUncertain === true,
    };
  }

  /** Takes over the changes of the hosted project. Resolves with true if there were no changes. */
  async #pull(): Promise<boolean> {
    const { hosted, files, state } = this.#sides;
    const theirs = Listing.of(await hosted.changes(state.token));
    const ours = await this.#readFiles();
    const merge = mergeChanges({ base: state.records, ours, theirs });
    const revisions = [...missingHere(ours, theirs)];
    const isQuiet = merge.changes.size === 0 && revisions.length === 0;
    if (!isQuiet) await transfer(hosted, files, { changes: merge.changes, revisions });
    this.#note(merge);
    this.#accept(theirs, merge);
    state.save();
    return isQuiet;
  }

  /** The hosted project is as it was read, so it becomes the state. */
  #accept(theirs: Listing, { withheld }: Merge): void {
    const { state } = this.#sides;
    const skipped = new Set(withheld);
    const changed = [...changedIds(theirs, state.records)].filter((id) => !skipped.has(id));
    for (const id of changed) {
      const collection = state.records.get(id)?.collection ?? theirs.listed(id)!.collection;
      state.setRecord(id, collection, theirs.record(id, state.records));
    }
    const complete = new Set(
      Array.from(theirs.records, ({ collection }) => collection).filter((one) => theirs.isComplete(one)),
    );
    for (const collection of complete) state.forgetRevisions(collection);
    for (const record of theirs.records) state.addRevisions(record);
    // Skipped records have to be listed again.
    if (skipped.size === 0) state.token = theirs.token;
  }

  #note({ changes, merged, kept, withheld }: Merge): void {
    for (const id of changes.keys()) this.#came.add(id);
    for (const id of merged) this.#merged.add(id);
    for (const id of kept) this.#kept.add(id);
    this.#withheld = withheld;
    for (const [id, { collection, overridden: values }] of changes) {
      if (values === undefined) continue;
      const isRestorable = collectionOf(collection).versioned.length > 0;
      this.#overridden.set(id, { id, collection, fields: Object.keys(values), is_restorable: isRestorable, values });
    }
  }

  /** Sends the records that the files have and the hosted project lacks. Resolves with whether there was anything. */
  async #push(): Promise<boolean> {
    const { hosted, files, state } = this.#sides;
    const ours = await this.#readFiles();
    const changes = new Map<string, MergedChange>();
    for (const id of changedIds(ours, state.records)) {
      if (ours.withheld.has(id)) continue;
      const collection = collectionIn({ base: state.records, ours, theirs: ours }, id);
      const [from, to] = [state.records.get(id)?.fields, ours.record(id, state.records)];
      changes.set(id, { collection, from, to });
    }
    const revisions: string[] = [];
    for (const { collection, revisions: ids } of ours.records)
      for (const id of ids) if (!state.hasRevision(collection, id)) revisions.push(id);
    if (changes.size === 0 && revisions.length === 0) return false;
    await transfer(files, hosted, { changes, revisions });
    for (const [id, { collection, to }] of changes) {
      state.setRecord(id, collection, to);
      this.#went.add(id);
    }
    for (const record of ours.records) state.addRevisions(record);
    state.save();
    return true;
  }

  async #readFiles(): Promise<Listing> {
    const changes = await this.#sides.files.changes(this.#files?.token);
    if (this.#files === undefined) this.#files = Listing.of(changes);
    else this.#files.add(changes);
    return this.#files;
  }
}

function* missingHere(ours: Listing, theirs: Listing): IterableIterator<string> {
  for (const { id, revisions } of theirs.records) {
    const known = new Set(ours.listed(id)?.revisions);
    for (const revision of revisions) if (!known.has(revision)) yield revision;
  }
}

function isChangedMeanwhile(thrown: unknown): boolean {
  return thrown instanceof PlannerError && thrown.code === 'conflict' && 'records' in thrown.details;
}

/** Notes as the common state what both sides have alike, after one was made of the other. */
export async function noteCommonState({ files, hosted, state }: Sides): Promise<void> {
  const [ours, theirs] = [Listing.of(await files.changes(undefined)), Listing.of(await hosted.changes(undefined))];
  let isAll = true;
  for (const one of theirs.records) {
    const { id, collection, record } = one;
    const same = equal(ours.listed(id), one);
    if (same && record !== null) state.setRecord(id, collection, record);
    if (same) state.addRevisions(one);
    else isAll = false;
  }
  // The differences have to be listed again.
  if (isAll) state.token = theirs.token;
  state.save();
}
