import { type EntryBody, fromEntryChange } from '../../record/entry.ts';
import type { KeptEntry, Mark } from './journal.ts';
import { equal } from '../../record/plain.ts';
import type { StoredRecord } from '../../record/record.ts';

/**
 * The changes of one record in the journal's tail: its values from the one before the first change that its file may
 * lack to the last.
 */
export interface Chain {
  readonly collection: string;
  readonly id: string;
  /** The value in the file before the first of the changes. */
  base: StoredRecord | undefined;
  /** The value after each change, in order, and those of edits between them. The file may have any of them. */
  readonly values: (StoredRecord | undefined)[];
  readonly position: number;
  /** Seq of the last change. */
  seq: number;
}

/** A record whose last change has a mark, with the hash from that mark. */
export interface MarkedChain extends Chain {
  readonly sha256: string | null;
}

/** A record whose last change was an external edit: the value that its file had then. */
export type Edited = Pick<Chain, 'collection' | 'id'> & { readonly value: StoredRecord | undefined };

/** The changes that are not in their files according to marks and external edits, and the last values of the others. */
export function chains(
  entries: readonly KeptEntry<EntryBody>[],
  marks: readonly Mark[],
): { readonly pending: Iterable<Chain>; readonly marked: Iterable<MarkedChain>; readonly edited: Iterable<Edited> } {
  const written = new Map<string, Mark>();
  const marked = new Map<string, MarkedChain>();
  const edited = new Map<string, Edited>();
  for (const mark of marks) if (mark.seq >= (written.get(mark.path)?.seq ?? 0)) written.set(mark.path, mark);
  const found = new Map<string, Chain>();
  for (const { seq, position, body, rebooted } of entries) {
    // An external edit is in its file, unless the machine was restarted before the editor, or the store, synced it.
    const isInFile = body.source === 'disk' && !rebooted;
    for (const entryChange of body.changes) {
      const { collection, id, from, to } = fromEntryChange(entryChange);
      const chain = found.get(id);
      const mark = written.get(id);
      if (mark !== undefined && seq <= mark.seq)
        marked.set(id, { collection, id, base: undefined, values: [to], position, seq, sha256: mark.sha256 });
      else marked.delete(id);
      if (isInFile && entryChange.file === undefined) edited.set(id, { collection, id, value: to });
      else edited.delete(id);
      if (seq <= (mark?.seq ?? 0) || (isInFile && entryChange.file === undefined)) found.delete(id);
      else if (isInFile) found.set(id, { collection, id, base: entryChange.file, values: [to], position, seq });
      else if (chain === undefined) found.set(id, { collection, id, base: from, values: [to], position, seq });
      else extend(chain, { from, to, file: entryChange.file, seq });
    }
  }
  return { pending: found.values(), marked: marked.values(), edited: edited.values() };
}

interface Later {
  readonly from: StoredRecord | undefined;
  readonly to: StoredRecord | undefined;
  readonly file: StoredRecord | undefined;
  readonly seq: number;
}

function extend(chain: Chain, { from, to, file, seq }: Later): void {
  // The file had this value if an opening found an edit of it, which is not in the journal.
  if (!equal(from, chain.values.at(-1))) chain.values.push(from);
  chain.values.push(...(file === undefined ? [to] : [file, to]));
  chain.seq = seq;
}
