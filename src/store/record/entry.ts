import { isSafeSegment } from './file-name.ts';
import { overlaid } from './lazy-text.ts';
import { equal } from './plain.ts';
import { type Change, membersOf, type Revision, type Source, type StoredRecord } from './record.ts';

/** A record's change as the journal has it. An update is the new value and what the changed fields held before. */
export interface EntryChange {
  readonly c: string;
  readonly id: string;
  readonly to?: StoredRecord;
  /** The fields that changed, as they were. Absent for an addition. */
  readonly was?: Readonly<Record<string, unknown>>;
  /** The whole value of a removed record. */
  readonly gone?: StoredRecord;
  /** An edit on disk that was merged: what the file holds, where `to` is more than that. */
  readonly file?: StoredRecord;
}

/** The body of a journal entry: results, never commands. */
export interface EntryBody {
  readonly at: string;
  readonly author: string;
  readonly source: Source;
  /** The directory of a project that this entry makes. */
  readonly directory?: string;
  /** The project is deleted. */
  readonly dropped?: true;
  readonly changes: readonly EntryChange[];
  readonly revisions: readonly Revision[];
  /** Changes of the service's own records that belong to this one: a lease with its claim, an idempotency key with its answer. */
  readonly service?: readonly EntryChange[];
}

export function toEntryChange({ collection: c, id, from, to }: Change, file?: StoredRecord): EntryChange {
  if (to === undefined) return from === undefined ? { c, id } : { c, id, gone: from };
  if (from === undefined) return file === undefined ? { c, id, to } : { c, id, to, file };
  const was = differing(from, to);
  return file === undefined ? { c, id, to, was } : { c, id, to, was, file };
}

export function fromEntryChange({ c: collection, id, to, was, gone }: EntryChange): Change {
  if (to === undefined) return { collection, id, from: gone, to: undefined };
  return { collection, id, from: was === undefined ? undefined : overlaid(to, was), to };
}

/** The members of `from` in which `to` differs; one that `from` lacks is told as null. */
function differing(from: StoredRecord, to: StoredRecord): Record<string, unknown> {
  const [before, after] = [membersOf(from), membersOf(to)];
  const was: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!equal(before[key], after[key])) was[key] = before[key] ?? null;
  }
  return was;
}

/** The directory of the project that one of these entries makes; undefined where none does, and for a path: a journal says names alone. */
export function createdDirectory(bodies: readonly EntryBody[]): string | undefined {
  const directory = bodies.find(({ directory: made }) => made !== undefined)?.directory;
  return directory !== undefined && isSafeSegment(directory) ? directory : undefined;
}
