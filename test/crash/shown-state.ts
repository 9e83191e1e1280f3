import type { Collection } from '../../src/store/record/collection.ts';
import type { Collections } from '../../src/store/record/record.ts';
import type { FileStore } from '../../src/store/file-store.ts';
import type { ReadTransaction } from '../../src/store/record/read-transaction.ts';

/**
 * The shown state of a store without the differences between runs: an id is replaced by the title of its record, times
 * are left out.
 */
export interface ShownState {
  /** One line a record, sorted. */
  readonly records: readonly string[];
  /** One line a revision, sorted. */
  readonly revisions: readonly string[];
}

export async function shownState<C extends Collections>(
  store: FileStore<C>,
  collections: readonly Collection[],
  serviceCollections: readonly string[] = [],
): Promise<ShownState> {
  const shown = await store.readAll((typed) => {
    const views = typed as unknown as readonly ReadTransaction[];
    const called = new Map(views.flatMap((view) => [...namesOf(view, collections)]));
    return { records: recordsOf(views, collections, called), revisions: revisionsOf(views, called) };
  });
  // Names and keys are random, so that only the existence of the records counts.
  const counts = await store.readService((view) =>
    serviceCollections.map((name) => `service ${name}: ${[...view.list(name)].length}`),
  );
  return { records: [...shown.records, ...counts], revisions: shown.revisions };
}

function recordsOf(
  views: readonly ReadTransaction[],
  collections: readonly Collection[],
  called: ReadonlyMap<string, string>,
): string[] {
  return views
    .flatMap((view) =>
      collections.flatMap(({ name }) =>
        [...view.list(name)].map(
          (record) => `${called.get(view.project)} ${called.get(record.id)} ${plain(record, called)}`,
        ),
      ),
    )
    .sort();
}

function revisionsOf(views: readonly ReadTransaction[], called: ReadonlyMap<string, string>): string[] {
  return views
    .flatMap((view) =>
      // The record's title may have changed since: its kind and its earlier values identify it.
      view
        .revisions()
        .map(({ author, target_type: kind, fields, before }) => plain({ author, kind, fields, before }, called)),
    )
    .sort();
}

function* namesOf(view: ReadTransaction, collections: readonly Collection[]): IterableIterator<[string, string]> {
  for (const { name } of collections) {
    for (const record of view.list(name)) {
      const fields = record as unknown as Record<string, unknown>;
      const title = fields['title'] ?? fields['label'] ?? fields['name'] ?? fields['filename'] ?? '';
      yield [record.id, `${name}:${typeof title === 'string' ? title : ''}`];
    }
  }
}

const dropped: ReadonlySet<string> = new Set(['created_at', 'updated_at']);

function plain(value: unknown, called: ReadonlyMap<string, string>): string {
  const json = JSON.stringify(value, (key, member: unknown) => {
    if (dropped.has(key)) return undefined;
    // They merge as a set: the order of two that arrive together depends on the file.
    if (key === 'tags' && Array.isArray(member)) return (member as string[]).toSorted();
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  return json
    .replace(/\b[a-z]{3}_[0-9a-z]{16}\b/g, (id) => called.get(id) ?? 'gone')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T');
}
