import { randomName } from '../../../ids.ts';
import { version as release } from '../../../version.ts';
import type { EntryBody } from '../../record/entry.ts';
import type { IndexSnapshot } from '../../index/index-snapshot.ts';
import type { Head } from '../../log.ts';
import { lazyHash } from '../../record/lazy-text.ts';
import { equal } from '../../record/plain.ts';
import { membersOf, type StoredRecord } from '../../record/record.ts';
import type { KeptEntry } from '../journal/journal.ts';
import type { Project } from '../project/project.ts';
import type { Cached, ServedState } from './served-state.ts';
import type { StoreDeps } from './store-deps.ts';

/** Continues a project's log, and adds its revisions that are not in a history segment yet. Returns the last entry. */
export function continueLog(
  { journal, commit }: Pick<StoreDeps, 'commit' | 'journal'>,
  project: Project,
  entries: readonly KeptEntry<EntryBody>[],
  cached: Cached | undefined,
): Head {
  const head = journal.headOf(project.id);
  const at = entries.at(-1)?.body.at ?? cached?.served?.at;
  project.replica.tail.continueAfter(head, at);
  if (at !== undefined) commit.continueAfter(at);
  for (const { body, position } of entries)
    for (const revision of body.revisions) project.history.add(revision, body.source === 'disk', position);
  return head;
}

/**
 * Continues with the versions of the last opening, so that tags survive a restart, if the records are what was served
 * then. Otherwise, files were edited meanwhile or something is unknown: every collection gets a new version.
 */
export function restoreVersions(
  project: Project,
  cached: Cached | undefined,
  entries: readonly KeptEntry<EntryBody>[],
  head: Head,
): void {
  const { versions } = project.index;
  const served = cached?.served;
  const later = served && laterEntries(served, entries, head);
  const isKept = later !== undefined && isAsServed(project, cached!.snapshot, served!.omitted, entries);
  if (cached !== undefined) project.index.discard(cached.snapshot);
  if (!isKept) return versions.renew(head.seq, randomName());
  versions.restore(served!.versions, head.seq, randomName());
  for (const { seq, id, body } of later)
    versions.replay({ seq, id }, body.changes, { touched: body.touched, revisions: body.revisions.length > 0 });
}

/** The entries since that state; undefined if the journal does not contain all of them. */
function laterEntries(
  { release: formerRelease, head: from }: ServedState,
  entries: readonly KeptEntry<EntryBody>[],
  head: Head,
): readonly KeptEntry<EntryBody>[] | undefined {
  if (formerRelease !== release || (from.seq > 0 && from.id === null)) return undefined;
  const later = entries.filter(({ seq }) => seq > from.seq);
  let last = from;
  for (const { seq, id, prevId, carried } of later) {
    // A carried entry lacks the changes that were no longer needed.
    if (carried === true || seq !== last.seq + 1 || prevId !== last.id) return undefined;
    last = { seq, id };
  }
  return last.seq === head.seq && last.id === head.id ? later : undefined;
}

/** Whether every record has the value that it had when it was served last: that of its last entry, or the cached one. */
function isAsServed(
  project: Project,
  snapshot: IndexSnapshot,
  omitted: ServedState['omitted'],
  entries: readonly KeptEntry<EntryBody>[],
): boolean {
  const journaled = new Map<string, StoredRecord | undefined>();
  for (const { body } of entries) for (const { id, to } of body.changes) journaled.set(id, to);
  for (const [id, to] of journaled) if (!isSame(to, project.index.record(id))) return false;
  for (const [id, sha256] of Object.entries(omitted))
    if (!journaled.has(id) && project.files.served(id)?.sha256 !== sha256) return false;
  for (const id of snapshot.changed())
    if (!journaled.has(id) && !Object.hasOwn(omitted, id) && !isSame(snapshot.former(id), project.index.record(id)))
      return false;
  return true;
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
