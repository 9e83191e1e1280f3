import { isoTime } from '../../../clock.ts';
import { keptFields, sameOnDisk } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import type { FileState } from '../project/file-table.ts';
import { mergeRecords } from '../../merge/merge.ts';
import { freeze } from '../../record/plain.ts';
import type { Project } from '../project/project.ts';
import type { Change, StoredRecord } from '../../record/record.ts';
import { changedFields, fingerprint } from '../../index/revise.ts';

/** A value that lost to the file: it is kept as a revision that can be restored. */
export interface Lost {
  readonly collection: Collection;
  readonly id: string;
  readonly fields: readonly string[];
  readonly before: Readonly<Record<string, unknown>>;
  /** Hash of the state that won. */
  readonly after: string;
  readonly reason: string;
}

/** What a record's files say, against what the index says and what both had in common. */
export interface Settlement {
  readonly changes: readonly Change[];
  readonly lost?: Lost;
  /** The change still has to reach the file; otherwise nothing is pending any more. */
  readonly pending: boolean;
}

/** What settling needs to know. */
export interface Sides {
  readonly project: Project;
  readonly collection: Collection;
  readonly id: string;
  /** The value that index and file last had in common; undefined where there was no file. */
  readonly base: StoredRecord | undefined;
  /** The file that serves the record now, if any. */
  readonly file: FileState | undefined;
  readonly now: number;
}

/**
 * Brings a record's index value and its file together. Without a pending change the file is the truth. With one, fields merge one by
 * one; where both changed the same thing the file wins and the other value is kept as a restorable revision.
 */
export function settle(sides: Sides): Settlement {
  const { project, collection, id, file } = sides;
  const held = project.index.collectionOf(id);
  const ours = held === undefined ? undefined : project.index.table(held).get(id);
  const moved = held !== undefined && held !== collection.name;
  if (moved && ours !== undefined)
    return {
      changes: [{ collection: held, id, from: ours, to: undefined }, ...added(collection, id, file?.record)],
      pending: false,
    };
  const theirs = file?.record;
  if (!project.pending.has(id)) return fileIsTruth(sides, ours, theirs);
  if (theirs === undefined) return fileIsGone(sides, ours);
  if (ours === undefined) return removalMeetsFile(sides, theirs);
  return bothSides(sides, ours, theirs);
}

function added(collection: Collection, id: string, to: StoredRecord | undefined): Change[] {
  return to === undefined ? [] : [{ collection: collection.name, id, from: undefined, to }];
}

function fileIsTruth(sides: Sides, ours: StoredRecord | undefined, theirs: StoredRecord | undefined): Settlement {
  const { collection, id } = sides;
  if (ours === theirs || (ours === undefined && theirs === undefined)) return { changes: [], pending: false };
  if (ours !== undefined && theirs !== undefined && sameOnDisk(collection, ours, theirs))
    return { changes: [], pending: false };
  return {
    changes: [{ collection: collection.name, id, from: ours, to: theirs && dated(sides, ours, theirs) }],
    pending: false,
  };
}

/** A pending creation is written all the same; a pending change to a file that somebody deleted becomes a restorable revision. */
function fileIsGone(sides: Sides, ours: StoredRecord | undefined): Settlement {
  const { collection, id, base } = sides;
  if (ours === undefined) return { changes: [], pending: false };
  if (base === undefined) return { changes: [], pending: true };
  const before = { ...ours, $incoming: sides.project.index.incoming(id).map((one) => ({ ...one })) };
  const lost: Lost = {
    collection,
    id,
    fields: ['deleted'],
    before,
    after: 'deleted',
    reason: 'its file was deleted while a change to it was on its way',
  };
  return { changes: [{ collection: collection.name, id, from: ours, to: undefined }], lost, pending: false };
}

/** Our removal against a person's edit: the edit wins; an unchanged file is removed as was asked. */
function removalMeetsFile(sides: Sides, theirs: StoredRecord): Settlement {
  const { collection, id, base } = sides;
  if (base !== undefined && sameOnDisk(collection, base, theirs)) return { changes: [], pending: true };
  const lost: Lost = {
    collection,
    id,
    fields: [],
    before: {},
    after: fingerprint(collection, theirs),
    reason: 'it was deleted here while its file was edited; the edit was kept',
  };
  return { changes: added(collection, id, theirs), lost, pending: false };
}

function bothSides(sides: Sides, ours: StoredRecord, theirs: StoredRecord): Settlement {
  const { collection, id, base } = sides;
  if (sameOnDisk(collection, ours, theirs)) return { changes: [], pending: false };
  const { record, conflicts } = mergeRecords(collection, base, ours, theirs);
  const merged = mergeKept(collection, base, ours, theirs, record);
  const to = sameOnDisk(collection, merged, ours) ? ours : dated(sides, ours, merged);
  const changes = to === ours ? [] : [{ collection: collection.name, id, from: ours, to }];
  const pending = !sameOnDisk(collection, to, theirs);
  if (conflicts.length === 0) return { changes, pending };
  const before = Object.fromEntries(conflicts.map(({ field, ours: value }) => [field, value ?? null]));
  const lost: Lost = {
    collection,
    id,
    fields: conflicts.map(({ field }) => field),
    before,
    after: fingerprint(collection, to),
    reason: 'its file was edited in the same place; the file was kept',
  };
  return { changes, lost, pending };
}

/** Fields that the path keeps merge like any scalar: the file wins where both moved it. */
function mergeKept(
  collection: Collection,
  base: StoredRecord | undefined,
  ours: StoredRecord,
  theirs: StoredRecord,
  merged: StoredRecord,
): StoredRecord {
  const kept = keptFields(collection);
  if (kept.length === 0) return merged;
  const value = (record: StoredRecord | undefined, field: string): unknown =>
    (record as unknown as Record<string, unknown> | undefined)?.[field];
  const fields = kept.map((field) => [
    field,
    value(theirs, field) === value(base, field) ? value(ours, field) : value(theirs, field),
  ]);
  return { ...merged, ...Object.fromEntries(fields) } as StoredRecord;
}

/** A versioned change found on disk is dated with its finding, unless an arrived history entry tells its time. */
function dated({ collection, now }: Sides, from: StoredRecord | undefined, to: StoredRecord): StoredRecord {
  if (from === undefined || collection.versioned.length === 0) return to;
  if (changedFields(collection, from, to).length === 0)
    return to.updated_at === from.updated_at ? to : freeze({ ...to, updated_at: from.updated_at });
  return to.updated_at > from.updated_at ? to : freeze({ ...to, updated_at: isoTime(now) });
}
