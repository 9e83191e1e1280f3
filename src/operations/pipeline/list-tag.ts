import { byCreation } from '../../store/index.ts';
import type { Name } from '../../store/index.ts';
import type { PlannerCollections, PlanReadTransaction } from '../../domain/records/collections.ts';
import { invalid } from '../../base/errors.ts';
import type { Tag } from '../declaration/operation.ts';
import { withoutEncoding } from './preconditions.ts';
type C = Name<PlannerCollections>;

/** The tag of a list of one collection, valid for `since`; `beside` are further collections that the list shows. */
export function listTag(view: PlanReadTransaction, collection: C, ...beside: readonly C[]): Tag {
  return { own: view.version(collection), rest: beside.length === 0 ? '0' : view.version(...beside) };
}

/** The tag of a response that is composed from several collections: it changes with each of them. */
export function versionsTag(view: PlanReadTransaction, ...collections: readonly C[]): Tag {
  return { own: view.version(...collections), rest: '0' };
}

/** The members of a list's input that `since` depends on. */
interface SinceQuery {
  readonly since?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/**
 * The ids of a collection that changed since the list had that tag; undefined if the whole list has to be returned: the call has no
 * `since`, the tag is too old, files were edited while no service ran, or a change elsewhere affects the list.
 */
export function changedSince(
  view: PlanReadTransaction,
  collection: C,
  query: SinceQuery,
  now: Tag,
): ReadonlySet<string> | undefined {
  const { since } = query;
  if (since === undefined) return undefined;
  if (query.limit !== undefined || query.cursor !== undefined) {
    throw invalid('since', 'since returns all changes at once: omit limit and cursor.');
  }
  const [, own = '', rest] = /^(?:W\/)?"?([^".]+)\.([^".]+)"?$/.exec(since) ?? [];
  return rest === now.rest || withoutEncoding(rest ?? '') === now.rest ? view.since(collection, own)?.ids : undefined;
}

/** Returns true if a tag belongs to the current list. It is for lists whose changes are not recorded. */
export function isCurrent(query: SinceQuery, now: Tag): boolean {
  if (query.since === undefined) return false;
  const since = query.since.replace(/^W\//, '').replaceAll('"', '');
  return [since, withoutEncoding(since)].includes(`${now.own}.${now.rest}`);
}

/**
 * The changes for a list's response: the changed rows that are still in the list, in its order, and the ids of the
 * others.
 */
export function delta<R extends { readonly id: string; readonly created_at: string }, W>(
  ids: ReadonlySet<string>,
  find: (id: string) => R | undefined,
  show: (record: R) => W,
): { readonly changed: W[]; readonly removed: string[] } {
  const removed: string[] = [];
  const present: R[] = [];
  for (const id of ids) {
    const record = find(id);
    if (record === undefined) removed.push(id);
    else present.push(record);
  }
  present.sort(byCreation);
  return { changed: present.map(show), removed: removed.sort() };
}
