import { isoTime } from '../../../base/clock.ts';
import { pathFields, sameOnDisk } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import type { FileState } from '../project/file-table.ts';
import { mergeRecords } from '../../merge/merge.ts';
import { freeze } from '../../record/plain.ts';
import type { Project } from '../project/project.ts';
import { type Change, membersOf, type StoredRecord } from '../../record/record.ts';
import { changedFields, fingerprint } from '../../replica/revise.ts';

/** A value that lost to the file in a merge: it is kept as a revision that can be restored. */
export interface OverriddenValue {
  readonly collection: Collection;
  readonly id: string;
  readonly fields: readonly string[];
  readonly before: Readonly<Record<string, unknown>>;
  /** Hash of the state that won. */
  readonly after: string;
  readonly reason: string;
}

/** The result of reconciling a record's file, its value in the index, and their common base. */
export interface ReconcileResult {
  readonly changes: readonly Change[];
  readonly overridden?: OverriddenValue;
  /** The change still has to be written to the file; otherwise the record is clean. */
  readonly pending: boolean;
}

/** The input of a three-way merge of one record. */
export interface MergeInput {
  readonly project: Project;
  readonly collection: Collection;
  readonly id: string;
  /** The last value that index and file had in common; undefined if there was no file. */
  readonly base: StoredRecord | undefined;
  /** The file that serves the record now, if any. */
  readonly file: FileState | undefined;
  readonly now: number;
}

/**
 * Reconciles a record's index value with its file. Without a pending change the file wins. With one, fields merge one
 * by one; if both sides changed the same value, the file wins and the other value is kept as a restorable revision.
 */
export function reconcileRecord(input: MergeInput): ReconcileResult {
  const { project, collection, id, file } = input;
  const held = project.index.collectionOf(id);
  const ours = held === undefined ? undefined : project.index.table(held).get(id);
  const moved = held !== undefined && held !== collection.name;
  if (moved && ours !== undefined)
    return {
      changes: [{ collection: held, id, from: ours, to: undefined }, ...added(collection, id, file?.record)],
      pending: false,
    };
  const theirs = file?.record;
  if (!project.dirty.has(id)) return takeFile(input, ours, theirs);
  if (theirs === undefined) return onFileDeleted(input, ours);
  if (ours === undefined) return onRecordRemoved(input, theirs);
  return mergeBoth(input, ours, theirs);
}

function added(collection: Collection, id: string, to: StoredRecord | undefined): Change[] {
  return to === undefined ? [] : [{ collection: collection.name, id, from: undefined, to }];
}

function takeFile(
  input: MergeInput,
  ours: StoredRecord | undefined,
  theirs: StoredRecord | undefined,
): ReconcileResult {
  const { collection, id } = input;
  if (ours === theirs || (ours === undefined && theirs === undefined)) return { changes: [], pending: false };
  if (ours !== undefined && theirs !== undefined && sameOnDisk(collection, ours, theirs))
    return { changes: [], pending: false };
  return {
    changes: [{ collection: collection.name, id, from: ours, to: theirs && withUpdatedAt(input, ours, theirs) }],
    pending: false,
  };
}

/**
 * A pending creation is written regardless; a pending change to a file that a person deleted becomes a restorable
 * revision.
 */
function onFileDeleted(input: MergeInput, ours: StoredRecord | undefined): ReconcileResult {
  const { collection, id, base } = input;
  if (ours === undefined) return { changes: [], pending: false };
  if (base === undefined) return { changes: [], pending: true };
  input.project.rememberRecord(ours);
  const before = { ...ours, $incoming: input.project.index.incoming(id).map((one) => ({ ...one })) };
  const overridden: OverriddenValue = {
    collection,
    id,
    fields: ['deleted'],
    before,
    after: 'deleted',
    reason: 'its file was deleted while a change to it was pending',
  };
  return {
    changes: [{ collection: collection.name, id, from: ours, to: undefined }],
    overridden,
    pending: false,
  };
}

/** The record was removed here and its file was edited: the edit wins. An unchanged file is removed. */
function onRecordRemoved(input: MergeInput, theirs: StoredRecord): ReconcileResult {
  const { collection, id, base } = input;
  if (base !== undefined && sameOnDisk(collection, base, theirs)) return { changes: [], pending: true };
  const overridden: OverriddenValue = {
    collection,
    id,
    fields: [],
    before: {},
    after: fingerprint(collection, theirs),
    reason: 'it was deleted here while its file was edited; the edit was kept',
  };
  return { changes: added(collection, id, theirs), overridden, pending: false };
}

function mergeBoth(input: MergeInput, ours: StoredRecord, theirs: StoredRecord): ReconcileResult {
  const { collection, id, base } = input;
  if (sameOnDisk(collection, ours, theirs)) return { changes: [], pending: false };
  const { record, conflicts } = mergeRecords(collection, base, ours, theirs);
  const merged = mergePathFields(collection, base, ours, theirs, record);
  const to = sameOnDisk(collection, merged, ours) ? ours : withUpdatedAt(input, ours, merged);
  const changes = to === ours ? [] : [{ collection: collection.name, id, from: ours, to }];
  const pending = !sameOnDisk(collection, to, theirs);
  if (conflicts.length === 0) return { changes, pending };
  const before = Object.fromEntries(conflicts.map(({ field, ours: value }) => [field, value ?? null]));
  const overridden: OverriddenValue = {
    collection,
    id,
    fields: conflicts.map(({ field }) => field),
    before,
    after: fingerprint(collection, to),
    reason: 'its file was edited in the same place; the file was kept',
  };
  return { changes, overridden, pending };
}

/**
 * The differences from a record in a save that contains its id, into the file of another record: an editor had opened
 * the file before it was renamed. If that record is served no more, it belongs to the one of the file. Undefined for a
 * save of the file's own record.
 */
export function overriddenSave(
  project: Project,
  collection: Collection,
  { id, record: saved }: FileState,
  own: FileState | undefined,
): OverriddenValue | undefined {
  if (own === undefined || own.id === id) return undefined;
  const table = project.index.table(collection.name);
  const served = table.get(id) ?? table.get(own.id);
  if (served === undefined || saved === undefined) return undefined;
  const fields = changedFields(collection, served, saved);
  const values = membersOf(saved);
  return {
    collection,
    id: served.id,
    fields,
    before: Object.fromEntries(fields.map((field) => [field, values[field] ?? null])),
    after: fingerprint(collection, served),
    reason: 'it was saved into the file of another record while that file was replaced',
  };
}

/** Fields derived from the path merge like scalars: the file wins if both sides changed them. */
function mergePathFields(
  collection: Collection,
  base: StoredRecord | undefined,
  ours: StoredRecord,
  theirs: StoredRecord,
  merged: StoredRecord,
): StoredRecord {
  const kept = pathFields(collection);
  if (kept.length === 0) return merged;
  const value = (record: StoredRecord | undefined, field: string): unknown =>
    (record as unknown as Record<string, unknown> | undefined)?.[field];
  const fields = kept.map((field) => [
    field,
    value(theirs, field) === value(base, field) ? value(ours, field) : value(theirs, field),
  ]);
  return { ...merged, ...Object.fromEntries(fields) } as StoredRecord;
}

/** A change of a versioned field found on disk gets the current time, unless an arriving history entry has its time. */
function withUpdatedAt(
  { collection, now }: MergeInput,
  from: StoredRecord | undefined,
  to: StoredRecord,
): StoredRecord {
  if (from === undefined || collection.versioned.length === 0) return to;
  if (changedFields(collection, from, to).length === 0)
    return to.updated_at === from.updated_at ? to : freeze({ ...to, updated_at: from.updated_at });
  return to.updated_at > from.updated_at ? to : freeze({ ...to, updated_at: isoTime(now) });
}
