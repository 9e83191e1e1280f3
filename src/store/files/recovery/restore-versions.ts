import { randomName } from '../../../base/ids.ts';
import { version as release } from '../../../base/version.ts';
import type { EntryBody, EntryChange } from '../../record/entry.ts';
import { emptyHead, type Head } from '../../record/log.ts';
import { lazyHash } from '../../record/lazy-text.ts';
import { equal } from '../../record/plain.ts';
import { type Change, membersOf, type StoredRecord } from '../../record/record.ts';
import { hasValue } from '../../record/revision-reference.ts';
import type { KeptEntry } from '../journal/journal.ts';
import type { Project } from '../project/project.ts';
import type { Cached } from './served-state.ts';
import { createdAt } from './since-creation.ts';
import type { JournalFiles } from '../journal/journal-files.ts';

/** Continues a project's log, and adds its revisions that are not in a history segment yet. Returns the last entry. */
export function continueLog(
  journal: JournalFiles,
  commit: { continueAfter(at: string): void },
  project: Project,
  entries: readonly KeptEntry<EntryBody>[],
  cached: Cached | undefined,
): Head {
  const head = journal.headOf(project.id);
  const at = entries.at(-1)?.body.at ?? cached?.served?.at;
  project.createdAt = createdAt(entries);
  project.replica.tail.continueAfter(head, at);
  if (at !== undefined) commit.continueAfter(at);
  for (const { body, position } of entries)
    for (const revision of body.revisions)
      if (hasValue(revision)) project.history.addAgain(revision, body.source === 'disk', position);
  return head;
}

/**
 * Continues with the versions of the last opening, so that tags survive a restart, if the records are what was served
 * then. Otherwise, files were edited meanwhile or something is unknown: every collection gets a new version. Returns
 * what differs from the state that was served last; undefined if that state is unknown.
 */
export function restoreVersions(
  project: Project,
  cached: Cached | undefined,
  entries: readonly KeptEntry<EntryBody>[],
  head: Head,
): readonly Change[] | undefined {
  const { versions } = project.index;
  const served = cached?.served;
  const later = laterEntries(served?.head ?? beforeCreation(entries), entries, head);
  const isKnown = later !== undefined && (served !== undefined || later.length > 0);
  const edits = isKnown ? editsSince(project, cached, entries) : undefined;
  if (cached !== undefined) project.index.discard(cached.snapshot);
  if (edits?.length !== 0 || served?.release !== release) {
    versions.renew(head.seq, randomName());
    return edits;
  }
  versions.restore(served.versions, head.seq, randomName());
  for (const { seq, id, body } of later!)
    versions.replay({ seq, id }, [...body.changes, ...(body.offline ?? [])], {
      touched: body.touched,
      revisions: body.revisions.length > 0,
    });
  return edits;
}

/** A journal from the entry on that created the project has every record. */
function beforeCreation([first]: readonly KeptEntry<EntryBody>[]): Head {
  return first?.body.directory === undefined ? emptyHead : { seq: first.seq - 1, id: first.prevId };
}

/** The entries since that one; undefined if the journal does not contain all of them. */
function laterEntries(
  from: Head,
  entries: readonly KeptEntry<EntryBody>[],
  head: Head,
): readonly KeptEntry<EntryBody>[] | undefined {
  if (from.seq > 0 && from.id === null) return undefined;
  const later = entries.filter(({ seq }) => seq > from.seq);
  let last = from;
  for (const { seq, id, prevId, carried } of later) {
    // A carried entry lacks the changes that were no longer needed.
    if (carried === true || seq !== last.seq + 1 || prevId !== last.id) return undefined;
    last = { seq, id };
  }
  return last.seq === head.seq && last.id === head.id ? later : undefined;
}

/**
 * The records without the value that they had when they were served last: that of their last entry, or the cached one.
 * Undefined if a record is gone of which no more than its file's hash is known.
 */
function editsSince(
  { index, files }: Project,
  cached: Cached | undefined,
  entries: readonly KeptEntry<EntryBody>[],
): readonly Change[] | undefined {
  const edits: Change[] = [];
  const compare = (id: string, collection: string | undefined, from: StoredRecord | undefined): void => {
    const to = index.record(id);
    const name = index.collectionOf(id) ?? collection;
    if (name !== undefined && !isSame(from, to)) edits.push({ collection: name, id, from, to });
  };
  const journaled = new Map<string, EntryChange>();
  for (const { body } of entries)
    for (const change of [...body.changes, ...(body.offline ?? [])]) journaled.set(change.id, change);
  for (const { c, id, to } of journaled.values()) compare(id, c, to);
  const { omitted = {}, pending = {} } = cached?.served ?? {};
  for (const [id, former] of Object.entries(pending)) {
    const [collection, to] = [index.collectionOf(id) ?? former, index.record(id)];
    if (journaled.has(id) || collection === null) continue;
    // The journal has been truncated since, so the value is unknown, unless the record was deleted.
    edits.push({ collection, id, from: former === null ? undefined : to, to });
  }
  const isCompared = (id: string): boolean => journaled.has(id) || Object.hasOwn(pending, id);
  const unknown = Object.entries(omitted).filter(([id, sha]) => !isCompared(id) && files.served(id)?.sha256 !== sha);
  for (const [id] of unknown) {
    const found = index.find(id);
    if (found === undefined) return undefined;
    edits.push({ collection: found.collection, id, from: found.record, to: found.record });
  }
  for (const { id, collection, former } of changedSince(cached, index))
    if (!isCompared(id) && !Object.hasOwn(omitted, id)) compare(id, collection, former);
  return edits;
}

interface Former {
  readonly id: string;
  readonly collection: string;
  readonly former: StoredRecord | undefined;
}

/** The records that are not as the cache has them, with what it has: those that were not restored from it included. */
function* changedSince(cached: Cached | undefined, index: Project['index']): Iterable<Former> {
  if (cached === undefined) {
    // The journal has every record that was served: the others are new.
    for (const table of index.tables())
      for (const { id } of table.values()) yield { id, collection: table.name, former: undefined };
    return;
  }
  const { snapshot, obsolete } = cached;
  const unrestored = new Map<string, Former>();
  for (const { id, collection, record } of obsolete)
    if (snapshot.get(collection, id) === undefined) unrestored.set(id, { id, collection, former: record });
  yield* unrestored.values();
  for (const { id, collection } of snapshot.changed())
    if (!unrestored.has(id)) yield { id, collection, former: snapshot.former(id) };
}

/** Equal values; a text that is in a file is compared by its hash if both are. */
function isSame(a: StoredRecord | undefined, b: StoredRecord | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  const [left, right] = [membersOf(a), membersOf(b)];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((name) => {
    const [hashA, hashB] = [lazyHash(a, name), lazyHash(b, name)];
    return hashA !== undefined && hashB !== undefined ? hashA === hashB : equal(left[name], right[name]);
  });
}
