import type { EntryBody } from '../../record/entry.ts';
import type { KeptEntry } from '../journal/journal.ts';

/**
 * The entries of a project as it is there now. A log goes on when its project is deleted and comes back: these are the
 * entries from the one on that created it last, or behind the one that deleted it if its directory was restored since.
 * Empty if it is deleted.
 */
export function sinceCreation(entries: readonly KeptEntry<EntryBody>[]): readonly KeptEntry<EntryBody>[] {
  let [from, isDeleted] = [0, false];
  for (const { seq, body } of entries) {
    if (body.dropped === true) [from, isDeleted] = [seq + 1, true];
    else if (body.directory !== undefined) [from, isDeleted] = [seq, false];
    // What was saved while it was deleted is an entry, too. A directory that is loaded again begins with a gap.
    else if (body.gap === true) isDeleted = false;
  }
  return isDeleted ? [] : entries.filter(({ seq }) => seq >= from);
}

/** The sequence of the entry that creates the project of these; 0 if they do not have it any more. */
export function createdAt([first]: readonly KeptEntry<EntryBody>[]): number {
  return first?.body.directory === undefined ? 0 : first.seq;
}
