import type { EntryEvents, StoredEvent } from '../../store/index.ts';
import { declared } from '../records/record-collections.ts';

/** What a change set did to records and edges, as its events have it. */
export interface ChangeSet {
  readonly at: string;
  readonly author: string;
  /** The events of records by what happened to them, in their order. */
  readonly created: readonly StoredEvent[];
  readonly updated: readonly StoredEvent[];
  readonly deleted: readonly StoredEvent[];
  /** The same of edges. */
  readonly edges: readonly StoredEvent[];
  /** The ids of the records and edges that it created or updated. */
  readonly changed: ReadonlySet<string>;
}

const collections: ReadonlySet<string> = new Set(declared.map(({ name }) => name));

/** Events beside those of changes say what the changes mean, and need nothing. */
export function changeSetOf({ at, author, events }: EntryEvents): ChangeSet {
  const of = (what: string): StoredEvent[] =>
    events.filter(({ type, resource }) => type === `${resource.type}.${what}` && collections.has(resource.type));
  const [created, updated, deleted] = [of('created'), of('updated'), of('deleted')];
  const edges = events.filter(({ resource }) => resource.type === 'edge');
  const changed = [...created, ...updated, ...edges].map(({ resource }) => resource.id);
  return { at, author, created, updated, deleted, edges, changed: new Set(changed) };
}

/** All changes: each record and edge once. */
export function changesOf({ created, updated, deleted, edges }: ChangeSet): readonly StoredEvent[] {
  return [...created, ...updated, ...deleted, ...edges];
}

/** What contains others is restored before it, and deleted after it. */
const order = [
  ...['tag', 'folder', 'prototype', 'task', 'document', 'note', 'artifact', 'submission', 'comment', 'view'],
  'edge',
];

/** The events of deletions in the order in which the records can be restored: the last one that was deleted first. */
export function inOrderOfRestoring(deleted: readonly StoredEvent[]): StoredEvent[] {
  return deleted.toReversed().sort((a, b) => order.indexOf(a.resource.type) - order.indexOf(b.resource.type));
}

/** The events of creations in the order in which the records can be deleted: contents before what they are in. */
export function inOrderOfRemoving(created: readonly StoredEvent[]): StoredEvent[] {
  const rank = ({ resource: { type } }: StoredEvent): number => {
    // Records are deleted with their comments, and restored with them.
    if (type === 'comment') return order.length;
    if (type === 'tag' || type === 'folder' || type === 'prototype') return order.length - order.indexOf(type);
    return 0;
  };
  return created.toReversed().sort((a, b) => rank(a) - rank(b));
}
