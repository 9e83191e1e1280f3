import { hash } from 'node:crypto';
import { lazyHash } from '../../store/index.ts';
import type { StoredRecord } from '../../store/index.ts';
import type { Tag } from '../declaration/operation.ts';

/** Texts longer than this go into a tag by their hash: those that are kept in files have one already and need not be read. */
const hashedCharactersMin = 1024;

const owns = new WeakMap<StoredRecord, string>();

/** A hash of a record's own fields, its links left out. Records are frozen: computed once for each value. */
export function ownTag(record: StoredRecord): string {
  let tag = owns.get(record);
  if (tag === undefined) owns.set(record, (tag = hashOf(ownFields(record))));
  return tag;
}

/** In one order: a record read from its file may hold its fields in another than one that was just made. */
function ownFields(record: StoredRecord): unknown[] {
  return Object.keys(record)
    .filter((name) => name !== 'links')
    .sort()
    .map((name) => {
      const known = lazyHash(record, name);
      if (known !== undefined) return [name, known];
      const value = (record as unknown as Record<string, unknown>)[name];
      const long = typeof value === 'string' && value.length > hashedCharactersMin;
      return [name, long ? hash('sha256', value, 'hex') : value];
    });
}

/** A short hash of plain values, fit for an entity tag. */
export function hashOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64url').slice(0, 16);
}

/** The tag of one resource: its record, and what else is shown with it. */
export function resourceTag(record: StoredRecord, shownWith: readonly unknown[]): Tag {
  return { own: ownTag(record), rest: shownWith.length === 0 ? '0' : hashOf(shownWith) };
}
