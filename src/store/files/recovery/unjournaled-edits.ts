import { sameOnDisk } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import { type EntryBody, fromEntryChange } from '../../record/entry.ts';
import type { Change, StoredRecord } from '../../record/record.ts';
import type { IndexSnapshot } from '../../replica/index-snapshot.ts';
import { changesOf } from '../journal/chains.ts';
import type { KeptEntry } from '../journal/journal.ts';

/**
 * Returns the edits that former openings found in the files: those between the journal's entries, and those that an
 * entry has for the feed. A kill or a power failure may have lost the revisions that they made of them. `cached`: the
 * records as the index cache has them.
 */
export function unjournaledEdits(
  collections: ReadonlyMap<string, Collection>,
  entries: readonly KeptEntry<EntryBody>[],
  cached: IndexSnapshot | undefined,
): readonly Change[] {
  const isSame = (name: string, a: StoredRecord | undefined, b: StoredRecord | undefined): boolean => {
    const collection = collections.get(name);
    return (
      a === b || (a !== undefined && b !== undefined && (collection === undefined || sameOnDisk(collection, a, b)))
    );
  };
  const edits: Change[] = [];
  /** The value after the last entry, by id; null if that entry was carried and later ones may be missing. */
  const last = new Map<string, StoredRecord | undefined | null>();
  const firsts = new Map<string, Change>();
  /** The records of which an entry has the value that is in the cache. */
  const found = new Set<string>();
  for (const { body, carried } of entries)
    for (const [entryChange, isOffline] of changesOf(body)) {
      const change = fromEntryChange(entryChange);
      const { collection, id, from, to } = change;
      const before = last.get(id);
      if (!last.has(id)) firsts.set(id, change);
      else if (before !== undefined && before !== null && !isSame(collection, before, from))
        edits.push({ collection, id, from: before, to: from });
      if (isOffline && !isSame(collection, from, to)) edits.push(change);
      last.set(id, carried === true ? null : to);
      const value = cached?.get(collection, id);
      if (value !== undefined && !found.has(id) && [from, to].some((one) => isSame(collection, value, one)))
        found.add(id);
    }
  for (const [id, { collection, from }] of firsts) {
    const value = cached?.get(collection, id);
    if (value !== undefined && !found.has(id)) edits.unshift({ collection, id, from: value, to: from });
  }
  return edits;
}
