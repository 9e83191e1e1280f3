import { type EntryBody, type EntryChange, toEntryChange } from '../record/entry.ts';
import type { Append, KeptAnswer, StoredText } from '../record/log.ts';
import type { Change, Revision } from '../record/record.ts';
import type { ChangeMeta } from '../record/status.ts';
import type { Transaction } from '../replica/transaction.ts';

/** The parts of an entry, with one item for each change. */
export interface EntryParts {
  readonly at: string;
  readonly meta: ChangeMeta;
  readonly more: Pick<EntryBody, 'directory'>;
  readonly revisions: readonly Revision[];
  readonly stored: { readonly revisions: readonly Revision[]; readonly texts: readonly StoredText[] };
  readonly changes: readonly EntryChange[];
  readonly touched: EntryBody['touched'];
}

/**
 * The revisions of a transaction: imported ones precede the revisions of its changes, some of which need no revision.
 */
export function withImported(
  { importedRevisions }: Transaction,
  made: readonly (Revision | undefined)[],
): readonly Revision[] {
  const revisions = made.filter((revision) => revision !== undefined);
  return importedRevisions.length === 0 ? revisions : [...importedRevisions, ...revisions];
}

/** The data that is stored with an entry, if there is any. */
export function besideOf(blobs: Append['beside'], answers: readonly KeptAnswer[]): Pick<Append, 'beside'> {
  if (answers.length === 0) return blobs === undefined ? {} : { beside: blobs };
  return { beside: { ...blobs, answers } };
}

export function serviceBody(at: string, meta: ChangeMeta, changes: readonly Change[]): EntryBody {
  return { at, ...meta, changes: [], revisions: [], service: changes.map((change) => toEntryChange(change)) };
}
