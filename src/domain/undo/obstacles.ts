import { eachInSteps, type Steps } from '../../base/slices.ts';
import { membersOf } from '../../store/index.ts';
import type { Incoming, StoredEvent, StoredRecord } from '../../store/index.ts';
import { isVisible } from '../links/edges.ts';
import { collections, type PlanReadTransaction } from '../records/collections.ts';
import { type ChangeSet, inOrderOfRestoring } from './change-set.ts';
import type { Obstacle } from './changed-since.ts';
import { formerFields, isAsLeft } from './former-fields.ts';
import { keptIn } from '../feed/kept.ts';

/** What was changed since a change set in the records that it changed, in steps. */
export function* obstaclesOf(view: PlanReadTransaction, set: ChangeSet): Steps<readonly Obstacle[]> {
  const found: Obstacle[] = [];
  yield* eachInSteps(set.created, (event) => void found.push(...obstaclesOfRemoving(view, event, set)));
  yield* eachInSteps(set.updated, (event) => void found.push(...obstaclesOfUpdating(view, event)));
  yield* eachInSteps(inOrderOfRestoring(set.deleted), (event) => {
    if (view.find(event.resource.id) !== undefined) found.push({ what: 'restored', ...nameOf(event) });
  });
  return found;
}

function nameOf({ resource: { type, id, label } }: StoredEvent): Pick<Obstacle, 'type' | 'id' | 'label'> {
  return { type, id, label };
}

function obstaclesOfUpdating(view: PlanReadTransaction, event: StoredEvent): readonly Obstacle[] {
  const found = view.find(event.resource.id);
  if (found?.collection !== event.resource.type) return [{ what: 'deleted', ...nameOf(event) }];
  const { changed } = formerFields(view, event, found.record);
  return changed.length === 0 ? [] : [{ what: 'changed', ...nameOf(event), fields: changed }];
}

/** A record that was created is deleted only as it was created, and only if nothing was added to it since. */
function obstaclesOfRemoving(
  view: PlanReadTransaction,
  event: StoredEvent,
  { at, changed }: ChangeSet,
): readonly Obstacle[] {
  const { type, id, label } = event.resource;
  const found = view.find(id);
  if (found?.collection !== type) return [{ what: 'deleted', ...nameOf(event) }];
  if (!isAsMade(event, found.record, at)) return [{ what: 'changed', ...nameOf(event) }];
  return [...dependents(view, type, id)]
    .filter((dependent) => !changed.has(dependent.id))
    .map((dependent) => ({ what: 'added', ...dependent, to: label ?? id }));
}

/** The collections whose `updated_at` is the time of their last change: that of others is derived from files. */
const stamped = new Set(collections.filter((one) => isStamped(one)).map(({ name }) => name));

function isStamped({ versioned, shape }: (typeof collections)[number]): boolean {
  return versioned.length > 0 || shape.fields.some(({ name }) => name === 'updated_at');
}

function isAsMade(event: StoredEvent, record: StoredRecord, at: string): boolean {
  if (stamped.has(event.resource.type)) return record.updated_at === (keptIn(event).updated_at ?? at);
  return event.changes.filter((change) => 'to' in change).every((change) => isAsLeft(event, change, record));
}

/** What belongs to a record, and would be deleted or changed with it. Tasks keep a tag that they have. */
function* dependents(
  view: PlanReadTransaction,
  type: string,
  id: string,
): Iterable<Pick<Obstacle, 'type' | 'id' | 'label'>> {
  for (const comment of view.by('comment', 'target', `${type}:${id}`))
    yield { type: 'comment', id: comment.id, label: null };
  if (type === 'folder') {
    for (const document of view.by('document', 'folder', id)) yield labelled('document', document);
    for (const folder of view.by('folder', 'parent', id)) yield labelled('folder', folder);
  }
  if (type === 'prototype')
    for (const screen of view.by('artifact', 'prototype', id)) yield labelled('artifact', screen);
  const edges: readonly Incoming[] = [...view.outgoing(id), ...view.incoming(id)];
  for (const edge of edges)
    if (isVisible(view, edge)) yield { type: 'edge', id: edge.link.id, label: edge.link.label ?? null };
}

function labelled(type: string, record: StoredRecord): Pick<Obstacle, 'type' | 'id' | 'label'> {
  const { title, name } = membersOf(record);
  const label = title ?? name;
  return { type, id: record.id, label: typeof label === 'string' ? label : null };
}
