import type { Collection } from './collection.ts';
import { type LooseLink, normaliseLinks } from './links.ts';
import { equal, freeze } from './plain.ts';
import { membersOf, type StoredRecord } from './record.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a record takes from where it lies and not from its file. */
export interface Placement {
  readonly id: string;
  readonly code: string;
  /** For a file that names no time of its own. */
  readonly createdAt: string;
  /** The newest revision's time, if there is one. */
  readonly revisedAt: string | undefined;
  /** Fields kept by the path: the folder's id, a folder's name and parent. */
  readonly pathFields?: Fields;
}

/** The record that a file's fields make at this place: absent keys take their defaults, links their ids. Not yet validated. */
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

/** True where two values of a record make the same file: everything but what the store keeps by itself. */
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

/** Fields that the path alone keeps. */
export function pathFields(collection: Collection): readonly string[] {
  const { location } = collection;
  if (location.kind === 'tree') return [location.folder];
  return location.kind === 'folder' ? ['name', location.parent] : [];
}

/** The record as its file's fields: what the codec writes. */
export function fileFields(collection: Collection, record: StoredRecord): Record<string, unknown> {
  const all = membersOf(record);
  const fields: Record<string, unknown> = {};
  for (const { name } of collection.shape.fields) fields[name] = all[name];
  const { body } = collection.shape;
  if (body !== undefined) fields[body] = all[body];
  return fields;
}
