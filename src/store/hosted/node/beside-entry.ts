import type { Collection } from '../../record/collection.ts';
import type { Append, StoredText } from '../../record/log.ts';
import { type Change, membersOf, type Revision } from '../../record/record.ts';
import type { ChangedTitles } from '../../record/title-search.ts';

/** What a change set brings that is stored beside its entry. */
interface Brought {
  readonly changes: readonly Change[];
  readonly revisions: readonly Revision[];
  readonly texts: readonly StoredText[];
  readonly titles: ChangedTitles | undefined;
}

/** The bytes that records reference from now on, revisions and large texts: entries have references to all of them. */
export function besideOf(
  collections: ReadonlyMap<string, Collection>,
  { changes, revisions, texts, titles }: Brought,
): Append['beside'] {
  const blobs = changes.flatMap(({ collection, from, to }) => {
    const bytes = collections.get(collection)?.bytes;
    if (bytes === undefined || to === undefined) return [];
    const hash = membersOf(to)[bytes.sha256];
    return from !== undefined && membersOf(from)[bytes.sha256] === hash ? [] : [String(hash)];
  });
  if (blobs.length === 0 && revisions.length === 0 && texts.length === 0 && titles === undefined) return undefined;
  return {
    ...(blobs.length > 0 && { blobs: [...new Set(blobs)] }),
    ...(revisions.length > 0 && { revisions }),
    ...(texts.length > 0 && { texts }),
    ...(titles && { titles }),
  };
}
