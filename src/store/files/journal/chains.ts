import { type EntryBody, fromEntryChange } from '../../record/entry.ts';
import type { KeptEntry, Mark } from './journal.ts';
import type { StoredRecord } from '../../record/record.ts';

/** What the journal's tail says of one record: its values from the one before the first change that may not be in the file to the last. */
export interface Chain {
  readonly collection: string;
  readonly id: string;
  /** What the file held before the first of the changes. */
  base: StoredRecord | undefined;
  /** What the changes made of it, one after the other. A checkpoint may have written any of them. */
  readonly values: (StoredRecord | undefined)[];
  readonly position: number;
  /** Of the last change. */
  seq: number;
}

/** A record whose last change is marked as written, and the bytes it was marked with. */
export interface Written extends Chain {
  readonly sha256: string | null;
}

/** The chains of changes that no mark and no edit on disk says to be in their files. */
export function chains(
  entries: readonly KeptEntry<EntryBody>[],
  marks: readonly Mark[],
): { readonly pending: Iterable<Chain>; readonly marked: Iterable<Written> } {
  const written = new Map<string, Mark>();
  const marked = new Map<string, Written>();
  for (const mark of marks) if (mark.seq >= (written.get(mark.path)?.seq ?? 0)) written.set(mark.path, mark);
  const found = new Map<string, Chain>();
  for (const { seq, position, body, rebooted } of entries) {
    // An edit stands in its file, unless the machine went down before its editor, or we, had synced that.
    const isInFile = body.source === 'disk' && !rebooted;
    for (const entryChange of body.changes) {
      const { collection, id, from, to } = fromEntryChange(entryChange);
      const chain = found.get(id);
      const mark = written.get(id);
      if (mark !== undefined && seq <= mark.seq)
        marked.set(id, { collection, id, base: undefined, values: [to], position, seq, sha256: mark.sha256 });
      else marked.delete(id);
      if (seq <= (mark?.seq ?? 0) || (isInFile && entryChange.file === undefined)) found.delete(id);
      else if (isInFile) found.set(id, { collection, id, base: entryChange.file, values: [to], position, seq });
      else if (chain === undefined) found.set(id, { collection, id, base: from, values: [to], position, seq });
      else {
        chain.values.push(...(entryChange.file === undefined ? [to] : [entryChange.file, to]));
        chain.seq = seq;
      }
    }
  }
  return { pending: found.values(), marked: marked.values() };
}
