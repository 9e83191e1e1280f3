import { conflict, PlannerError } from '../../base/errors.ts';
import { eachInSteps, type Steps } from '../../base/slices.ts';
import type { EntryEvents, StoredEvent } from '../../store/index.ts';
import { split } from '../feed/cursor-places.ts';
import type { Acting } from '../records/acting.ts';
import type {
  LeftOut,
  PlanReadTransaction,
  PlanTransaction,
  UndoChangeInput,
  UndoneChange,
} from '../records/collections.ts';
import { restoreRevision } from '../versions/restore.ts';
import { restoreFromTrash } from '../versions/restore-trash.ts';
import { hasRevisions, listTrash } from '../records/trash.ts';
import { type ChangeSet, changeSetOf, changesOf, inOrderOfRemoving, inOrderOfRestoring } from './change-set.ts';
import { changedSince } from './changed-since.ts';
import { checkEdges, putEdgesBack } from './edges-back.ts';
import { formerFields } from './former-fields.ts';
import { keptIn } from '../feed/kept.ts';
import { obstaclesOf } from './obstacles.ts';
import { putFields, settleLease } from './put-fields.ts';
import { removeMade, requireRemovable } from './remove-made.ts';

/** Changes that an answer lists. */
const listedMax = 100;

/**
 * Takes back one change set, in steps: what it created is deleted, what it deleted is restored, and fields and edges become what they
 * were. This is a change set itself, and is taken back in the same way. Throws `conflict` if something was changed since, with who changed
 * what, and `cursor_expired` for a change set that is too old. Without a cursor, the last one of the same author is taken back.
 */
export function* undoChange(tx: PlanTransaction, { cursor: given }: UndoChangeInput, by: Acting): Steps<UndoneChange> {
  const cursor = given === undefined ? yield* lastOf(tx) : (split(given)?.get(tx.code) ?? given);
  const entry = tx.changeAt(cursor);
  if (entry === undefined) throw tooOld(tx);
  const set = changeSetOf(entry);
  requireRemovable(set.created);
  const obstacles = [...(yield* obstaclesOf(tx, set)), ...checkEdges(tx, set)];
  if (obstacles.length > 0) throw yield* changedSince(tx, cursor, obstacles);
  const left: LeftOut[] = [];
  yield* restoreDeleted(tx, set, left);
  yield* eachInSteps(set.updated, (event) => giveBack(tx, event, by));
  putEdgesBack(tx, set, left);
  yield* removeMade(tx, inOrderOfRemoving(set.created), left);
  return answerOf(tx, entry, set, cursor, left);
}

function answerOf(
  tx: PlanTransaction,
  entry: EntryEvents,
  set: ChangeSet,
  cursor: string,
  left: readonly LeftOut[],
): UndoneChange {
  const redo = tx.ownCursor;
  if (redo === undefined) {
    const reason = left[0]?.reason ?? 'Everything is as it was before the change.';
    throw conflict(`There is nothing to take back: ${reason}`, { reason: 'unchanged' });
  }
  const all = changesOf(set);
  return {
    ...{ project_id: tx.project, cursor, at: entry.at, author: entry.author, redo },
    changes: all.slice(0, listedMax).map(({ type, resource, changes }) => ({
      ...{ change: type.slice(resource.type.length + 1) as 'updated', type: resource.type, id: resource.id },
      label: resource.label,
      fields: type.endsWith('.updated') ? changes.map(({ field }) => field) : [],
    })),
    changes_total: all.length,
    left_out: [...left],
  };
}

function tooOld({ cursor }: PlanReadTransaction): PlannerError {
  return new PlannerError(
    'cursor_expired',
    'This change cannot be taken back: the cursor names no change set that is still kept. It is too old, too large, or of another history of the project. The revisions of a record may have what it was.',
    cursor === undefined ? {} : { cursor },
  );
}

const pageMax = 1000;

/** The cursor of the last change set of the same author. */
function* lastOf(tx: PlanTransaction): Steps<string> {
  const query = { limit: pageMax, accepts: isChange, isBackward: true };
  for (let before: string | undefined; ;) {
    const page = tx.events(before, query);
    const own = page?.events.findLast(({ entry }) => entry.author === tx.author);
    if (own !== undefined) return own.cursor;
    if (page?.more !== true) break;
    before = page.cursor;
    yield;
  }
  throw conflict('You have changed nothing in this project that is still kept: there is nothing to take back.', {
    reason: 'nothing',
  });
}

function isChange({ type, resource }: StoredEvent): boolean {
  return resource.type !== 'problem' && /\.(?:created|updated|deleted)$/.test(type);
}

/** Comments that were deleted with a record return with it. */
function* restoreDeleted(tx: PlanTransaction, { at, deleted }: ChangeSet, left: LeftOut[]): Steps<void> {
  for (const event of inOrderOfRestoring(deleted)) {
    const { resource, revision_id: revision } = event;
    if (tx.find(resource.id) !== undefined) continue;
    const entry = listTrash(tx, resource.id).find(({ created_at }) => created_at === at);
    if (entry !== undefined) left.push(...(yield* restoreFromTrash(tx, entry.id)).left_out);
    else if (revision !== undefined && hasRevisions(resource.type)) yield* restoreRevision(tx, revision);
    else throw notKept(resource);
    yield;
  }
}

function notKept({ type, id, label }: StoredEvent['resource']): PlannerError {
  return conflict(
    `This change cannot be taken back any more: the deleted ${type} ${JSON.stringify(label ?? id)} is not in the trash.`,
    { reason: 'not_kept', type, id },
  );
}

function giveBack(tx: PlanTransaction, event: StoredEvent, by: Acting): void {
  const { type, id } = event.resource;
  const record = tx.find(id)!.record;
  const { fields } = formerFields(tx, event, record);
  if (Object.keys(fields).length > 0) putFields(tx, type, record, fields);
  if (type === 'task') settleLease(tx, id, keptIn(event).lease, by);
}
