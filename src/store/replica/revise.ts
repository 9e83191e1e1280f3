import { hash } from 'node:crypto';
import type { Collection } from '../record/collection.ts';
import { equal } from '../record/plain.ts';
import { type Change, membersOf, type Revision, type StoredRecord } from '../record/record.ts';
import type { Belonging, Incoming } from '../record/read-transaction.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The versioned fields in which two values of a record differ. `differing`: all such fields, if they are known. */
export function changedFields(
  collection: Collection,
  from: StoredRecord,
  to: StoredRecord,
  differing?: readonly string[],
): string[] {
  if (differing !== undefined) return collection.versioned.filter((field) => differing.includes(field));
  const before = membersOf(from);
  const after = membersOf(to);
  return collection.versioned.filter((field) => !equal(before[field], after[field]));
}

/**
 * A hash of a record's versioned fields, used as the `after` of revisions, so that an arriving history entry is
 * recognised.
 */
export function fingerprint(collection: Collection, record: StoredRecord): string {
  const fields = membersOf(record);
  const values: unknown[] = [];
  for (const field of collection.versioned) {
    const value = fields[field];
    values.push(typeof value === 'object' ? canonical(value) : (value ?? null));
  }
  return hash('sha256', JSON.stringify(values), 'base64url').slice(0, 22);
}

/** Sorts members, so that a map whose keys a person reordered has the same hash. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const members = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(members)
      .sort()
      .map((key) => [key, canonical(members[key])]),
  );
}

/** The data of a revision that is not part of the change. */
export interface RevisionOrigin {
  readonly id: string;
  readonly at: string;
  readonly author: string;
  readonly session?: string | undefined;
}

/** The revision of a change, or undefined if it needs no revision: for a creation, or if no versioned field changed. */
export function revisionOf(
  collection: Collection,
  change: Change,
  incoming: readonly Incoming[],
  occasion: () => RevisionOrigin,
  belongings: readonly Belonging[] = [],
): Revision | undefined {
  const { from, to } = change;
  if (collection.versioned.length === 0 || from === undefined) return undefined;
  if (to === undefined) {
    // A deletion keeps the whole record, the links to it and its belongings: restoring brings all of them back.
    const before = {
      ...from,
      $incoming: incoming.map((one) => ({ ...one })),
      ...(belongings.length === 0 ? undefined : { $belongings: belongings.map(copied) }),
    };
    const { session: _, ...deletion } = occasion();
    return compose(collection, change, deletion, ['deleted'], before, 'deleted');
  }
  const fields = changedFields(collection, from, to, change.fields);
  if (fields.length === 0) return undefined;
  const before: Record<string, unknown> = {};
  for (const field of fields) before[field] = membersOf(from)[field] ?? null;
  return compose(collection, change, occasion(), fields, before, fingerprint(collection, to));
}

/** Reads lazy texts. */
function copied({ collection, record }: Belonging): Belonging {
  return { collection, record: { ...record } };
}

function compose(
  collection: Collection,
  change: Change,
  occasion: RevisionOrigin,
  fields: string[],
  before: Fields,
  after: string,
): Revision {
  const { at, id, author, session } = occasion;
  const part = session === undefined ? undefined : { session };
  return { at, id, target: change.id, target_type: collection.name, author, ...part, fields, before, after };
}
