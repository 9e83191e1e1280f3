import { hash } from 'node:crypto';
import { hasLazyText, lazyHash } from '../../store/index.ts';
import type { StoredRecord } from '../../store/index.ts';
import type { Tag } from '../declaration/operation.ts';

/** Longer texts are represented in a tag by their hash: texts that are kept in files have one already and are not read. */
const hashedCharactersMin = 1024;

const owns = new WeakMap<StoredRecord, string>();

/** A hash of a record's own fields, without its links. Computed once for each value, since records are frozen. */
export function ownTag(record: StoredRecord): string {
  let tag = owns.get(record);
  // Sorted, because a record read from its file may have its fields in another order than a new one.
  if (tag === undefined) owns.set(record, (tag = hashOf(fieldsOf(record, Object.keys(record).sort()))));
  return tag;
}

/** The fields of a record without its links. */
function fieldsOf(record: StoredRecord, names: readonly string[]): unknown[] {
  const isLazy = hasLazyText(record);
  const fields: unknown[] = [];
  for (const name of names) {
    if (name === 'links') continue;
    const known = isLazy ? lazyHash(record, name) : undefined;
    const value = known ?? (record as unknown as Record<string, unknown>)[name];
    const isLong = known === undefined && typeof value === 'string' && value.length > hashedCharactersMin;
    fields.push([name, isLong ? hash('sha256', value, 'hex') : value]);
  }
  return fields;
}

const ofFields = new WeakMap<StoredRecord, Map<readonly string[], string>>();

/** A hash of some fields of a record, for a response that shows no more. Computed once for each value and list of names. */
export function fieldsTag(record: StoredRecord, names: readonly string[]): string {
  const known = ofFields.get(record) ?? new Map<readonly string[], string>();
  ofFields.set(record, known);
  const tag = known.get(names) ?? hashOf(fieldsOf(record, names));
  known.set(names, tag);
  return tag;
}

/** A short hash of plain values, for entity tags. */
export function hashOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64url').slice(0, 16);
}

const idHashes = new Map<string, string>();
const idHashesMax = 1000;

/**
 * The hash of an id, which many resources are shown with. The last hashes are cached, because computing one takes a
 * tenth of a request.
 */
export function hashOfId(id: string): string {
  let known = idHashes.get(id);
  if (known !== undefined) return known;
  if (idHashes.size === idHashesMax) idHashes.clear();
  idHashes.set(id, (known = hashOf(id)));
  return known;
}

/** The tag of one resource: its record, and everything else in the response. */
export function resourceTag(record: StoredRecord, shownWith: readonly unknown[]): Tag {
  return { own: ownTag(record), rest: shownWith.length === 0 ? '0' : hashOf(shownWith) };
}
