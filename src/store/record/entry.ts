import { isSafeSegment } from './file-name.ts';
import { overlaid } from './lazy-text.ts';
import { equal } from './plain.ts';
import { type Change, membersOf, type Revision, type Source, type StoredRecord } from './record.ts';
import type { RevisionReference } from './revision-reference.ts';

/** A record's change in the journal. An update has the new value and the former values of the changed fields. */
export interface EntryChange {
  readonly c: string;
  readonly id: string;
  readonly to?: StoredRecord;
  /** The former values of the changed fields. Absent for an addition. */
  readonly was?: Readonly<Record<string, unknown>>;
  /** The whole value of a removed record. */
  readonly gone?: StoredRecord;
  /** The file's value for a change of source `disk`, if `to` differs from it; null if there is no file. */
  readonly file?: StoredRecord | null;
}

/** Records with something that happened to them, by the type of the event. */
export type Transitions = Readonly<Record<string, readonly { readonly id: string; readonly label: string }[]>>;

/** The body of a journal entry: results, never commands. */
export interface EntryBody {
  readonly at: string;
  readonly author: string;
  readonly source: Source;
  /** The directory of a project that this entry creates. */
  readonly directory?: string;
  /** The change set was found in files by git, or is an import: what `source` does not say. */
  readonly via?: 'git' | 'import';
  /** The changes before this entry are unknown: earlier cursors of the feed cannot be continued. */
  readonly gap?: true;
  /** Edits that were made while no service ran, for the feed: the files had these values when they were read. */
  readonly offline?: readonly EntryChange[];
  /** The effects of these changes on records, by the event's type: `task.unblocked`. */
  readonly transitions?: Transitions;
  /** The project is deleted. */
  readonly dropped?: true;
  readonly changes: readonly EntryChange[];
  /** A shared log stores their values with its entries. */
  readonly revisions: readonly (Revision | RevisionReference)[];
  /**
   * The records that count as changed in versions and `since`, although their own fields did not change, by collection;
   * true for all of them.
   */
  readonly touched?: Readonly<Record<string, readonly string[] | true>>;
  /**
   * Changes of the service's own records in the same entry: a lease with its claim, an idempotency key with its
   * response.
   */
  readonly service?: readonly EntryChange[];
}

export function toEntryChange(
  { collection: c, id, from, to, fields }: Change,
  file?: StoredRecord | null,
): EntryChange {
  if (to === undefined) return from === undefined ? { c, id } : { c, id, gone: from };
  if (from === undefined) return file === undefined ? { c, id, to } : { c, id, to, file };
  const before = membersOf(from);
  const was: Record<string, unknown> = {};
  // A missing member is null.
  for (const field of fields ?? differing(from, to)) was[field] = before[field] ?? null;
  return file === undefined ? { c, id, to, was } : { c, id, to, was, file };
}

/** How many records and links a change has: links take as long as records. */
export function weightOfEntryChange({ to, gone }: EntryChange): number {
  return 1 + (to?.links?.length ?? 0) + (gone?.links?.length ?? 0);
}

/** The weight of a change of a record. */
export function weightOfChange({ from, to }: Change): number {
  return 1 + (from?.links?.length ?? 0) + (to?.links?.length ?? 0);
}

export function fromEntryChange({ c: collection, id, to, was, gone }: EntryChange): Change {
  if (to === undefined) return { collection, id, from: gone, to: undefined };
  return { collection, id, from: was === undefined ? undefined : overlaid(to, was), to };
}

/** The names of the members in which two values of a record differ. */
export function differing(from: StoredRecord, to: StoredRecord): string[] {
  const [before, after] = [membersOf(from), membersOf(to)];
  const names: string[] = [];
  for (const name in before) {
    const [one, other] = [before[name], after[name]];
    if (one !== other && !equal(one, other)) names.push(name);
  }
  for (const name in after) if (!(name in before) && after[name] !== undefined) names.push(name);
  return names;
}

/**
 * The directory of the project that one of these entries creates; undefined if no entry does, or if it is a path:
 * entries contain names only.
 */
export function createdDirectory(bodies: readonly EntryBody[]): string | undefined {
  const directory = bodies.find(({ directory: made }) => made !== undefined)?.directory;
  return directory !== undefined && isSafeSegment(directory) ? directory : undefined;
}
