import type { Collection } from './collection.ts';
import { type LooseLink, normaliseLinks } from './links.ts';
import { equal, freeze } from './plain.ts';
import { membersOf, type StoredRecord } from './record.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The data of a record that its location determines, not its file. */
export interface Placement {
  readonly id: string;
  readonly code: string;
  /** Used if the file contains no time. */
  readonly createdAt: string;
  /** The time of the newest revision, if any. */
  readonly revisedAt: string | undefined;
  /** Fields derived from the path: the folder's id, a folder's name and parent. */
  readonly pathFields?: Fields;
}

/**
 * Builds a record from a file's fields and location: absent keys get their defaults, links their ids. Not validated
 * yet.
 */
export function assemble(collection: Collection, fields: Fields, placement: Placement): StoredRecord {
  const record: Record<string, unknown> = { id: placement.id, created_at: placement.createdAt, updated_at: '' };
  for (const { name, absent } of collection.shape.fields) {
    const value = fields[name];
    if (name === 'id') continue;
    if (value !== undefined && value !== null) record[name] = value;
    else if (name !== 'created_at' && name !== 'updated_at') record[name] = absent;
  }
  const { body } = collection.shape;
  if (body !== undefined) record[body] = fields[body] ?? '';
  Object.assign(record, placement.pathFields);
  if (Array.isArray(record['links']))
    record['links'] = normaliseLinks(placement.code, placement.id, record['links'] as LooseLink[]);
  if (record['updated_at'] === '' || record['updated_at'] === undefined)
    record['updated_at'] = placement.revisedAt ?? record['created_at'];
  return freeze(record as unknown as StoredRecord);
}

/**
 * A record that a former version of Planner stored, with the fields that its collection has since, as a file without their keys has them.
 * Returns the same object if it has all fields.
 */
export function withLaterFields<R extends object>({ shape }: Pick<Collection, 'shape'>, record: R): R {
  let later: Record<string, unknown> | undefined;
  for (const { name, absent } of shape.fields) if (!(name in record)) (later ??= {})[name] = absent;
  return later === undefined ? record : { ...record, ...later };
}

/** Returns true if two values of a record make the same file, ignoring fields that the store maintains. */
export function sameOnDisk(collection: Collection, a: StoredRecord, b: StoredRecord): boolean {
  if (a === b) return true;
  const [left, right] = [membersOf(a), membersOf(b)];
  const { body, fields } = collection.shape;
  if (body !== undefined && !equal(left[body], right[body])) return false;
  for (const { name } of fields) {
    if (name === 'updated_at' && collection.versioned.length > 0) continue;
    if (!equal(left[name], right[name])) return false;
  }
  return pathFields(collection).every((name) => equal(left[name], right[name]));
}

/** Fields that are stored in the path alone. */
export function pathFields(collection: Collection): readonly string[] {
  const { location } = collection;
  if (location.kind === 'tree') return [location.folder];
  return location.kind === 'folder' ? ['name', location.parent] : [];
}

/** The record as the fields of its file, which the codec writes. */
export function fileFields(collection: Collection, record: StoredRecord): Record<string, unknown> {
  const all = membersOf(record);
  const fields: Record<string, unknown> = {};
  for (const { name } of collection.shape.fields) fields[name] = all[name];
  const { body } = collection.shape;
  if (body !== undefined) fields[body] = all[body];
  return fields;
}
